// From plain JSON to the typed form of a schema, as Go's decoder and encoder together would make it: unknown members
// dropped (unless the schema keeps them), zero values of omitempty members dropped, quantities and times canonical. What
// only typing would add (empty structs, null times) is not added, so that a patch made from the result stays small.
// (admission-overview 1.4)
import type { TSchema } from 'typebox';
import { encode } from './encode.ts';
import { type Int64, isNumber, isObject, type Json, type JsonObject, numberText, setMember } from './json.ts';
import { canonicalQuantity, quantityFault } from './quantity.ts';
import { type AnyStruct, type Field, type ListSchema, type MapSchema, type Static, wiredOf } from './schema.ts';
import { canonicalTime, timeFault } from './times.ts';

/** One value that the schema cannot hold. `path` is like `spec.containers[0].name`; '' is the whole value. */
export type DecodeError = {
  path: string;
  /** What was expected and what was there, in words: `expected string, got number`. */
  text: string;
  /** The text that the Go implementation answers with. */
  goText: string;
};
export type Decoded<T> = {
  /** Complete and well-typed only when there are no errors. */
  value: T;
  /** In the order of the input; at most {@link TOLD_MOST} of them. */
  errors: DecodeError[];
  /** Paths of members that the schema does not know, in the order of the input; at most {@link TOLD_MOST} of them. */
  unknown: string[];
};

/** How many errors and unknown members are told of one value: a hostile one has millions. */
export const TOLD_MOST = 1000;
/**
 * How large an object may be as JSON text, in characters: what etcd stores unless it is told otherwise
 * (docs/decisions/0014-large-objects-are-refused-early.md).
 */
export const OBJECT_LENGTH_MOST = 1.5 * 1024 * 1024;
/** What an API server says of one that is larger, with code 413. */
export const TOO_LARGE = `Request entity too large: limit is ${OBJECT_LENGTH_MOST}`;
/** Characters of a map's key that a path shows. */
const KEY_MOST = 256;

/**
 * Decodes a value. Never throws; shares untyped parts (raw JSON) with the input, which it does not change. Of a value that
 * is larger than {@link OBJECT_LENGTH_MOST} this is the only error.
 */
export function decode<S extends TSchema>(schema: S, value: Json): Decoded<Static<S>> {
  const decoder = new Decoder();
  try {
    const decoded = decoder.decode(schema, value);
    return { value: decoded as Static<S>, errors: decoder.errors, unknown: decoder.unknown };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const errors = [{ path: '', text: TOO_LARGE, goText: TOO_LARGE }];
    return { value: new Decoder().decode(schema, null) as Static<S>, errors, unknown: [] };
  }
}

/** `spec.replicas: expected integer, got string` */
export function formatDecodeError(error: DecodeError): string {
  return error.path === '' ? error.text : `${error.path}: ${error.text}`;
}

class TooLarge extends Error {}

class Decoder {
  // Characters that the typed form takes at least as JSON.
  private length = 0;
  readonly errors: DecodeError[] = [];
  readonly unknown: string[] = [];
  // Members and indices from the root; the struct that holds the innermost member, for Go's text.
  private readonly path: (string | number | { key: string })[] = [];
  private struct = '';
  private keepsUnknown = false;

  decode(schema: TSchema, value: Json): Json {
    if (value === null) return this.zero(schema);
    switch (wiredOf(schema).wire) {
      case 'string':
        if (typeof value !== 'string') return this.mismatch(schema, 'string', value);
        this.length += value.length + 2;
        return wellFormed(value);
      case 'boolean':
        return typeof value === 'boolean' ? value : this.mismatch(schema, 'boolean', value);
      case 'int32':
        return isNumber(value) ? this.int32(schema, value) : this.mismatch(schema, 'integer', value);
      case 'int64':
        return isNumber(value) ? this.int64(schema, value) : this.mismatch(schema, 'integer', value);
      case 'intOrString':
        if (typeof value === 'string') return wellFormed(value);
        return isNumber(value) ? this.int32(schema, value) : this.mismatch(schema, 'integer or string', value, 'int32');
      case 'quantity':
        return this.quantity(schema, value);
      case 'time':
        return this.time(schema, value);
      case 'json':
        this.count(JSON.stringify(value).length);
        return value;
      case 'list':
        return Array.isArray(value) ? this.list(schema as ListSchema, value) : this.mismatch(schema, 'array', value);
      case 'map':
        return isObject(value)
          ? this.map(schema as unknown as MapSchema, value)
          : this.mismatch(schema, 'object', value);
      case 'struct':
        return isObject(value) ? this.members(schema as AnyStruct, value) : this.mismatch(schema, 'object', value);
    }
  }

