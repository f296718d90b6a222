import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  annotationKey,
  configKey,
  dnsLabel,
  dnsSubdomain,
  envName,
  exceeds,
  headerName,
  labelValue,
  portName,
  qualifiedName,
  type TextRule,
} from '../../../../api/core/validation/names.ts';
import { descendingPath, ipAddress, unreservedPath } from '../../../../api/core/validation/paths.ts';

const x = (count: number) => 'x'.repeat(count);

const RIGHT: [string, TextRule, string[]][] = [
  ['a label', dnsLabel, ['a', 'a-b', '0', x(63)]],
  ['a subdomain', dnsSubdomain, ['a', 'a.b-c.d', '1.2', x(253)]],
  ['a qualified name', qualifiedName, ['A', 'a_b.c', 'example.com/A', `${x(253)}/${x(63)}`]],
  ['an annotation key', annotationKey, ['Example.COM/a', 'A']],
  ['a label value', labelValue, ['', 'A.b_c-d', x(63)]],
  ['a port name', portName, ['http', 'a-1', x(15)]],
  ['an environment name', envName, ['A', '_a.b-c', '.a']],
  ['a key', configKey, ['.a', 'a-b_c.D', x(253)]],
  ['a header', headerName, ['X-Y', '-']],
  ['a path', unreservedPath, ['', 'a/b', 'a/..b', 'a..']],
  [
    'an address',
    ipAddress,
    ['1.2.3.4', '010.0.0.1', '::', '::1', '1::', 'fe80::1:2', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'],
  ],
];
const WRONG: [string, TextRule, string[]][] = [
  ['a label', dnsLabel, ['', 'A', '-a', 'a-', 'a.b', 'a_b', x(64), 'ä', 'a\n']],
  ['a subdomain', dnsSubdomain, ['', 'a..b', '.a', 'a.', 'A', x(254)]],
  ['a qualified name', qualifiedName, ['', '/', '/a', 'a/', 'a/b/c', '-a', 'a b', 'A.com/a', x(64)]],
  ['an annotation key', annotationKey, ['', 'a b', '/x']],
  ['a label value', labelValue, ['-', 'a ', x(64), 'a/b']],
  ['a port name', portName, ['', '80', 'A', 'a--b', '-a', 'a-', x(16)]],
  ['an environment name', envName, ['', '1A', 'a b', '.', '..', '..a', 'a=b']],
  ['a key', configKey, ['', '.', '..', '..a', 'a/b', x(254)]],
  ['a header', headerName, ['', 'a b', 'ä']],
  ['a path', unreservedPath, ['/a', '..', 'a/../b', '..a']],
  [
    'an address',
    ipAddress,
    [
      '',
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '1:2',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7:8:9',
      '::1%eth0',
      '1.2.3.4::',
      '12345::',
      '1:2:3:4:5:6:7::8',
      ' ::1',
    ],
  ],
];

describe.each(RIGHT)('%s', (_what, rule, texts) => {
  test.each(texts)('may be %j', (text) => {
    expect(rule(text)).toEqual([]);
  });
});
describe.each(WRONG)('%s', (_what, rule, texts) => {
  test.each(texts)('may not be %j', (text) => {
    expect(rule(text)).not.toEqual([]);
  });
});

describe('a faulty text', () => {
  test('that is too long and malformed has both faults', () => {
    expect(dnsLabel(`${x(64)}_`)).toHaveLength(2);
    expect(qualifiedName(`A b/${x(64)}-`)).toHaveLength(3);
  });
  test('that would be right without its dots is told so', () => {
    expect(dnsLabel('a.b')).toEqual(['must not contain dots']);
  });
  test('with a step up is reported once for the step, and for what it starts with', () => {
    expect(descendingPath('/a/..')).toEqual(['must be a relative path', "must not contain '..'"]);
    expect(unreservedPath('../a')).toEqual(["must not contain '..'"]);
  });
});

describe('sizes', () => {
  test('count bytes, not characters', () => {
    expect(exceeds('é', 1)).toBe(true);
    expect(exceeds('é', 2)).toBe(false);
    expect(exceeds('😀', 3)).toBe(true);
  });
});

describe('no rule', () => {
  const rules = [...RIGHT, ...WRONG].map(([, rule]) => rule);
  test('throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...rules), (text, rule) => {
        expect(Array.isArray(rule(text))).toBe(true);
      }),
    );
  });
  test('takes long over a hostile text', () => {
    const hostile = [`${'a-'.repeat(100_000)}!`, `${'a.'.repeat(100_000)}!`, `${x(200_000)}_`, '..'.repeat(100_000)];
    const start = performance.now();
    for (const rule of rules) for (const text of hostile) rule(text);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
