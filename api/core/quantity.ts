// Kubernetes resource quantities, exact: value = coefficient * 10^exponent, never finer than nano. Only what admission
// needs: reading, the canonical text, comparison, rounding up. (admission-overview 1.4, sidecarset 2 and 3)

/** How a quantity was written; it decides the suffix of the canonical text. */
type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * Immutable. `digits` is the coefficient in decimal, as a text, since nobody limits how long it is and texts cost no more
 * than their length. It has no zeros at either end; 0 is '' with exponent 0 and no sign. `exponent` is at least -9.
 */
export type Quantity = {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
  readonly format: QuantityFormat;
};

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
const greatestBinary = String(2n ** 63n - 1n);
const finest = -9;
const greatestExponent = 2 ** 31 - 1;
// So many places behind the point, and one more for all that follows, decide to which nano a multiple of 2^60 rounds.
const decisivePlaces = 70;

/**
 * Reads the text of a quantity; undefined if it is none. Values finer than nano are rounded away from zero; a value
 * with a binary suffix is capped at 2^63-1.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const parts = split(text);
  if (parts === undefined) return undefined;
  const { sign, digits, fractionLength, base, exponent, format } = parts;
  const isNegative = sign === '-';
  return base === 2
    ? makeBinary(isNegative, scaledBinary(digits, fractionLength, exponent))
    : make(isNegative, { digits, exponent: exponent - fractionLength }, format);
}

/** Why a text is no quantity, in the words of the Go implementation. */
export function quantityFault(text: string): string {
  // Two patterns: one for both would try every digit as the first of the suffix.
  const number = /^[+-]?\d*(?:\.\d*)?/.exec(text)?.[0] ?? '';
  const suffix = text.slice(number.length);
  if (text === '' || !/^[eEinumkKMGTP]*[+-]?\d*$/.test(suffix)) return FORMAT_FAULT;
  return scaleOf(suffix) === undefined ? SUFFIX_FAULT : NUMBER_FAULT;
}

/** The canonical text: `1000m` -> `1`, `0.5` -> `500m`, `1024Mi` -> `1Gi`. */
export function formatQuantity(quantity: Quantity): string {
  if (isZero(quantity)) return '0';
  if (quantity.format === 'BinarySI' && quantity.exponent >= 0) {
    // No more than 2^63.
    const value = BigInt(signed(quantity)) * 10n ** BigInt(quantity.exponent);
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
  if (signs !== 0 || (a.digits === b.digits && a.exponent === b.exponent)) return signs;
  // Numbers of different magnitude are told apart by their lengths, so that 1e1000000 is never written out; others by their
  // digits, of which neither ends in zeros.
  const magnitudes = magnitude(a) - magnitude(b);
  const order = magnitudes !== 0 ? magnitudes : a.digits < b.digits ? -1 : 1;
  return order * signOf(a);
}

/** The least multiple of 1/1000 not nearer to zero. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  return isMilli(quantity) ? quantity : make(quantity.isNegative, roundAway(quantity, -3), quantity.format);
}

export function isZero(quantity: Quantity): boolean {
  return quantity.digits === '';
}

/** -1, 0 or 1. */
export function signOf(quantity: Quantity): number {
  return isZero(quantity) ? 0 : quantity.isNegative ? -1 : 1;
}

/** True for a whole number of thousandths. */
export function isMilli(quantity: Quantity): boolean {
  return quantity.exponent >= -3;
}

/** True if there is nothing after the decimal point. */
export function isWhole(quantity: Quantity): boolean {
  return quantity.exponent >= 0;
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

/** A number without sign: digits * 10^exponent. Zeros may stand at both ends of the digits. */
type Magnitude = { readonly digits: string; readonly exponent: number };

function make(isNegative: boolean, given: Magnitude, format: QuantityFormat): Quantity {
  const number = withoutZeros(given);
  if (number.digits === '') return { isNegative: false, digits: '', exponent: 0, format };
  const { digits, exponent } = number.exponent < finest ? withoutZeros(roundAway(number, finest)) : number;
  return { isNegative, digits, exponent, format };
}

function makeBinary(isNegative: boolean, number: Magnitude): Quantity {
  const value = make(isNegative, number, 'BinarySI');
  const limit = make(isNegative, { digits: greatestBinary, exponent: 0 }, 'BinarySI');
  return compareQuantities(value, limit) * signOf(value) > 0 ? limit : value;
}

// digits * 10^-fractionLength * 2^power, exact or as good as that: what is beyond the cap stays so, and what is behind the
// decisive places counts as one more place.
function scaledBinary(digits: string, fractionLength: number, power: number): Magnitude {
  const wholeLength = digits.length - fractionLength;
  if (wholeLength > greatestBinary.length) return { digits: greatestBinary, exponent: 1 };
  const superfluous = fractionLength - decisivePlaces;
  if (superfluous <= 0) return times(digits, -fractionLength, power);
  const decisive = digits.slice(0, Math.max(0, digits.length - superfluous));
  const rest = digits.slice(decisive.length);
  return times(`${decisive}${/[1-9]/.test(rest) ? 1 : 0}`, -decisivePlaces - 1, power);
}

function times(digits: string, exponent: number, power: number): Magnitude {
  return { digits: String(BigInt(`0${digits}`) << BigInt(power)), exponent };
}

function withoutZeros({ digits, exponent }: Magnitude): Magnitude {
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return { digits: digits.slice(start, end), exponent: exponent + digits.length - end };
}

// Up to the next multiple of 10^to; the digits, which end in no zero, go on behind it.
function roundAway({ digits, exponent }: Magnitude, to: number): Magnitude {
  const kept = digits.slice(0, Math.max(0, digits.length - (to - exponent)));
  let carried = kept.length;
  while (carried > 0 && kept[carried - 1] === '9') carried--;
  const before = kept.slice(0, Math.max(0, carried - 1));
  const raised = Number(kept[carried - 1] ?? 0) + 1;
  return { digits: `${before}${raised}${'0'.repeat(kept.length - carried)}`, exponent: to };
}

function magnitude({ digits, exponent }: Quantity): number {
  return digits.length + exponent;
}

function signed({ isNegative, digits }: Quantity): string {
  return isNegative ? `-${digits}` : digits;
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
  const number = `${signed(quantity)}${'0'.repeat(quantity.exponent - exponent)}`;
  if (quantity.format !== 'DecimalExponent') {
    const suffix = decimalSuffixOf.get(exponent);
    if (suffix !== undefined) return `${number}${suffix}`;
  }
  return exponent === 0 ? number : `${number}e${exponent}`;
}