  private members(schema: AnyStruct, value: JsonObject): JsonObject {
    const fields = schema.fields;
    const result: JsonObject = {};
    const outer = this.struct;
    this.struct = schema.goType;
    for (const name of Object.keys(value)) {
      this.path.push(name);
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) {
        if (this.unknown.length < TOLD_MOST) this.unknown.push(this.where());
        if (this.keepsUnknown) setMember(result, name, value[name] as Json);
      } else this.member(result, name, field, value[name] as Json);
      this.path.pop();
    }
    for (const name of requiredNames(schema)) {
      if (!Object.hasOwn(result, name)) result[name] = this.zero((fields[name] as Field).schema);
    }
    let length = 2;
    for (const name in result) length += name.length + 4;
    this.count(Math.max(length, leastLength(schema)));
    this.struct = outer;
    return result;
  }

  private member(result: JsonObject, name: string, field: Field, given: Json): void {
    const schema = field.schema;
    if (given === null) {
      // A null time is what Go writes for none; taking it away would only make patches longer.
      if (field.presence === 'nullable' && wiredOf(schema).wire === 'time') result[name] = null;
      return;
    }
    const outer = this.keepsUnknown;
    if (field.options.keepUnknown === true) this.keepsUnknown = true;
    const value = this.decode(schema, given);
    this.keepsUnknown = outer;
    if (value === null && wiredOf(schema).wire !== 'time') return;
    if (field.presence === 'optional' && isEmpty(value) && field.options.keepEmpty !== true) return;
    result[name] = value;
  }

  private count(length: number): void {
    this.length += length;
    if (this.length > OBJECT_LENGTH_MOST) throw new TooLarge();
  }

  private list(schema: ListSchema, value: Json[]): Json[] {
    this.count(2 * value.length);
    const result: Json[] = [];
    for (let i = 0; i < value.length; i++) {
      this.path.push(i);
      result.push(this.decode(schema.items, value[i] as Json));
      this.path.pop();
    }
    return result;
  }

  private map(schema: MapSchema, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.path.push({ key });
      this.count(key.length + 4);
      setMember(result, wellFormed(key), this.decode(schema.values, value[key] as Json));
      this.path.pop();
    }
    return result;
  }

  private int32(schema: TSchema, value: Json): Json {
    const number = exactInteger(value);
    const inRange = typeof number === 'number' && number >= -2147483648 && number <= 2147483647;
    return inRange ? number : this.outOfRange(schema, 'a 32-bit integer', value);
  }

  private int64(schema: TSchema, value: Json): Json {
    const number = exactInteger(value);
    return number === undefined ? this.outOfRange(schema, 'a 64-bit integer', value) : number;
  }

  private quantity(schema: TSchema, value: Json): Json {
    const given = typeof value === 'string' ? value.trim() : isNumber(value) ? numberText(value) : undefined;
    const canonical = given === undefined ? undefined : canonicalQuantity(given);
    if (canonical !== undefined) return canonical;
    return this.fail(schema, () => ({
      text: `expected a quantity such as 500m or 1Gi, got ${show(value)}`,
      goText: quantityFault(given ?? JSON.stringify(value)),
    }));
  }

  private time(schema: TSchema, value: Json): Json {
    if (typeof value !== 'string') return this.mismatch(schema, 'time as string', value, 'string');
    const time = canonicalTime(value, (schema as { precision?: string }).precision === 'micro');
    if (time !== undefined) return time;
    return this.fail(schema, () => ({
      text: `expected a time such as 2026-01-31T08:00:00Z, got ${show(value)}`,
      goText: timeFault(value),
    }));
  }

  private zero(schema: TSchema): Json {
    switch (wiredOf(schema).wire) {
      case 'string':
        return '';
      case 'boolean':
        return false;
      case 'int32':
      case 'int64':
      case 'intOrString':
        return 0;
      case 'quantity':
        return '0';
      case 'struct':
        return this.members(schema as AnyStruct, {});
      default:
        return null;
    }
  }

  private mismatch(schema: TSchema, expected: string, value: Json, goType = wiredOf(schema).goType): Json {
    return this.fail(schema, () => ({
      text: `expected ${expected}, got ${typeName(value)}`,
      goText: this.goText(goType, goTypeName(value)),
    }));
  }

  private outOfRange(schema: TSchema, expected: string, value: Json): Json {
    const { wire, goType } = wiredOf(schema);
    return this.fail(schema, () => {
      const digits = isNumber(value) ? numberText(value) : '';
      // A number that is or-string is read as a number first, so that its type is told.
      const goText = this.goText(wire === 'intOrString' ? 'int32' : goType, `number ${digits}`);
      return { text: `expected ${expected}, got ${digits}`, goText };
    });
  }

  private fail(schema: TSchema, tell: () => Omit<DecodeError, 'path'>): Json {
    if (this.errors.length < TOLD_MOST) this.errors.push({ path: this.where(), ...tell() });
    return this.zero(schema);
  }

  private goText(goType: string, got: string): string {
    const names = this.path.filter((segment) => typeof segment === 'string');
    if (names.length === 0) return `json: cannot unmarshal ${got} into Go value of type ${goType}`;
    const holder = this.struct.slice(this.struct.lastIndexOf('.') + 1);
    return `json: cannot unmarshal ${got} into Go struct field ${holder}.${names.join('.')} of type ${goType}`;
  }

  private where(): string {
    let text = '';
    for (const segment of this.path) {
      if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`;
      else text += typeof segment === 'number' ? `[${segment}]` : `[${shortened(segment.key)}]`;
    }
    return text;
  }
}

const leastLengths = new WeakMap<AnyStruct, number>();

// Characters that Go writes of a struct of which nothing is set.
function leastLength(schema: AnyStruct): number {
  let length = leastLengths.get(schema);
  if (length === undefined) {
    length = encode(schema, {}).length;
    leastLengths.set(schema, length);
  }
  return length;
}

const requiredNamesOf = new WeakMap<AnyStruct, readonly string[]>();

function requiredNames(schema: AnyStruct): readonly string[] {
  let names = requiredNamesOf.get(schema);
  if (names === undefined) {
    names = Object.entries(schema.fields)
      .filter(([, { presence, options }]) => presence === 'required' || options.filled === true)
      .map(([name]) => name);
    requiredNamesOf.set(schema, names);
  }
  return names;
}

// The integer that a number stands for: a safe integer, or the token itself up to 64 bits; undefined if it is none.
// Like Kubernetes, 1.0 and 1e3 are none.
function exactInteger(value: Json): Json | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0 : undefined;
  const digits = numberText(value as Int64);
  if (!/^-?\d{1,20}$/.test(digits)) return undefined;
  const integer = BigInt(digits);
  if (BigInt.asIntN(64, integer) !== integer) return undefined;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : value;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

// Go reads a lone surrogate as U+FFFD.
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

function typeName(value: Json): string {
  if (isNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function goTypeName(value: Json): string {
  const name = typeName(value);
  return name === 'boolean' ? 'bool' : name;
}

function shortened(key: string): string {
  return key.length > KEY_MOST ? `${key.slice(0, KEY_MOST)}...` : key;
}

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
