// Keys: none twice in an object, however they are written and however many there are; nesting up to its limit.

import { accepted, type JsonCase, refused } from './case.ts';

/** Names that are read by property access somewhere, and must be names like all others. */
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$ref', 'length', '0', '-', ' '];

/** Counts around the bounds of the check: pairs up to a handful, sorting beyond. */
const COUNTS = [2, 3, 8, 16, 22, 23, 24, 25, 26, 31, 32, 33, 47, 48, 49, 100, 1000];

/** Names equal in length, in their first and in their last eight bytes. */
function alike(i: number): string {
  return `aaaaaaaa${String(i).padStart(6, '0')}zzzzzzzz`;
}

function object(names: readonly string[]): string {
  return `{${names.map((name, i) => `${JSON.stringify(name)}:${i}`).join(',')}}`;
}

function range(count: number, name: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => name(i));
}

function nested(depth: number, before: string, inside: string, after: string): string {
  return before.repeat(depth) + inside + after.repeat(depth);
}

export const objects: readonly JsonCase[] = [
  accepted('an empty key', '{"":1}'),
  accepted('an empty key beside another', '{"":1,"a":2}'),
  accepted('keys that differ by case', '{"a":1,"A":2}'),
  accepted('keys that differ by a blank at the end', '{"a":1,"a ":2}'),
  accepted('keys that differ by an escaped NUL at the end', '{"a":1,"a\\u0000":2}'),
  accepted('an empty key and an escaped NUL', '{"":1,"\\u0000":2}'),
  accepted('keys of escaped NULs', '{"\\u0000":1,"\\u0000\\u0000":2}'),
  accepted('keys composed and decomposed', '{"\u00e9":1,"e\u0301":2}'),
  accepted('keys of which one begins the other', '{"abcdefgh":1,"abcdefghi":2,"abcdefg":3}'),
  accepted('the same key in two objects', '[{"a":1},{"a":1}]'),
  accepted('the same key in an object and in its value', '{"a":{"a":{"a":1}}}'),
  accepted('the same key behind a nested object', '{"a":{"b":1},"b":2}'),
  accepted('a key that is also a value', '{"a":"a","b":"a"}'),
  accepted('an escaped backslash is no escape', '{"\\\\u0061":1,"a":2}'),
  ...NAMES.map((name) => accepted(`the key ${JSON.stringify(name)}`, object([name, 'a']))),
  ...NAMES.map((name) => refused(`the key ${JSON.stringify(name)} twice`, object([name, name]), 'twice')),
  refused('a key twice with one value', '{"a":1,"a":1}', 'twice', 11),
  refused('a key twice with two values', '{"a":1,"a":2}', 'twice', 11),
  refused('a key twice, the second null', '{"a":1,"a":null}', 'twice'),
  refused('a key three times', '{"a":1,"a":2,"a":3}', 'twice'),
  refused('an empty key twice', '{"":1,"":2}', 'twice'),
  refused('a key twice with others between', '{"a":1,"b":2,"c":3,"a":4}', 'twice', 23),
  refused('a key twice, the other among blanks', '{"a":1, "a" : 2}', 'twice'),
  refused('a key twice, deep inside', '{"a":[0,{"b":{"c":1,"c":2}}]}', 'twice'),
  refused('a key twice, an object between', '{"a":{"b":1},"a":2}', 'twice'),
  refused('a key twice, one by an escape', '{"a":1,"\\u0061":2}', 'twice'),
  refused('a key twice, the first by an escape', '{"\\u0061":1,"a":2}', 'twice'),
  refused('a key twice, both by escapes', '{"\\u00e9":1,"\\u00E9":2}', 'twice'),
  refused('a key twice, one beyond ASCII by an escape', '{"\u00e9":1,"\\u00e9":2}', 'twice'),
  refused('a key twice, one by a pair of surrogates', '{"\u{1f600}":1,"\\ud83d\\ude00":2}', 'twice'),
  refused('a key twice, one by an escaped slash', '{"a/b":1,"a\\/b":2}', 'twice'),
  refused('a key twice, line feed in two ways', '{"\\n":1,"\\u000a":2}', 'twice'),
  refused('a key twice, quote in two ways', '{"\\"":1,"\\u0022":2}', 'twice'),
  refused('a key twice in the last object', '[{"a":1},{"a":1,"a":2}]', 'twice'),
  refused('a long key twice', object(['k'.repeat(5000), 'k'.repeat(5000)]), 'twice'),
  accepted('long keys that differ in the middle', object(range(20, (i) => `${'k'.repeat(500)}${i}${'k'.repeat(500)}`))),
  ...[1, 7, 8, 9, 15, 16, 17, 24].flatMap((length) => [
    accepted(`keys of ${length} bytes that differ in the first`, object(range(9, (i) => i + 'k'.repeat(length - 1)))),
    accepted(`keys of ${length} bytes that differ in the last`, object(range(9, (i) => 'k'.repeat(length - 1) + i))),
    refused(`keys of ${length} bytes twice`, object(['k'.repeat(length), 'z', 'k'.repeat(length)]), 'twice'),
  ]),
  ...COUNTS.flatMap((count) => [
    accepted(`${count} keys`, object(range(count, (i) => `k${i}`))),
    accepted(`${count} keys that look alike`, object(range(count, alike))),
    refused(`${count} keys, the last as the first`, object(range(count, (i) => `k${i % (count - 1)}`)), 'twice'),
    refused(`${count} keys, the last two equal`, object(range(count, (i) => `k${Math.min(i, count - 2)}`)), 'twice'),
    refused(`${count} keys, the first two equal`, object(range(count, (i) => `k${Math.max(i, 1)}`)), 'twice'),
    refused(
      `${count} keys that look alike, the last as the first`,
      object(range(count, (i) => alike(i % (count - 1)))),
      'twice',
    ),
    refused(
      `${count} keys, the first written with an escape at the end`,
      object(range(count - 1, (i) => `k${i}`)).replace(/\}$/u, ',"\\u006b0":0}'),
      'twice',
    ),
  ]),
  accepted('512 arrays', nested(512, '[', '', ']')),
  accepted('512 arrays around a value', nested(512, '[', '1', ']')),
  accepted('512 objects', nested(511, '{"a":', '{}', '}')),
  accepted('512 objects around a value', nested(512, '{"a":', '1', '}')),
  accepted('512 in turn', nested(256, '[{"a":', '1', '}]')),
  accepted('512 twice side by side', `[${nested(511, '[', '', ']')},${nested(511, '[', '', ']')}]`),
  accepted('512 brackets inside of a string', `"${'['.repeat(5000)}"`),
  refused('513 arrays', nested(513, '[', '', ']'), 'depth', 512),
  refused('513 objects', nested(512, '{"a":', '{}', '}'), 'depth', 512 * 5),
  refused('513 in turn', nested(256, '[{"a":', '[]', '}]'), 'depth', 256 * 6),
  refused('513 beside 512', `[${nested(511, '[', '', ']')},${nested(512, '[', '', ']')}]`, 'depth'),
  refused('100,000 arrays', nested(100_000, '[', '', ']'), 'depth', 512),
  refused('100,000 objects', nested(100_000, '{"a":', '1', '}'), 'depth', 512 * 5),
  refused('100,000 brackets never closed', '['.repeat(100_000), 'depth', 512),
  refused('512 brackets never closed', '['.repeat(512), 'end', 512),
  refused('512 brackets, one not closed', '['.repeat(512) + ']'.repeat(511), 'end', 1023),
  refused('512 brackets, one closed twice', '['.repeat(512) + ']'.repeat(513), 'trailing', 1024),
];
