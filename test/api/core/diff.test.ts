import fc from 'fast-check';
import { applyPatch, type Operation as Rfc6902Operation } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import { diff } from '../../../api/core/diff.ts';
import { cloneJson, equalJson, type Json, numberToken, parseJson } from '../../../api/core/json.ts';
import { applyPatch as applyOurs } from '../../../api/core/patch.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { anyJson, nearlyOf } from '../../support/arbitraries.ts';

// Applied by another implementation than ours. It cannot replace the whole document, so the value is put into one; and it
// loses members called __proto__, so those are left to ours.
function patched(before: Json, after: Json): Json {
  const document = cloneJson({ root: before });
  const operations = diff({ root: before }, { root: after });
  if (JSON.stringify([before, after]).includes('__proto__')) return applyOurs(before, diff(before, after));
  const failures = applyPatch(document, cloneJson(operations as unknown as Json) as unknown as Rfc6902Operation[]);
  expect(failures.filter((failure) => failure !== null)).toEqual([]);
  return document.root;
}

describe('the patch from one value to another', () => {
  test('leads there, for any two values', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (before, after) => {
        expect(equalJson(patched(before, after), after)).toBe(true);
        expect(equalJson(applyOurs(before, diff(before, after)), after)).toBe(true);
      }),
    );
  });

  test('leads there, for two that differ little', () => {
    const pair = nearlyOf(PodTemplateSpec).chain((before) =>
      fc.tuple(fc.constant(before), fc.oneof(fc.constant(before), nearlyOf(PodTemplateSpec))),
    );
    fc.assert(fc.property(pair, ([before, after]) => equalJson(patched(before, after), after)));
  });

  test('leads there, for lists that were shuffled, shortened and lengthened', () => {
    const element = fc.oneof(fc.nat({ max: 5 }), fc.record({ name: fc.constantFrom('a', 'b', 'c') }));
    const elements = fc.array<Json>(element, { maxLength: 8 });
    fc.assert(fc.property(elements, elements, (before, after) => equalJson(patched(before, after), after)));
  });

  test('is empty for equal values', () => {
    fc.assert(fc.property(anyJson, (value) => diff(value, cloneJson(value)).length === 0));
  });
});

describe('the patch says only what changes', () => {
  test.each<[string, Json, Json, Json]>([
    ['an added member', { a: 1 }, { a: 1, b: {} }, [{ op: 'add', path: '/b', value: {} }]],
    ['a removed member', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    [
      'a deep change',
      { a: { b: [{ c: 1 }] } },
      { a: { b: [{ c: 2 }] } },
      [{ op: 'replace', path: '/a/b/0/c', value: 2 }],
    ],
    ['another kind of value', { a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
    ['an element in front', ['b', 'c'], ['a', 'b', 'c'], [{ op: 'add', path: '/0', value: 'a' }]],
    ['an element at the end', ['a'], ['a', 'b'], [{ op: 'add', path: '/1', value: 'b' }]],
    ['an element less', ['a', 'b', 'c'], ['a', 'c'], [{ op: 'remove', path: '/1' }]],
    [
      'scattered elements less',
      ['a', 'b', 'c', 'd', 'e'],
      ['b', 'd'],
      [
        { op: 'remove', path: '/0' },
        { op: 'remove', path: '/1' },
        { op: 'remove', path: '/2' },
      ],
    ],
    [
      'keys with a slash and a tilde',
      { 'a/b': 1, 'm~n': 2 },
      { 'a/b': 2 },
      [
        { op: 'replace', path: '/a~1b', value: 2 },
        { op: 'remove', path: '/m~0n' },
      ],
    ],
    ['null that goes', { a: null }, {}, [{ op: 'remove', path: '/a' }]],
    ['the whole value', 1, 'a', [{ op: 'replace', path: '', value: 'a' }]],
  ])('%s', (_what, before, after, operations) => {
    expect(diff(before, after)).toEqual(operations);
  });

  test('numbers beyond 2^53 are told apart and written out in full', () => {
    const before = parseJson('{"a":9007199254740993,"b":1.0}');
    expect(diff(before, { a: numberToken('9007199254740993'), b: numberToken('1.0') })).toEqual([]);
    const operations = diff(before, { a: numberToken('9007199254740995'), b: numberToken('1.0') });
    expect(JSON.stringify(operations)).toBe('[{"op":"replace","path":"/a","value":9007199254740995}]');
  });

  test('long lists stay quick', () => {
    const before = Array.from({ length: 20_000 }, (_, i) => ({ name: `n${i}` }));
    const after = before.filter((_, i) => i % 2 === 0);
    const started = performance.now();
    expect(equalJson(patched(before, after), after)).toBe(true);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
