// JSON as the kinds see it: plain values, read without losing digits. Numbers that a double cannot hold, or that are
// written in another way than JavaScript writes them, become number tokens, which JSON.stringify prints as they were.

/** Any JSON value. A number token (see {@link isNumberToken}) is an object to the type system; use the predicates here. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** The same value, that whoever has it may not change. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: DeepReadonly<T[Member]> }
    : T;

/** A number kept as its text, made by the platform's JSON.rawJSON; frozen, equal by `rawJSON`, printed verbatim. */
export type NumberToken = { readonly rawJSON: string };

/** The value of an int64 member: a safe integer, or a token for one beyond 2^53. */
export type Int64 = number | NumberToken;

type Reviver = (key: string, value: Json, context: { source?: string }) => Json;
const platform = JSON as unknown as {
  parse(text: string, reviver: Reviver): Json;
  rawJSON(text: string): NumberToken & JsonObject;
  isRawJSON(value: unknown): boolean;
};

/** True for an object that is neither null, nor an array, nor a number token. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !platform.isRawJSON(value);
}

/** True for a number kept as text. */
export function isNumberToken(value: unknown): value is NumberToken {
  return typeof value === 'object' && value !== null && platform.isRawJSON(value);
}

/** True for a number in either form. */
export function isNumber(value: Json | undefined): value is number | (NumberToken & JsonObject) {
  return typeof value === 'number' || isNumberToken(value);
}

/** Makes a number token. The text must be a JSON number, else a SyntaxError is thrown. */
export function numberToken(text: string): NumberToken & JsonObject {
  if (!/^-?\d/.test(text)) throw new SyntaxError(`not a JSON number: ${text}`);
  return platform.rawJSON(text);
}

/** The digits of a number in either form. */
export function numberText(value: Int64): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** The nearest double, for comparisons with bounds that doubles hold exactly. */
export function toNumber(value: Int64): number {
  return typeof value === 'number' ? value : Number(value.rawJSON);
}

/** Deepest nesting that is read; Kubernetes itself stops at 10,000. */
const maxDepth = 1000;

/**
 * Reads JSON text. Throws SyntaxError as JSON.parse does, also for nesting beyond 1000 levels. Numbers whose text
 * JavaScript would print differently (2^53+1, 1.0, 1e400, -0) come back as number tokens, all others as numbers. Of
 * equal keys the last counts.
 */
export function parseJson(text: string): Json {
  if (!hasDelicateNumber(text)) return JSON.parse(text) as Json;
  return platform.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    const exact = String(value) === context.source && !(Number.isInteger(value) && !Number.isSafeInteger(value));
    return exact ? value : platform.rawJSON(context.source);
  });
}

/** As parseJson; undefined for a text that cannot be read, of which the caller says what it means. */
export function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Others may write anything into annotations, conditions and answers.
    return undefined;
  }
}

/**
 * Reads JSON text so that JSON.stringify writes its strings and numbers as they stand in the text, escapes and all: for bytes
 * that others compare. They are tokens, so nothing but printing works on them.
 */
export function parseVerbatim(text: string): Json {
  return platform.parse(text, (_key, value, context) =>
    (typeof value === 'string' || typeof value === 'number') && context.source !== undefined
      ? platform.rawJSON(context.source)
      : value,
  );
}

// One pass over the text, strings skipped: is there a number with a fraction, an exponent, 16 digits or a minus zero?
// Only then is the slower reading with sources needed. Malformed text is left for JSON.parse to refuse.
function hasDelicateNumber(text: string): boolean {
  let delicate = false;
  let depth = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) {
      digits++;
      if (digits > 15 || (code === 0x30 && digits === 1 && text.charCodeAt(i - 1) === 0x2d)) delicate = true;
      continue;
    }
    // A dot, or an e or E right behind a digit (elsewhere it belongs to true, false or null).
    if (digits > 0 && (code === 0x2e || code === 0x65 || code === 0x45)) delicate = true;
    digits = 0;
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > maxDepth) throw new SyntaxError(`JSON is nested deeper than ${maxDepth} levels`);
  }
  return delicate;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Sets an own member even when the key is `__proto__`, which plain assignment would take for the prototype. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** A deep copy; number tokens are shared, as they are frozen. */
export function cloneJson<T extends Json>(value: T): T {
  return clone(value) as T;
}

function clone(value: Json): Json {
  if (typeof value !== 'object' || value === null || isNumberToken(value)) return value;
  if (Array.isArray(value)) return value.map(clone);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setMember(copy, key, clone(value[key] as Json));
  return copy;
}

/** Deep equality; member order does not matter, numbers are equal by text. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return numberText(a) === numberText(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]));
}

/** Values that can be looked up: equal are those that {@link equalJson} finds equal. */
export class JsonSet {
  private readonly texts: ReadonlySet<string>;

  constructor(values: readonly Json[]) {
    this.texts = new Set(values.map(canonicalText));
  }

  has(value: Json): boolean {
    return this.texts.has(canonicalText(value));
  }
}

// The same text for equal values, and for no others.
function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] as Json)}`).join(',')}}`;
}
