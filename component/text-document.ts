// What the readers of JSON and YAML text share: a document with the places of its members, and an error with a place.

import { type Json, numberToken } from '../api/core/json.ts';
import type { Segment } from './field-path.ts';

/** A place in a text, both counted from 1; a column counts UTF-16 units. */
export type Position = { line: number; column: number };

/** One document of a text. */
export type TextDocument = {
  value: Json;
  /** Where the value starts, in UTF-16 units from the start of the text. */
  offset: number;
  /** Where the member starts that the segments lead to, or the last one on the way that exists. */
  locate(segments: readonly Segment[]): number;
};

/** Text that is no document; `offset` as in `TextDocument`, `path` is where in the document ('' if not known). */
export class TextError extends Error {
  readonly offset: number;
  readonly path: string;

  constructor(message: string, offset: number, path = '') {
    super(message);
    this.name = 'TextError';
    this.offset = offset;
    this.path = path;
  }
}

/** Nesting beyond this is refused, in every format: no object of Kubernetes comes near it. */
export const MAX_DEPTH = 512;

/** Lines of a text, found when first asked for. */
export class Lines {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The place of an offset. */
  at(offset: number): Position {
    this.#starts ??= lineStarts(this.#text);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

/** A JSON number as `api/core/json.ts` holds it: a token where JavaScript would print another text. */
export function exactNumber(text: string): Json {
  const value = Number(text);
  const exact = String(value) === text && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return exact ? value : numberToken(text);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
