// Arbitrary JSON for properties: values that a schema of api/core accepts, as clients write them, and any JSON at all.
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { type AnyStruct, type Field, type ListSchema, type MapSchema, wiredOf } from '../../api/core/schema.ts';

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', 'a', 'web', 'log-agent', 'v1', 'x y', 'metadata.name') },
  { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('<&>', '"\\', '\u2028\u2029', '\b\f\n\r\t\u0001\u007f', 'é漢😀', '\ud800', '\uffff'),
  },
);
const key = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom('a', 'b', 'app', 'cpu', 'memory', 'example.com/x', '10', '9', 'é', '😀', '\uffee'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '<&>') },
);
const int32 = fc.oneof(
  fc.constantFrom(0, 1, -1, 80, 2147483647, -2147483648),
  fc.integer({ min: -2147483648, max: 2147483647 }),
);
const int64 = fc.oneof(int32, fc.maxSafeInteger());
const quantity = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '1000m',
    '0.5',
    '1024Mi',
    '100m',
    '1Gi',
    '1e3',
    '07Mi',
    '1.500k',
    '0.0000000001',
    '-5',
    ' 2 ',
  ),
  fc.integer({ min: 0, max: 5000 }),
  fc.tuple(fc.integer(), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'n', 'e2')).map(([n, suffix]) => `${n}${suffix}`),
);
const time = fc.constantFrom('2026-02-04T07:00:00Z', '2026-02-04T07:00:00+02:00', '2026-02-04T07:00:00.123456Z');

/** Values that decode with the schema without errors: members of structs come and go, some are unknown or null. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<Json> {
  switch (wiredOf(schema).wire) {
    case 'string':
      return word;
    case 'boolean':
      return fc.boolean();
    case 'int32':
      return int32;
    case 'int64':
      return int64;
    case 'intOrString':
      return fc.oneof(int32, word);
    case 'quantity':
      return quantity;
    case 'time':
      return (schema as { precision?: string }).precision === 'micro'
        ? fc.constant('2026-02-04T07:00:00.123456Z')
        : time;
    case 'json':
      return fc.constantFrom<Json>({ 'f:spec': { 'f:replicas': {} } }, { a: [1, 'x', null] });
    case 'list':
      return fc.array(arbitraryOf((schema as ListSchema).items), { maxLength: 2 });
    case 'map':
      return fc
        .array(fc.tuple(key, arbitraryOf((schema as unknown as MapSchema).values)), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries));
    case 'struct':
      return arbitraryStruct(schema as AnyStruct);
  }
}

// A struct has few of its members at a time, so that deep ones turn up without the value growing huge.
function arbitraryStruct(schema: AnyStruct): fc.Arbitrary<JsonObject> {
  const names = Object.keys(schema.fields);
  const always = names.filter((name) => schema.fields[name]?.presence === 'required');
  return fc
    .tuple(
      fc.subarray(names, { minLength: Math.min(1, names.length), maxLength: Math.min(5, names.length) }),
      fc.integer({ min: 0, max: 20 }),
    )
    .chain(([some, extra]) => {
      const members: { [name: string]: fc.Arbitrary<Json> } = {};
      for (const name of new Set([...some, ...(extra < 18 ? always : [])])) {
        const value = arbitraryOf((schema.fields[name] as Field).schema);
        members[name] = fc.oneof({ weight: 15, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
      }
      if (extra === 0) members.unknownMember = fc.constantFrom<Json>(1, {}, 'x');
      return fc.record(members);
    });
}

/** Any JSON, also with awkward keys and numbers. */
export const anyJson: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** A value of the schema in which one place may have been replaced by any JSON. */
export function nearlyOf(schema: TSchema): fc.Arbitrary<Json> {
  return fc
    .tuple(arbitraryOf(schema), fc.nat(), anyJson)
    .map(([value, place, replacement]) => replaceAt(value, place % (countPlaces(value) + 1), replacement));
}

function countPlaces(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((count, inner) => count + 1 + countPlaces(inner), 0);
}

function replaceAt(value: Json, place: number, replacement: Json): Json {
  if (place === 0) return replacement;
  if (typeof value !== 'object' || value === null) return value;
  let left = place - 1;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => {
    const size = 1 + countPlaces(inner);
    const changed = left >= 0 && left < size ? replaceAt(inner, left, replacement) : inner;
    left -= size;
    return [name, changed];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
