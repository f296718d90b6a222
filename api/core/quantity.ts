// Kubernetes resource quantities, exact: value = coefficient * 10^exponent, never finer than nano. Only what admission
// needs: reading, the canonical text, comparison, rounding up. (admission-overview 1.4, sidecarset 2 and 3)

/** How a quantity was written; it decides the suffix of the canonical text. */
type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** Immutable. `coefficient` has no factor 10 unless it is 0, then `exponent` is 0; `exponent` is at least -9. */
export type Quantity = { readonly coefficient: bigint; readonly exponent: number; readonly format: QuantityFormat };

// What API machinery says of texts that are no quantities.
const FORMAT_FAULT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_FAULT = "unable to parse quantity's suffix";
const NUMBER_FAULT = 'unable to parse numeric part of quantity';

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binarySuffixes: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const decimalSuffixOf: ReadonlyMap<number, string> = new Map([...decimalSuffixes].map(([s, e]) => [e, s]));
const binarySuffixNames = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const greatestBinary = 2n ** 63n - 1n;
const finest = -9;
const greatestExponent = 2 ** 31 - 1;

/**
 * Reads the text of a quantity; undefined if it is none. Values finer than nano are rounded away from zero; a value
 * with a binary suffix is capped at 2^63-1.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = split(text);
  if (parts === undefined) return undefined;
  const { sign, digits, fractionLength, base, exponent, format } = parts;
  const value = BigInt(`0${digits}`);
  const signed = sign === '-' ? -value : value;
  return base === 2
    ? makeBinary(signed << BigInt(exponent), -fractionLength)
    : make(signed, exponent - fractionLength, format);
}

/** Why a text is no quantity, in the words of the Go implementation. */
export function quantityFault(text: string): string {
  const suffix = /^[+-]?\d*(?:\.\d*)?([eEinumkKMGTP]*[+-]?\d*)$/.exec(text)?.[1];
  if (text === '' || suffix === undefined) return FORMAT_FAULT;
  return scaleOf(suffix) === undefined ? SUFFIX_FAULT : NUMBER_FAULT;
}

/** The canonical text: `1000m` -> `1`, `0.5` -> `500m`, `1024Mi` -> `1Gi`. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.coefficient === 0n) return '0';
  if (quantity.format === 'BinarySI' && quantity.exponent >= 0) {
    const value = wholeOf(quantity);
    if (value <= -1024n || value >= 1024n) return formatBinary(value);
  }
  return formatDecimal(quantity);
}

/**
 * The text that a quantity has once Kubernetes has read and written it, or undefined if it is none: canonical.
 * Compatibility: Kubernetes takes many a text for canonical that is not quite (`07Mi`, `+6m`, `1.500k`, `1E3`) and leaves
 * it as it is; hashes are made of these texts.
 */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : isTakenForCanonical(text) ? text : formatQuantity(quantity);
}

/** Negative, 0 or positive as a is less than, equal to or greater than b. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = signOf(a) - signOf(b);
  if (signs !== 0 || a.coefficient === 0n) return signs;
  // Numbers of different magnitude are told apart by their digits, so that 1e1000000 is never written out.
  const magnitudes = magnitude(a) - magnitude(b);
  if (magnitudes !== 0) return magnitudes * signOf(a);
  const low = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - low);
  const right = b.coefficient * 10n ** BigInt(b.exponent - low);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The least multiple of 1/1000 not nearer to zero. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  return isMilli(quantity) ? quantity : roundAway(quantity.coefficient, quantity.exponent, -3, quantity.format);
}

export function isZero(quantity: Quantity): boolean {
  return quantity.coefficient === 0n;
}

/** -1, 0 or 1. */
export function signOf(quantity: Quantity): number {
  return quantity.coefficient < 0n ? -1 : quantity.coefficient > 0n ? 1 : 0;
}

/** True for a whole number of thousandths. */
export function isMilli(quantity: Quantity): boolean {
  return quantity.exponent >= -3;
}

/** True if there is nothing after the decimal point. */
export function isWhole(quantity: Quantity): boolean {
  return quantity.exponent >= 0;
}

