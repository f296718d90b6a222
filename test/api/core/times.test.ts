import { expect, test } from 'vitest';
import { canonicalTime, timeFault } from '../../../api/core/times.ts';

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

const layout = '2006-01-02T15:04:05Z07:00';

test.each([
  ['yesterday', ` as "${layout}": cannot parse "yesterday" as "2006"`],
  ['', ` as "${layout}": cannot parse "" as "2006"`],
  ['2026-2-04T07:00:00Z', ` as "${layout}": cannot parse "2-04T07:00:00Z" as "01"`],
  ['2026-02-04 07:00:00Z', ` as "${layout}": cannot parse " 07:00:00Z" as "T"`],
  ['2026-02-04T07:00:00', ` as "${layout}": cannot parse "" as "Z07:00"`],
  ['2026-02-04T07:00:00+0200', ` as "${layout}": cannot parse "+0200" as "Z07:00"`],
  ['2026-13-04T07:00:00Z', ': month out of range'],
  ['2026-02-04T24:00:00Z', ': hour out of range'],
  ['2026-02-30T07:00:00Z', ': day out of range'],
  ['2026-02-04T07:00:00ZZ', ': extra text: "Z"'],
])('%j is told to be no time', (text, fault) => {
  expect(canonicalTime(text, false)).toBeUndefined();
  expect(timeFault(text)).toBe(`parsing time ${JSON.stringify(text)}${fault}`);
});
