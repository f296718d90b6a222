// Reads JSON text strictly, one value or several behind each other: duplicate keys are refused, numbers keep their
// exact text where a double would change them, and each error and member has a place.

import { type Json, type JsonObject, setMember } from '../api/core/json.ts';
import { formatFieldPath, type Segment } from './field-path.ts';
import { exactNumber, MAX_DEPTH, type TextDocument, TextError } from './text-document.ts';

/** The values of a text; an empty text has none. Throws TextError. */
export function readJson(text: string): TextDocument[] {
  const documents: TextDocument[] = [];
  const reader = new JsonReader(text, text.startsWith('\ufeff') ? 1 : 0);
  while (!reader.atEnd()) {
    const offset = reader.offset;
    const value = reader.value();
    const elements: ElementOffsets = new Map();
    documents.push({ value, offset, locate: (segments) => new JsonReader(text, offset).locate(segments, elements) });
  }
  return documents;
}

/**
 * Where the elements of arrays begin, by the offset of the array: a list is asked for the place of each of its items, and
 * must not be read from its start each time.
 */
type ElementOffsets = Map<number, readonly number[]>;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE_CODE = 0x20;
const WORDS: readonly [string, Json][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class JsonReader {
  readonly #text: string;
  #at: number;
  readonly #path: Segment[] = [];

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#at = offset;
  }

  get offset(): number {
    return this.#at;
  }

  atEnd(): boolean {
    this.#skip(SPACE);
    return this.#at >= this.#text.length;
  }

  value(): Json {
    this.#skip(SPACE);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    const number = this.#skip(NUMBER);
    if (number !== '') return exactNumber(number);
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    throw this.#error(
      first === undefined ? 'unexpected end, expected a value' : `unexpected ${name(first)}, expected a value`,
    );
  }

  /** The offset of the member that the segments lead to; the value here must be well-formed. */
  locate(segments: readonly Segment[], elements: ElementOffsets): number {
    this.#skip(SPACE);
    let found = this.#at;
    for (const segment of segments) {
      const next = this.#enter(segment, elements);
      if (next === undefined) return found;
      found = next;
    }
    return found;
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#members((key, keyOffset) => {
      if (Object.hasOwn(object, key)) throw this.#error('duplicate key', keyOffset);
      setMember(object, key, this.value());
      return false;
    });
    return object;
  }

  #array(): Json[] {
    const array: Json[] = [];
    this.#elements(() => array.push(this.value()));
    return array;
  }

  // Calls `visit` with the reader before each member's value; it reads the value, or returns true to stop there.
  #members(visit: (key: string, keyOffset: number) => boolean): void {
    this.#open();
    if (this.#take('}')) return;
    do {
      this.#skip(SPACE);
      const keyOffset = this.#at;
      if (this.#text[this.#at] !== '"') throw this.#error('expected a key in double quotes');
      const key = this.#string();
      this.#path.push(key);
      if (!this.#take(':')) throw this.#error('expected ":" behind the key');
      if (visit(key, keyOffset)) return;
      this.#path.pop();
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#error('expected "," or "}"');
  }

  #elements(visit: () => void): void {
    this.#open();
    if (this.#take(']')) return;
    let index = 0;
    do {
      this.#path.push(index++);
      visit();
      this.#path.pop();
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#error('expected "," or "]"');
  }

  /** Goes to the member or element that the segment names, and gives its offset: that of the key for a member. */
  #enter(segment: Segment, elements: ElementOffsets): number | undefined {
    let found: number | undefined;
    this.#skip(SPACE);
    if (this.#text[this.#at] === '{') {
      this.#members((key, keyOffset) => {
        if (key === String(segment)) found = keyOffset;
        else this.value();
        return found !== undefined;
      });
    } else if (this.#text[this.#at] === '[') {
      found = this.#elementOffsets(elements)[Number(segment)];
      if (found !== undefined) this.#at = found;
    }
    return found;
  }

  #elementOffsets(elements: ElementOffsets): readonly number[] {
    const array = this.#at;
    const known = elements.get(array);
    if (known !== undefined) return known;
    const offsets: number[] = [];
    this.#elements(() => {
      this.#skip(SPACE);
      offsets.push(this.#at);
      this.value();
    });
    elements.set(array, offsets);
    return offsets;
  }

  #open(): void {
    if (this.#path.length >= MAX_DEPTH) throw this.#error(`nested deeper than ${MAX_DEPTH} levels`);
    this.#at++;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let escaped = false;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      if (code === BACKSLASH) {
        escaped = true;
        at += this.#escapeLength(at);
      } else if (code >= SPACE_CODE) at++;
      else if (at >= text.length) throw this.#error('string without closing quote', start);
      else throw this.#error('raw control character in a string', at);
      if (at >= text.length) throw this.#error('string without closing quote', start);
    }
    this.#at = at + 1;
    return escaped ? (JSON.parse(text.slice(start, this.#at)) as string) : text.slice(start + 1, at);
  }

  #escapeLength(at: number): number {
    ESCAPE.lastIndex = at;
    const match = ESCAPE.exec(this.#text);
    if (match === null) throw this.#error('escape that JSON lacks in a string', at);
    return match[0].length;
  }

  #take(character: string): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return '';
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #error(message: string, offset = this.#at): TextError {
    return new TextError(message, offset, formatFieldPath(this.#path));
  }
}

function name(character: string): string {
  return JSON.stringify(character);
}
