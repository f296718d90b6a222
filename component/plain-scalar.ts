// What unquoted YAML text stands for, by the rules of YAML 1.1 that Go's reader keeps, and so kubectl: `0644` is octal,
// `yes` is a boolean, dates and `22:22` stay text.

import type { Json } from '../api/core/json.ts';
import { exactNumber } from './text-document.ts';

const TRUE_WORDS = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE_WORDS = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const KEYWORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, Json] => [word, null]),
  ...TRUE_WORDS.map((word): [string, Json] => [word, true]),
  ...FALSE_WORDS.map((word): [string, Json] => [word, false]),
]);

const INTEGER = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt\s])/;
const SEXAGESIMAL = /^[-+]?[\d_]+(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** The value of plain text; undefined for numbers that JSON lacks. Integers of 64 bits are exact. */
export function resolvePlain(text: string): Json | undefined {
  const keyword = KEYWORDS.get(text);
  if (keyword !== undefined) return keyword;
  if (!/^[-+.\d]/.test(text)) return text;
  if (NOT_FINITE.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  if (INTEGER.test(digits)) {
    const value = integerOf(digits);
    return value >= INT64_MIN && value <= UINT64_MAX ? exactNumber(value.toString()) : Number(value);
  }
  if (!FLOAT.test(digits)) return text;
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/** True if every YAML reader, old or new, takes the plain text for text. */
export function resolvesToText(text: string): boolean {
  return resolvePlain(text) === text && !DATE.test(text) && !SEXAGESIMAL.test(text) && text !== '=' && text !== '<<';
}

function integerOf(digits: string): bigint {
  const negative = digits.startsWith('-');
  const magnitude = digits.replace(/^[-+]/, '').replace(/^0(?=\d)/, '0o');
  return negative ? -BigInt(magnitude) : BigInt(magnitude);
}
