// The vocabulary in which kinds are described: TypeBox schemas plus Kubernetes' own idioms. A struct lists its members in
// the order of the Go struct that others serialise, each with how Go writes it; decode.ts, encode.ts and the generator of
// CRDs read nothing else.

import type { TSchema } from 'typebox';
import Type, { type Static, type TArray, type TObject, type TOptional, type TRecord, type TUnsafe } from 'typebox';
import type { Int64, Json } from './json.ts';

/** How a value looks on the wire; every schema made here carries one. */
type Wire =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'intOrString'
  | 'quantity'
  | 'time'
  | 'json'
  | 'list'
  | 'map'
  | 'struct';

/**
 * How Go writes a member and what decoding does when it is absent:
 * - `required`  a value without omitempty: the zero value is written, and filled in by decoding
 * - `optional`  a value with omitempty: zero values ('', 0, false, empty list or map) are not written, and dropped by decoding
 * - `pointer`   omitted only when absent
 * - `always`    a struct, quantity or time that Go writes even when empty; decoding keeps it if given and adds nothing
 * - `nullable`  a list, map or pointer without omitempty: written as null when absent; decoding adds nothing
 */
type Presence = 'required' | 'optional' | 'pointer' | 'always' | 'nullable';

/** What only the CRD says about a member. */
export type FieldOptions = {
  /** Default that the API server fills in. */
  default?: Json;
  /** Whether the CRD lists it as required, where that does not follow from the presence. */
  required?: boolean;
  /** More OpenAPI keywords, e.g. `x-kubernetes-list-type`, `minimum`. */
  openApi?: { [keyword: string]: Json };
  /** The member exists in Go but not in the CRD (it is covered by preserved unknown members). */
  hidden?: boolean;
  /** The CRD says nothing about what is inside: unknown members are preserved. */
  schemaless?: boolean;
  /** Decoding keeps members inside that the schema does not know: those of a newer Kubernetes. */
  keepUnknown?: boolean;
  /** Decoding adds the value when it is absent, empty as Go writes it. */
  filled?: boolean;
  /** An empty list that was given stays one after decoding, though Go does not write it (its hash tells them apart). */
  keepEmpty?: boolean;
};
export type Field<S extends TSchema = TSchema, P extends Presence = Presence> = {
  schema: S;
  presence: P;
  doc: string;
  options: FieldOptions;
};
export type Fields = { [name: string]: Field };

/** Properties in TypeBox's terms: only `required` members are surely there in the decoded form. */
type PropertiesOf<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends Field<infer S, infer P> ? (P extends 'required' ? S : TOptional<S>) : never;
};
export type Wired = { wire: Wire; goType: string; openApi?: { [keyword: string]: Json } };
export type StructSchema<F extends Fields = Fields> = TObject<PropertiesOf<F>> & Wired & { wire: 'struct'; fields: F };
/** A struct of which nothing more is known. */
export type AnyStruct = TSchema & Wired & { wire: 'struct'; fields: Fields };
export type ListSchema<S extends TSchema = TSchema> = TArray<S> & Wired & { wire: 'list' };
export type MapSchema<S extends TSchema = TSchema> = TRecord<'^.*$', S> & Wired & { wire: 'map'; values: S };

export type { Static };

/** A string; `goType` is the named type, if any, for error texts. */
export function text(goType = 'string') {
  return Type.String({ wire: 'string', goType });
}

/** A string whose CRD lists the values. Decoding accepts any string: validation decides. */
export function choice(goType: string, ...values: readonly string[]) {
  return Type.String({ wire: 'string', goType, openApi: { enum: [...values] } });
}

export function boolean() {
  return Type.Boolean({ wire: 'boolean', goType: 'bool' });
}

export function int32() {
  return Type.Number({ type: 'integer', format: 'int32', wire: 'int32', goType: 'int32' });
}

/** A number up to 64 bits: beyond 2^53 it is a token (json.ts), so that no digit is lost. */
export function int64(): TUnsafe<Int64> {
  return Type.Unsafe<Int64>({ type: 'integer', format: 'int64', wire: 'int64', goType: 'int64' });
}

export function intOrString(): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({ wire: 'intOrString', goType: 'intstr.IntOrString' });
}

/** A resource quantity: string or number on the wire, canonical text once decoded. */
export function quantity(): TUnsafe<string> {
  return Type.Unsafe<string>({ wire: 'quantity', goType: 'resource.Quantity' });
}

/** RFC 3339 time in UTC, whole seconds; null is the zero time. `micro` keeps six digits. */
export function time(precision: 'seconds' | 'micro' = 'seconds'): TUnsafe<string | null> {
  const goType = precision === 'micro' ? 'v1.MicroTime' : 'v1.Time';
  return Type.Unsafe<string | null>({ type: 'string', format: 'date-time', wire: 'time', goType, precision });
}

/** Any JSON, kept as it is with all its members. */
export function anyJson(goType = 'runtime.RawExtension'): TUnsafe<Json> {
  return Type.Unsafe<Json>({ wire: 'json', goType });
}

export function list<S extends TSchema>(items: S, openApi: { [keyword: string]: Json } = {}): ListSchema<S> {
  const goType = `[]${goTypeOf(items)}`;
  return Type.Array(items, { wire: 'list', goType, openApi }) as ListSchema<S>;
}

/** A map with string keys; Go writes them sorted bytewise. */
export function map<S extends TSchema>(values: S, goType = `map[string]${goTypeOf(values)}`): MapSchema<S> {
  return Type.Record(Type.String(), values, { wire: 'map', goType, values }) as unknown as MapSchema<S>;
}

/** A struct. `goType` is its name with package, as error texts print it; the fields stand in Go's order. */
export function struct<F extends Fields>(
  goType: string,
  fields: F,
  openApi: { [keyword: string]: Json } = {},
): StructSchema<F> {
  const properties: { [name: string]: TSchema } = {};
  for (const [name, field] of Object.entries(fields)) {
    properties[name] = field.presence === 'required' ? field.schema : Type.Optional(field.schema);
  }
  return Type.Object(properties, { wire: 'struct', goType, fields, openApi }) as unknown as StructSchema<F>;
}

export function required<S extends TSchema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, 'required'> {
  return { schema, presence: 'required', doc, options };
}

export function optional<S extends TSchema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, 'optional'> {
  return { schema, presence: 'optional', doc, options };
}

export function pointer<S extends TSchema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, 'pointer'> {
  return { schema, presence: 'pointer', doc, options };
}

export function always<S extends TSchema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, 'always'> {
  return { schema, presence: 'always', doc, options };
}

export function nullable<S extends TSchema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, 'nullable'> {
  return { schema, presence: 'nullable', doc, options };
}

/** The same fields, left out of the CRD. */
export function hidden<F extends Fields>(fields: F): F {
  const entries = Object.entries(fields).map(([name, field]): [string, Field] => [
    name,
    { ...field, options: { ...field.options, hidden: true } },
  ]);
  return Object.fromEntries(entries) as F;
}

/** The wire description that the constructors above put on a schema. */
export function wiredOf(schema: TSchema): Wired {
  return schema as unknown as Wired;
}

function goTypeOf(schema: TSchema): string {
  return wiredOf(schema).goType;
}
