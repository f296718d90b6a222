// Selectors as one text, as scales tell them.
import { expect, test } from 'vitest';
import { readSelectorText } from '../../../api/core/selector-text.ts';

test.each<[string, object[]]>([
  ['', []],
  ['app=web', [{ key: 'app', operator: 'In', values: ['web'] }]],
  ['app==web', [{ key: 'app', operator: 'In', values: ['web'] }]],
  ['app=', [{ key: 'app', operator: 'In', values: [''] }]],
  ['app!=web', [{ key: 'app', operator: 'NotIn', values: ['web'] }]],
  ['example.com/app', [{ key: 'example.com/app', operator: 'Exists' }]],
  ['!canary', [{ key: 'canary', operator: 'DoesNotExist' }]],
  ['tier in (a,b)', [{ key: 'tier', operator: 'In', values: ['a', 'b'] }]],
  ['tier notin ( a , b )', [{ key: 'tier', operator: 'NotIn', values: ['a', 'b'] }]],
  [
    ' app = web , tier in (a,b),! canary,in ',
    [
      { key: 'app', operator: 'In', values: ['web'] },
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'canary', operator: 'DoesNotExist' },
      { key: 'in', operator: 'Exists' },
    ],
  ],
])('%j', (text, matchExpressions) => {
  expect(readSelectorText(text)).toEqual({ matchExpressions });
});

test.each([
  '=',
  'a b',
  'a=b c',
  'a in b',
  'a in (b',
  '!',
  'a>1',
  ',a',
  'a,,b',
  '(',
  `a${' '.repeat(9000)}(`,
  'a'.repeat(10_001),
])('is none: %j', (text) => {
  expect(readSelectorText(text)).toBeUndefined();
});
