// RFC 3339 times as meta/v1 reads and writes them.
import { quote } from './field-error.ts';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
// What Kubernetes itself writes, but for the last days of months and the zero time: most times look so.
const plainTime = /^(?!0001-01-01)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const zeroTime = '0001-01-01T00:00:00';

/**
 * The time as Kubernetes writes it: in UTC with whole seconds, or six digits of them if `micro`. Null for the zero time,
 * undefined for text that is no RFC 3339 time.
 */
export function canonicalTime(text: string, micro: boolean): string | null | undefined {
  if (!micro && plainTime.test(text)) return text;
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day)) return undefined;
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const utc = new Date(local.getTime() - offset * 60_000);
  if (utc.getUTCFullYear() < 0 || utc.getUTCFullYear() > 9999) return undefined;
  const seconds = utc.toISOString().slice(0, 19);
  if (seconds === zeroTime && /^0*$/.test(fraction)) return null;
  return micro ? `${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}Z` : `${seconds}Z`;
}

// The parts of the layout as Go's parser reads them: what each looks like, and the greatest value of a number.
const PARTS: readonly (readonly [layout: string, pattern: RegExp, number?: string, least?: number, most?: number])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, 'month', 1, 12],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/, 'hour', 0, 23],
  [':', /^:/],
  ['04', /^\d\d/, 'minute', 0, 59],
  [':', /^:/],
  ['05', /^\d\d(?:[.,]\d+)?/, 'second', 0, 59],
  ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/],
];

/** Why a text is no RFC 3339 time, in the words of the Go implementation. */
export function timeFault(text: string): string {
  const parsing = `parsing time ${quote(text)}`;
  let rest = text;
  for (const [layout, pattern, name, least = 0, most = 0] of PARTS) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) {
      return `${parsing} as "${PARTS.map(([one]) => one).join('')}": cannot parse ${quote(rest)} as ${quote(layout)}`;
    }
    rest = rest.slice(part.length);
    const number = Math.floor(Number.parseFloat(part));
    if (name !== undefined && (number < least || number > most)) return `${parsing}: ${name} out of range`;
  }
  return rest === '' ? `${parsing}: day out of range` : `${parsing}: extra text: ${quote(rest)}`;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
