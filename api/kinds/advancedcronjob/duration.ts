// Durations as Go writes them: `1h30m`, `1.5s`, `-2ms`.
import { quote } from '../../core/field-error.ts';

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const GREATEST = 2n ** 63n - 1n;

/** Nanoseconds, or why the text is no duration, in the words that clients know. */
export function parseDuration(text: string): bigint | string {
  const invalid = `time: invalid duration ${quote(text)}`;
  const isNegative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') return invalid;
  let total = 0n;
  while (rest !== '') {
    const [amount = '', whole = '', fraction = ''] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
    if (whole === '' && fraction === '') return invalid;
    rest = rest.slice(amount.length);
    const unit = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (unit === '') return `time: missing unit in duration ${quote(text)}`;
    const nanoseconds = NANOSECONDS.get(unit);
    if (nanoseconds === undefined) return `time: unknown unit ${quote(unit)} in duration ${quote(text)}`;
    rest = rest.slice(unit.length);
    // More digits than these can only be too many.
    if (whole.replace(/^0+/, '').length > 19) return invalid;
    const digits = fraction.slice(0, 18);
    total += BigInt(whole || '0') * nanoseconds;
    total += (BigInt(digits || '0') * nanoseconds) / 10n ** BigInt(digits.length);
    if (total > (isNegative ? GREATEST + 1n : GREATEST)) return invalid;
  }
  return isNegative ? -total : total;
}
