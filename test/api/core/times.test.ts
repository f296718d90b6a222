import { expect, test } from 'vitest';
import { canonicalTime } from '../../../api/core/times.ts';

test.each([
  ['2026-02-04T07:00:00Z', '2026-02-04T07:00:00Z'],
  ['2026-02-04T07:00:00.123456789Z', '2026-02-04T07:00:00Z'],
  ['2026-02-04T07:00:00+02:00', '2026-02-04T05:00:00Z'],
  ['2026-02-04T07:00:00.5-11:30', '2026-02-04T18:30:00Z'],
  ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
  ['0001-01-01T01:00:00+01:00', null],
])('%s is written %s', (given, written) => {
  expect(canonicalTime(given, false)).toBe(written);
});

test('finer times keep six digits', () => {
  expect(canonicalTime('2026-02-04T07:00:00.5Z', true)).toBe('2026-02-04T07:00:00.500000Z');
  expect(canonicalTime('2026-02-04T07:00:00.1234567+01:00', true)).toBe('2026-02-04T06:00:00.123456Z');
});

test.each([
  '',
  'now',
  '2026-02-30T07:00:00Z',
  '2026-02-04T24:00:00Z',
  '2026-02-04T07:00:60Z',
  '2026-02-04 07:00:00Z',
  '2026-02-04T07:00:00',
])('%j is no time', (given) => {
  expect(canonicalTime(given, false)).toBeUndefined();
});
