// The language of schedules: five fields of cron, descriptors, `@every`, and a time zone in front (advancedcronjob 4.2).
// The texts of refusals are those that clients know.
import { quote } from '../../core/field-error.ts';
import { parseDuration } from './duration.ts';
import { timeZoneFault } from './time-zone.ts';

/** When to run. `timeZone` is undefined for the zone of the process; it does not matter for intervals. */
export type Schedule = IntervalSchedule | FieldSchedule;
export type IntervalSchedule = { everySeconds: number };
export type FieldSchedule = {
  timeZone: string | undefined;
  minute: ReadonlySet<number>;
  hour: ReadonlySet<number>;
  dayOfMonth: ReadonlySet<number>;
  month: ReadonlySet<number>;
  /** 0 is Sunday. */
  dayOfWeek: ReadonlySet<number>;
  /** A day must be in both sets of days; otherwise one is enough. */
  needsBothDays: boolean;
};

/** The fields in their order, with their bounds. */
const FIELDS = [
  { least: 0, greatest: 59 },
  { least: 0, greatest: 23 },
  { least: 1, greatest: 31 },
  { least: 1, greatest: 12, names: namesFrom(1, 'jan feb mar apr may jun jul aug sep oct nov dec') },
  { least: 0, greatest: 6, names: namesFrom(0, 'sun mon tue wed thu fri sat') },
] as const;
type Bounds = { least: number; greatest: number; names?: ReadonlyMap<string, number> };

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';
const SECOND = 1_000_000_000n;
/** No number of 64 bits has more. */
const DIGITS_MOST = 19;

// What Go counts as white space.
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const spaces = new RegExp(`${SPACE}+`);
const leadingSpaces = new RegExp(`^${SPACE}+`);
const space = new RegExp(SPACE);

/** The schedule that a text means, or why it means none. */
export function parseSchedule(text: string): Schedule | string {
  if (text === '') return 'empty spec string';
  if (!/^(?:CRON_)?TZ=/.test(text)) return parseBody(text, undefined);
  const blank = text.indexOf(' ');
  // Compatibility: without anything behind the zone, clients know the words of the failure that this once was.
  if (blank < 0) return 'invalid cron schedule: runtime error: slice bounds out of range [:-1]';
  const timeZone = text.slice(text.indexOf('=') + 1, blank);
  const fault = timeZoneFault(timeZone);
  if (fault !== undefined) return `provided bad location ${timeZone}: ${fault}`;
  return parseBody(withoutOuterSpaces(text.slice(blank)), timeZone);
}

// A pattern for the end would begin anew at every space.
function withoutOuterSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && space.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(leadingSpaces, '');
}

function parseBody(body: string, timeZone: string | undefined): Schedule | string {
  if (body.startsWith(EVERY)) return parseInterval(body);
  const fields = body.startsWith('@') ? DESCRIPTORS.get(body) : body;
  if (fields === undefined) return `unrecognized descriptor: ${body}`;
  return parseFields(fields, timeZone);
}

function parseInterval(body: string): IntervalSchedule | string {
  const duration = parseDuration(body.slice(EVERY.length));
  if (typeof duration === 'string') return `failed to parse duration ${body}: ${duration}`;
  return { everySeconds: duration < SECOND ? 1 : Number(duration / SECOND) };
}

function parseFields(text: string, timeZone: string | undefined): FieldSchedule | string {
  const given = text.split(spaces).filter((field) => field !== '');
  if (given.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${given.length}: [${given.join(' ')}]`;
  }
  const sets: FieldSet[] = [];
  for (const [index, bounds] of FIELDS.entries()) {
    const set = parseField(given[index] ?? '', bounds);
    if (typeof set === 'string') return set;
    sets.push(set);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = sets as [FieldSet, FieldSet, FieldSet, FieldSet, FieldSet];
  return {
    timeZone,
    minute: minute.values,
    hour: hour.values,
    dayOfMonth: dayOfMonth.values,
    month: month.values,
    dayOfWeek: dayOfWeek.values,
    needsBothDays: dayOfMonth.isStar || dayOfWeek.isStar,
  };
}

/** What a field allows; `isStar` if some item of it allows everything. */
type FieldSet = { values: Set<number>; isStar: boolean };

function parseField(text: string, bounds: Bounds): FieldSet | string {
  const set: FieldSet = { values: new Set(), isStar: false };
  const known = new Set<string>();
  for (const item of text.split(',')) {
    if (item === '' || known.has(item)) continue;
    known.add(item);
    const range = parseRange(item, bounds);
    if (typeof range === 'string') return range;
    for (let value = range.first; value <= range.last; value += range.step) set.values.add(value);
    set.isStar ||= range.isStar;
  }
  return set;
}

type Range = { first: number; last: number; step: number; isStar: boolean };

/** `*`, `5`, `1-5`, each with or without a step behind a slash. */
function parseRange(item: string, bounds: Bounds): Range | string {
  const [span = '', stepText, ...moreSlashes] = item.split('/');
  const range = parseSpan(span, item, bounds);
  if (typeof range === 'string') return range;
  if (stepText !== undefined) {
    if (moreSlashes.length > 0) return `too many slashes: ${item}`;
    const step = parseNumber(stepText);
    if (typeof step === 'string') return step;
    range.step = step;
    // A single value with a step goes on to the end.
    if (!span.includes('-')) range.last = bounds.greatest;
    if (step > 1) range.isStar = false;
  }
  const { first, last, step } = range;
  if (first < bounds.least) return `beginning of range (${first}) below minimum (${bounds.least}): ${item}`;
  if (last > bounds.greatest) return `end of range (${last}) above maximum (${bounds.greatest}): ${item}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${item}`;
  if (step === 0) return `step of range should be a positive number: ${item}`;
  return range;
}

function parseSpan(span: string, item: string, bounds: Bounds): Range | string {
  const [low = '', high, ...moreHyphens] = span.split('-');
  // Compatibility: what follows a star behind a hyphen does not matter.
  if (low === '*' || low === '?') return { first: bounds.least, last: bounds.greatest, step: 1, isStar: true };
  const first = parseValue(low, bounds);
  if (typeof first === 'string') return first;
  if (moreHyphens.length > 0) return `too many hyphens: ${item}`;
  const last = high === undefined ? first : parseValue(high, bounds);
  return typeof last === 'string' ? last : { first, last, step: 1, isStar: false };
}

function parseValue(text: string, { names }: Bounds): number | string {
  return names?.get(text.toLowerCase()) ?? parseNumber(text);
}

function parseNumber(text: string): number | string {
  const isNumber = /^[+-]?[0-9]+$/.test(text);
  const isLong = text.replace(/^[+-]?0*/, '').length > DIGITS_MOST;
  const number = isNumber && !isLong ? BigInt(text.replace(/^\+/, '')) : 0n;
  const reason = isNumber ? 'value out of range' : 'invalid syntax';
  if (!isNumber || isLong || BigInt.asIntN(64, number) !== number) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`;
  }
  return number < 0n ? `negative number (${number}) not allowed: ${text}` : Number(number);
}

function namesFrom(first: number, names: string): ReadonlyMap<string, number> {
  return new Map(names.split(' ').map((name, index) => [name, first + index]));
}
