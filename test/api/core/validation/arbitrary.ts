// Any value that a schema can hold, odd ones preferred: texts that break rules, numbers at the edges, long lists.
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { type Json, numberToken } from '../../../../api/core/json.ts';
import { type ListSchema, type MapSchema, type StructSchema, wiredOf } from '../../../../api/core/schema.ts';

const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'app',
    'A',
    'a/b',
    '..',
    '/a',
    'a b',
    '-',
    'In',
    'Exists',
    'Always',
    'TCP',
    'Localhost',
    'v1',
  ),
  fc.constantFrom(
    "metadata.labels['a']",
    "metadata.labels['",
    'x'.repeat(70),
    '__proto__',
    'constructor',
    '1.2.3.4',
    '::',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const integers = fc.oneof(fc.constantFrom(0, 1, -1, 80, 65536, 512, 2147483647), fc.integer());
const wide = fc.oneof(
  integers,
  fc.constantFrom<Json>(numberToken('9007199254740993'), numberToken('-9223372036854775808')),
);
const quantities = fc.constantFrom<Json>('1', '0', '-1', '500m', '1Gi', '1e1000000', '0.0000000001', 5, '1Ei');

/** Values of a schema as they come from a client. Structs miss members at random; nesting ends at `depth`. */
export function arbitraryOf(schema: TSchema, depth = 9): fc.Arbitrary<Json> {
  const wired = wiredOf(schema);
  switch (wired.wire) {
    case 'boolean':
      return fc.boolean();
    case 'int32':
      return integers;
    case 'int64':
      return wide;
    case 'intOrString':
      return fc.oneof(integers, texts, fc.constantFrom('5%', '-5%'));
    case 'quantity':
      return quantities;
    case 'time':
      return fc.constant('2026-01-01T00:00:00Z');
    case 'json':
      return fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as Json);
    case 'list':
      return fc.array(arbitraryOf((schema as unknown as ListSchema).items, depth - 1), { maxLength: 3 });
    case 'map':
      return fc.dictionary(texts, arbitraryOf((schema as unknown as MapSchema).values, depth - 1), { maxKeys: 3 });
    case 'struct':
      return structOf(schema as unknown as StructSchema, depth);
    default:
      return texts;
  }
}

function structOf({ fields }: StructSchema, depth: number): fc.Arbitrary<Json> {
  if (depth <= 0) return fc.constant({});
  const members = Object.entries(fields);
  // Of long structs some members at a time, so that values stay small and every member gets its turn.
  const most = Math.min(members.length, 8);
  return fc.subarray(members, { minLength: Math.floor(most / 2), maxLength: most }).chain((chosen) => {
    const values = chosen.map(([name, field]) => [name, fc.option(arbitraryOf(field.schema, depth - 1), { freq: 9 })]);
    return fc.record(Object.fromEntries(values)) as fc.Arbitrary<Json>;
  });
}
