// The language of schedules: what is read, and what is refused in which words (advancedcronjob 4.2, acceptance 7 and 8).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../../api/kinds/advancedcronjob/schedule.ts';

type Fields = Exclude<ReturnType<typeof parseSchedule>, string | { everySeconds: number }>;

function fields(text: string): Fields {
  const parsed = parseSchedule(text);
  if (typeof parsed === 'string' || 'everySeconds' in parsed) throw new Error(`${text}: ${JSON.stringify(parsed)}`);
  return parsed;
}

const sorted = (set: ReadonlySet<number>) => [...set].toSorted((a, b) => a - b);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('a field allows', () => {
  test.each<[string, number[]]>([
    ['*', range(0, 59)],
    ['?', range(0, 59)],
    ['5', [5]],
    ['+5', [5]],
    ['05', [5]],
    ['5-8', [5, 6, 7, 8]],
    ['5-5', [5]],
    ['*/20', [0, 20, 40]],
    ['5/20', [5, 25, 45]],
    ['5-30/10', [5, 15, 25]],
    ['50/99', [50]],
    ['1,2,30-31', [1, 2, 30, 31]],
    ['1,,2', [1, 2]],
    [',', []],
    ['*-7', range(0, 59)],
    ['?-what/30', [0, 30]],
  ])('with %s', (text, minutes) => {
    expect(sorted(fields(`${text} * * * *`).minute)).toEqual(minutes);
  });

  test('names of months and days, in any case', () => {
    const { month, dayOfWeek } = fields('0 0 * JAN-mar,Dec sun,MON-wed');
    expect(sorted(month)).toEqual([1, 2, 3, 12]);
    expect(sorted(dayOfWeek)).toEqual([0, 1, 2, 3]);
  });
});

describe('both days must match', () => {
  test.each<[string, boolean]>([
    ['0 0 ? * sun', true],
    ['0 0 13 * *', true],
    ['0 0 13 * fri', false],
    ['0 0 */2 * mon', false],
    ['0 0 */1 * mon', true],
    ['0 0 */2,* * mon', true],
    ['0 0 13 * */2', false],
  ])('with %s: %s', (text, needsBothDays) => {
    expect(fields(text).needsBothDays).toBe(needsBothDays);
  });
});

describe('a time zone in front', () => {
  test.each<[string, string | undefined]>([
    ['0 9 * * *', undefined],
    ['TZ=Asia/Tokyo 0 9 * * *', 'Asia/Tokyo'],
    ['CRON_TZ=Europe/Kyiv 0 9 * * *', 'Europe/Kyiv'],
    ['TZ= 0 9 * * *', ''],
    ['TZ=UTC   @daily  ', 'UTC'],
    ['TZ=Local 0 9 * * *', 'Local'],
  ])('of %j', (text, timeZone) => {
    expect(fields(text).timeZone).toBe(timeZone);
  });
});

test.each<[string, string]>([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])('%s is %s', (descriptor, text) => {
  expect(parseSchedule(descriptor)).toEqual(parseSchedule(text));
});

describe('an interval', () => {
  test.each<[string, number]>([
    ['@every 5m', 300],
    ['@every 1h30m', 5400],
    ['@every 90s', 90],
    ['@every 1500ms', 1],
    ['@every 1.9s', 1],
    ['@every .5h', 1800],
    ['@every 2.h', 7200],
    ['@every 10ns', 1],
    ['@every -1h', 1],
    ['@every 0', 1],
    ['@every +1m1us1µs1μs', 60],
    ['TZ=Asia/Tokyo @every 2s', 2],
    ['@every 2540400h', 9145440000],
  ])('of %j has %d seconds', (text, everySeconds) => {
    expect(parseSchedule(text)).toEqual({ everySeconds });
  });
});

describe('refused is', () => {
  test.each<[string, string]>([
    ['', 'empty spec string'],
    [' ', 'expected exactly 5 fields, found 0: []'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * 32 * *', 'end of range (32) above maximum (31): 32'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['0 0 * * 7', 'end of range (7) above maximum (6): 7'],
    ['0 0 * * mon-fry', 'failed to parse int from fry: strconv.Atoi: parsing "fry": invalid syntax'],
    ['0 0 jan * *', 'failed to parse int from jan: strconv.Atoi: parsing "jan": invalid syntax'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['60/2 * * * *', 'beginning of range (60) beyond end of range (59): 60/2'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['*/-2 * * * *', 'negative number (-2) not allowed: -2'],
    ['*/ * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['1.5 * * * *', 'failed to parse int from 1.5: strconv.Atoi: parsing "1.5": invalid syntax'],
    [
      '99999999999999999999 * * * *',
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@Daily', 'unrecognized descriptor: @Daily'],
    ['@daily ', 'unrecognized descriptor: @daily '],
    ['@every', 'unrecognized descriptor: @every'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 5d', 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
    ['@every ', 'failed to parse duration @every : time: invalid duration ""'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['@every 1h.', 'failed to parse duration @every 1h.: time: invalid duration "1h."'],
    ['@every 2562048h', 'failed to parse duration @every 2562048h: time: invalid duration "2562048h"'],
    ['TZ=UTC', 'invalid cron schedule: runtime error: slice bounds out of range [:-1]'],
    ['TZ=UTC ', 'expected exactly 5 fields, found 0: []'],
    ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
    ['TZ=asia/tokyo * * * * *', 'provided bad location asia/tokyo: unknown time zone asia/tokyo'],
    ['TZ=+09:00 * * * * *', 'provided bad location +09:00: unknown time zone +09:00'],
    ['TZ=../etc * * * * *', 'provided bad location ../etc: time: invalid location name'],
    ['TZ=/UTC * * * * *', 'provided bad location /UTC: time: invalid location name'],
    ['tz=UTC * * * * *', 'expected exactly 5 fields, found 6: [tz=UTC * * * * *]'],
  ])('%j', (text, reason) => {
    expect(parseSchedule(text)).toBe(reason);
  });
});

test('what is built of items that are allowed allows just those', () => {
  const item = fc.oneof(
    fc.integer({ min: 0, max: 59 }).map((n) => ({ text: `${n}`, values: [n] })),
    fc
      .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 1, max: 70 }))
      .map(([a, b, step]) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        return { text: `${low}-${high}/${step}`, values: range(low, high).filter((n) => (n - low) % step === 0) };
      }),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
      const minutes = new Set(items.flatMap(({ values }) => values));
      const text = items.map((one) => one.text).join(',');
      expect(sorted(fields(`${text} * * * *`).minute)).toEqual(sorted(minutes));
    }),
  );
});

test('any text has an answer', () => {
  const piece = fc.constantFrom(
    '*',
    '?',
    '-',
    '/',
    ',',
    ' ',
    '\t',
    '@every ',
    'TZ=',
    'UTC',
    '5',
    '99',
    'h',
    '.',
    'mon',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (one) => {
      const parsed = parseSchedule(one);
      if (typeof parsed === 'string') expect(parsed).not.toBe('');
      else if ('everySeconds' in parsed) expect(parsed.everySeconds).toBeGreaterThanOrEqual(1);
      else expect(Math.max(...parsed.minute, 0)).toBeLessThan(60);
    }),
  );
});

test('a text of many items is read in no time', () => {
  const text = `${Array.from({ length: 50_000 }, (_, i) => i % 60).join(',')} * * * *`;
  const start = performance.now();
  expect(fields(text).minute.size).toBe(60);
  expect(performance.now() - start).toBeLessThan(2000);
});
