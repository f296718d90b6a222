// Objects as text: YAML as kubectl prints it (apiVersion, kind and metadata first, lists not indented, no folding, what
// looks like a number quoted) and JSON. Both are lossless and hold no character that a terminal would act on.

import { isNumber, isObject, type Json, type JsonObject, numberText, setMember } from '../api/core/json.ts';
import { resolvesToText } from '../component/plain-scalar.ts';

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const UNSAFE_ALL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Longer keys need YAML's explicit form. */
const MAX_IMPLICIT_KEY = 1000;

/** JSON text; `indent` as for JSON.stringify. */
export function renderJson(value: Json, indent?: number): string {
  // Line feeds of the indentation are the only controls that stand raw in JSON.
  return JSON.stringify(value, undefined, indent).replace(UNSAFE_ALL, (character) =>
    character === '\n' ? character : jsonEscape(character),
  );
}

/** YAML text that ends with a line feed. */
export function renderYaml(value: Json): string {
  const lines: string[] = [];
  const ordered = isObject(value) ? identityFirst(value) : value;
  if (isEmptyOrScalar(ordered)) return `${scalar(ordered, '')}\n`;
  writeNode(lines, ordered, '', '');
  return `${lines.join('\n')}\n`;
}

function identityFirst(object: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const name of ['apiVersion', 'kind', 'metadata']) {
    const value = object[name];
    if (value !== undefined) ordered[name] = value;
  }
  for (const [name, value] of Object.entries(object)) setMember(ordered, name, value);
  return ordered;
}

// `first` stands in the first line before the node's first entry; the further entries are indented by `indent`.
function writeNode(lines: string[], node: Json[] | JsonObject, indent: string, first: string): void {
  let prefix = first;
  if (Array.isArray(node)) {
    for (const item of node) {
      writeEntry(lines, `${prefix}-`, item, { indent, nested: `${indent}  `, compact: true });
      prefix = indent;
    }
    return;
  }
  for (const [name, value] of Object.entries(node)) {
    const key = quoted(name);
    const head = key.length > MAX_IMPLICIT_KEY ? `${prefix}? ${key}\n${indent}:` : `${prefix}${key}:`;
    writeEntry(lines, head, value, { indent, nested: Array.isArray(value) ? indent : `${indent}  `, compact: false });
    prefix = indent;
  }
}

type EntryPlace = { indent: string; nested: string; compact: boolean };

function writeEntry(lines: string[], head: string, value: Json, { indent, nested, compact }: EntryPlace): void {
  if (isEmptyOrScalar(value)) lines.push(`${head} ${scalar(value, `${indent}  `)}`);
  else if (compact) writeNode(lines, value, nested, `${head} `);
  else {
    lines.push(head);
    writeNode(lines, value, nested, nested);
  }
}

function isEmptyOrScalar(value: Json): value is Exclude<Json, object> {
  if (Array.isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

function scalar(value: Json, indent: string): string {
  if (Array.isArray(value)) return '[]';
  if (isNumber(value)) return numberText(value);
  if (isObject(value)) return '{}';
  if (typeof value !== 'string') return String(value);
  return value.includes('\n') && isBlockText(value) ? blockText(value, indent) : quoted(value);
}

// Text of several lines is written as such, unless a line is only spaces or something must be escaped.
function isBlockText(text: string): boolean {
  return /\S/.test(text) && !UNSAFE.test(text.replaceAll(/[\n\t]/g, '')) && !/^\s*\t|^[ \t]+$/m.test(text);
}

function blockText(text: string, indent: string): string {
  const indicator = /^\n* /.test(text) ? '2' : '';
  const chomping = !text.endsWith('\n') ? '-' : /\n\n$/.test(text) ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return [`|${indicator}${chomping}`, ...lines].join('\n');
}

function quoted(text: string): string {
  if (UNSAFE.test(text)) return escaped(text);
  if (!resolvesToText(text)) return `"${text}"`;
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function isPlain(text: string): boolean {
  return (
    /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^\s]))/.test(text) &&
    !/:(?:\s|$)|\s#|\s$/.test(text) &&
    !/^(?:---|\.\.\.)/.test(text)
  );
}

function escaped(text: string): string {
  return JSON.stringify(text).replace(UNSAFE_ALL, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : jsonEscape(character);
  });
}

function jsonEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
