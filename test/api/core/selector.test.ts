import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LabelSelector, LabelSelectorRequirement } from '../../../api/core/meta.ts';
import {
  isEmptySelector,
  matchesSelector,
  overlaps,
  overlapsLoosely,
  selectorFault,
} from '../../../api/core/selector.ts';

const labels = (matchLabels: Record<string, string>): LabelSelector => ({ matchLabels });
const where = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
});

describe('a selector matches labels', () => {
  test.each<[string, LabelSelector | undefined, Record<string, string>, boolean]>([
    ['none matches nothing', undefined, {}, false],
    ['an empty one matches everything', {}, { a: 'b' }, true],
    ['a label must be equal', labels({ a: 'b' }), { a: 'b', c: 'd' }, true],
    ['another value does not match', labels({ a: 'b' }), { a: 'c' }, false],
    ['In needs the label', where('a', 'In', 'b', 'c'), {}, false],
    ['In needs one of the values', where('a', 'In', 'b', 'c'), { a: 'c' }, true],
    ['NotIn matches absent labels', where('a', 'NotIn', 'b'), {}, true],
    ['NotIn excludes its values', where('a', 'NotIn', 'b'), { a: 'b' }, false],
    ['Exists needs the label', where('a', 'Exists'), { a: '' }, true],
    ['Exists does not match without', where('a', 'Exists'), { b: '' }, false],
    ['DoesNotExist needs its absence', where('a', 'DoesNotExist'), { b: '' }, true],
    ['an unknown operator matches nothing', where('a', 'Gt', '1'), { a: '2' }, false],
    ['names of object members are ordinary keys', labels({ constructor: 'x' }), {}, false],
    ['all requirements must hold', { ...labels({ a: 'b' }), ...where('c', 'Exists') }, { a: 'b' }, false],
  ])('%s', (_rule, selector, given, expected) => {
    expect(matchesSelector(selector, given)).toBe(expected);
  });

  test('empty is what has neither labels nor expressions', () => {
    expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
    expect(isEmptySelector(where('a', 'Exists'))).toBe(false);
  });
});

describe('a selector that cannot be used says why', () => {
  test.each<[LabelSelector, string | undefined]>([
    [labels({ a: 'b' }), undefined],
    [where('a', 'NotIn', 'b'), undefined],
    [where('a', 'Is'), '"Is" is not a valid label selector operator'],
    [where('a', 'In'), "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty"],
    [
      where('a', 'Exists', 'x'),
      'values: Invalid value: []string{"x"}: values set must be empty for exists and does not exist',
    ],
  ])('%j', (selector, fault) => {
    expect(selectorFault(selector)).toBe(fault);
  });

  test('keys and values are checked', () => {
    expect(selectorFault(labels({ 'bad key': 'x' }))).toMatch(/^key: Invalid value: "bad key": name part/);
    expect(selectorFault(labels({ a: '-x-' }))).toMatch(/^values\[0\]\[a\]: Invalid value: "-x-": a valid label/);
    expect(selectorFault({ matchExpressions: [{ key: 'a b', operator: 'In' }] })).toMatch(/^\[key: .*, values: /);
  });
});

describe('two selectors overlap', () => {
  test.each<[string, LabelSelector, LabelSelector, boolean]>([
    ['different keys', labels({ a: 'b' }), labels({ c: 'd' }), true],
    ['one key, two values', labels({ a: 'b' }), labels({ a: 'c' }), false],
    ['a value that the other excludes', labels({ a: 'b' }), where('a', 'NotIn', 'b'), false],
    ['a key that the other does not mention', labels({ a: 'b' }), where('c', 'Exists'), false],
    ['a value among several', labels({ a: 'b' }), where('a', 'In', 'b', 'c'), true],
    ['no common value', where('a', 'In', 'b'), where('a', 'In', 'c'), false],
    ['Exists on the pinned key', labels({ a: 'b' }), where('a', 'Exists'), true],
    ['absence of the pinned key', labels({ a: 'b' }), where('a', 'DoesNotExist'), false],
    ['not all values excluded', where('a', 'In', 'b', 'c'), where('a', 'NotIn', 'b'), true],
    ['two exclusions', where('a', 'NotIn', 'b'), where('a', 'NotIn', 'c'), true],
    ['two empty ones', {}, {}, true],
  ])('%s', (_case, a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected);
    expect(overlaps(b, a)).toBe(expected);
  });
});

describe('two selectors overlap by the loose test', () => {
  test.each<[string, LabelSelector, LabelSelector, boolean]>([
    ['different keys', labels({ a: 'b' }), labels({ c: 'd' }), false],
    ['In and NotIn with a value left', where('a', 'In', 'b', 'c'), where('a', 'NotIn', 'b'), true],
    ['In and NotIn with none left', where('a', 'In', 'b', 'c'), where('a', 'NotIn', 'b', 'c', 'e'), false],
    ['NotIn and DoesNotExist', where('a', 'NotIn', 'b'), where('a', 'DoesNotExist'), true],
    ['Exists and DoesNotExist', where('a', 'Exists'), where('a', 'DoesNotExist'), false],
    ['In and DoesNotExist', where('a', 'In', 'b'), where('a', 'DoesNotExist'), false],
    ['In and Exists', where('a', 'In', 'b'), where('a', 'Exists'), true],
    ['a key more on one side', labels({ a: 'b', c: 'd' }), labels({ a: 'b' }), false],
    ['labels win over expressions', { ...labels({ a: 'b' }), ...where('a', 'In', 'c') }, labels({ a: 'b' }), true],
  ])('%s', (_case, a, b, expected) => {
    expect(overlapsLoosely(a, b)).toBe(expected);
    expect(overlapsLoosely(b, a)).toBe(expected);
  });
});

describe('of selectors that name the same keys', () => {
  const keys = ['a', 'b'];
  const requirement = (key: string): fc.Arbitrary<LabelSelectorRequirement> =>
    fc.oneof(
      fc.record({
        key: fc.constant(key),
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ key: fc.constant(key), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
  const selector: fc.Arbitrary<LabelSelector> = fc
    .tuple(...keys.map(requirement))
    .map((matchExpressions) => ({ matchExpressions }));
  const given = fc
    .record({ a: fc.constantFrom('x', 'y', 'z', 'w'), b: fc.constantFrom('x', 'y', 'z', 'w') }, { requiredKeys: [] })
    .map((record) => record as Record<string, string>);

  test('two that match one pod overlap by the loose test', () => {
    fc.assert(
      fc.property(selector, selector, given, (a, b, pod) => {
        fc.pre(matchesSelector(a, pod) && matchesSelector(b, pod));
        expect(overlapsLoosely(a, b)).toBe(true);
      }),
    );
  });

  test('both tests do not depend on the order', () => {
    fc.assert(
      fc.property(selector, selector, (a, b) => {
        expect(overlaps(a, b)).toBe(overlaps(b, a));
        expect(overlapsLoosely(a, b)).toBe(overlapsLoosely(b, a));
      }),
    );
  });
});
