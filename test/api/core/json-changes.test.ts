import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalJson, type Json } from '../../../api/core/json.ts';
import { changesOf } from '../../../api/core/json-changes.ts';
import { anyJson } from '../../support/arbitraries.ts';

const told = (before: Json, after: Json): string[] => changesOf(before, after).map(({ op, path }) => `${op} ${path}`);
const nested = (name: string) => ({ name, resources: {} });

describe('the changes of a document', () => {
  test.each<[string, Json, Json, string[]]>([
    ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['a member too many', { a: 1, b: 2 }, { a: 1 }, ['remove /b']],
    ['a new member', { a: 1 }, { a: 1, 'b/c~': 2 }, ['add /b~1c~0']],
    ['another value', { a: { b: 1 } }, { a: { b: 2 } }, ['replace /a/b']],
    ['another type', { a: [1] }, { a: 1 }, ['replace /a']],
    ['null that becomes something', { a: null }, { a: 1 }, ['add /a']],
    ['something that becomes null', { a: 1 }, { a: null }, ['replace /a']],
    ['a scalar added in front', { a: ['x', 'y'] }, { a: ['z', 'x', 'y'] }, ['add /a/0']],
    ['a flat object added in front', { a: [{ n: 1 }] }, { a: [{ n: 2 }, { n: 1 }] }, ['add /a/0']],
    [
      'an object with members added in front, by index',
      { a: [nested('x')] },
      { a: [nested('y'), nested('x')] },
      ['add /a/1', 'replace /a/0/name'],
    ],
    [
      'an object with members removed in front, by index',
      { a: [nested('x'), nested('y')] },
      { a: [nested('y')] },
      ['remove /a/1', 'replace /a/0/name'],
    ],
  ])('by %s', (_what, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  test('are none if and only if both are equal', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(changesOf(a, structuredClone(a))).toEqual([]);
        expect(changesOf(a, b).length === 0).toBe(equalJson(a, b));
      }),
    );
  });
});
