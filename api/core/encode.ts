// The exact text that Go's encoding/json writes for the typed form of a schema. Hashes and revision data are made of it,
// so every byte counts: order of members, omitted empties, sorted map keys, HTML escapes. (sidecarset 2)
import type { TSchema } from 'typebox';
import { type Int64, isNumber, isObject, type Json, type JsonObject, numberText } from './json.ts';
import { type AnyStruct, type Field, type ListSchema, type MapSchema, wiredOf } from './schema.ts';

/**
 * Writes a value of the schema compactly. The value must be a typed form (see decode.ts, which also makes quantities and
 * times canonical); absent members come out as Go writes them.
 */
export function encode(schema: TSchema, value: Json | undefined): string {
  if (value === undefined || value === null) return zeroText(schema);
  switch (wiredOf(schema).wire) {
    case 'list':
      return `[${(value as Json[]).map((item) => encode((schema as ListSchema).items, item)).join(',')}]`;
    case 'map':
      return encodeMap((schema as unknown as MapSchema).values, value as JsonObject);
    case 'struct':
      return encodeStruct(schema as AnyStruct, value as JsonObject);
    case 'json':
      return escapeHtml(JSON.stringify(value));
    default:
      return typeof value === 'string' ? encodeString(value) : isNumber(value) ? numberText(value) : String(value);
  }
}

/**
 * Writes untyped JSON as Go writes maps: keys sorted bytewise on every level. Numbers beyond 2^53 are written as the
 * doubles that Go's untyped decoding makes of them.
 */
export function encodeSorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(encodeSorted).join(',')}]`;
  if (isObject(value)) {
    const members = sortedKeys(value).map((key) => `${encodeString(key)}:${encodeSorted(value[key] as Json)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'string') return encodeString(value);
  return isNumber(value) ? String(Number(numberText(value as Int64))) : String(value);
}

/** A string as Go writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped besides what JSON demands. */
function encodeString(text: string): string {
  // Most texts need no escape at all.
  if (/^[ !#-%'-;=?-[\]-~]*$/.test(text)) return `"${text}"`;
  return escapeHtml(JSON.stringify(text.isWellFormed() ? text : text.toWellFormed()));
}

/** Orders strings by their UTF-8 bytes, as Go does. */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

const htmlEscapes: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => htmlEscapes.get(character) as string);
}

// Surrogates stand for code points above all others, though their code units are not the greatest.
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareBytewise);
}

function encodeMap(values: TSchema, object: JsonObject): string {
  const members = sortedKeys(object).map((key) => `${encodeString(key)}:${encode(values, object[key])}`);
  return `{${members.join(',')}}`;
}

type Member = { name: string; opening: string; field: Field };
const membersOf = new WeakMap<AnyStruct, readonly Member[]>();

function members(schema: AnyStruct): readonly Member[] {
  let found = membersOf.get(schema);
  if (found === undefined) {
    found = Object.entries(schema.fields).map(([name, field]) => ({ name, opening: `"${name}":`, field }));
    membersOf.set(schema, found);
  }
  return found;
}

function encodeStruct(schema: AnyStruct, object: JsonObject): string {
  let text = '';
  for (const { name, opening, field } of members(schema)) {
    const value = Object.hasOwn(object, name) ? (object[name] as Json) : null;
    if (!isWritten(field, value)) continue;
    if (text !== '') text += ',';
    text += opening;
    text += field.presence === 'nullable' && value === null ? 'null' : encode(field.schema, value);
  }
  return `{${text}}`;
}

function isWritten(field: Field, value: Json): boolean {
  if (field.presence === 'pointer') return value !== null;
  if (field.presence !== 'optional') return true;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== '' && value !== 0 && value !== false;
}

// What Go writes for a member that was never set: struct values and scalars have a zero value, the rest is nil.
function zeroText(schema: TSchema): string {
  switch (wiredOf(schema).wire) {
    case 'string':
      return '""';
    case 'boolean':
      return 'false';
    case 'int32':
    case 'int64':
    case 'intOrString':
      return '0';
    case 'quantity':
      return '"0"';
    case 'struct':
      return encodeStruct(schema as AnyStruct, {});
    default:
      return 'null';
  }
}