/** True if `quantity` is a whole multiple of `unit`; false for a zero unit. */
export function isMultipleOf(quantity: Quantity, unit: Quantity): boolean {
  if (isZero(unit)) return false;
  const low = Math.min(quantity.exponent, unit.exponent);
  if (quantity.exponent - low > 1000 || unit.exponent - low > 1000) return unit.exponent === low;
  const left = quantity.coefficient * 10n ** BigInt(quantity.exponent - low);
  return left % (unit.coefficient * 10n ** BigInt(unit.exponent - low)) === 0n;
}

type Parts = {
  sign: string;
  /** All digits, without leading zeros. */
  digits: string;
  fractionLength: number;
  base: 2 | 10;
  exponent: number;
  format: QuantityFormat;
};

function split(text: string): Parts | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]+[+-]?\d*)?$/.exec(text);
  if (text === '' || match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  // Kubernetes reads a suffix without digits as zero, unless it is too large or too small for its fast path.
  const isTooFar = scale.base === 2 ? scale.exponent >= 50 : scale.exponent < finest;
  if (whole === '' && fraction === '' && isTooFar) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  return { sign, digits, fractionLength: fraction.length, ...scale };
}

function scaleOf(suffix: string): Pick<Parts, 'base' | 'exponent' | 'format'> | undefined {
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const power = Number(/^[eE]([+-]?\d+)$/.exec(suffix)?.[1]);
  return Math.abs(power) <= greatestExponent ? { base: 10, exponent: power, format: 'DecimalExponent' } : undefined;
}

function isTakenForCanonical(text: string): boolean {
  const parts = split(text);
  if (parts === undefined || parts.digits === '') return false;
  const { digits, fractionLength, base, exponent } = parts;
  if (base === 2) {
    const fits = digits.length + Math.trunc((exponent * 3) / 10) <= 14;
    return fits && fractionLength === 0 && Number(digits) % 8 !== 0;
  }
  const scale = exponent - fractionLength;
  const isBelowOne = digits.length <= fractionLength;
  return digits.length <= 18 && scale >= finest && scale % 3 === 0 && !digits.endsWith('000') && !isBelowOne;
}

function make(coefficient: bigint, exponent: number, format: QuantityFormat): Quantity {
  if (coefficient === 0n) return { coefficient, exponent: 0, format };
  if (exponent < finest) return roundAway(coefficient, exponent, finest, format);
  if (coefficient % 10n !== 0n) return { coefficient, exponent, format };
  // Zeros are counted in the text: dividing a long number again and again would be quadratic.
  const text = coefficient.toString();
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return { coefficient: BigInt(text.slice(0, end)), exponent: exponent + text.length - end, format };
}

function makeBinary(coefficient: bigint, exponent: number): Quantity {
  const value = make(coefficient, exponent, 'BinarySI');
  const limit = make(greatestBinary, 0, 'BinarySI');
  if (compareQuantities(value, limit) > 0) return limit;
  const lowest = make(-greatestBinary, 0, 'BinarySI');
  return compareQuantities(value, lowest) < 0 ? lowest : value;
}

function roundAway(coefficient: bigint, exponent: number, to: number, format: QuantityFormat): Quantity {
  const sign = coefficient < 0n ? -1n : 1n;
  const positive = coefficient * sign;
  const digits = to - exponent;
  if (digits > positive.toString().length) return { coefficient: sign, exponent: to, format };
  const divisor = 10n ** BigInt(digits);
  return make(((positive + divisor - 1n) / divisor) * sign, to, format);
}

function magnitude(quantity: Quantity): number {
  const text = quantity.coefficient.toString();
  return text.length - (text.startsWith('-') ? 1 : 0) + quantity.exponent;
}

function wholeOf(quantity: Quantity): bigint {
  return quantity.coefficient * 10n ** BigInt(quantity.exponent);
}

function formatBinary(value: bigint): string {
  let rest = value;
  let power = 0;
  while (rest % 1024n === 0n && power < binarySuffixNames.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixNames[power]}`;
}

function formatDecimal(quantity: Quantity): string {
  const exponent = Math.floor(quantity.exponent / 3) * 3;
  const number = quantity.coefficient * 10n ** BigInt(quantity.exponent - exponent);
  if (quantity.format !== 'DecimalExponent') {
    const suffix = decimalSuffixOf.get(exponent);
    if (suffix !== undefined) return `${number}${suffix}`;
  }
  return exponent === 0 ? String(number) : `${number}e${exponent}`;
}
