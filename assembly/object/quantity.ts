// Kubernetes resource quantities, exact: a whole number of nano units, with the way in which it was written.

import { Text } from '../json/text';
import { Writer } from '../json/writer';
import { Natural } from './natural';

/** How a quantity is written; it decides the suffix of the canonical text. */
export const enum Format {
  /** Of a zero that was never given: an addition takes the other's format. */
  None,
  DecimalSI,
  BinarySI,
  DecimalExponent,
}

/** Whole digits that a quantity may have; Kubernetes has no bound, and no use for more than 20. */
const WHOLE_DIGITS_MOST = 60;
/** Digits that are kept: with so many whole ones, what lies below can only round up. */
const DIGITS_MOST = 120;
const EXPONENT_MOST = 1000000;
const NANO_DIGITS = 9;
/** Letters for 10^-9, 10^-6 and so on; none for 10^0. */
const DECIMAL_SUFFIXES = 'num?kMGTPE';
/** Letters before `i` for 2^10, 2^20 and so on. */
const BINARY_SUFFIXES = 'KMGTPE';
/** All letters of suffixes, of exponents too. */
const SUFFIX_LETTERS = 'eEinumkKMGTP';
const FORMAT_FAULT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_FAULT = "unable to parse quantity's suffix";
const NO_SUFFIX = i32.MIN_VALUE;
const PLUS: u8 = 0x2b;
const MINUS: u8 = 0x2d;
const POINT: u8 = 0x2e;

/** A quantity never changes. */
export class Quantity {
  private constructor(
    readonly isNegative: bool,
    private readonly nanos: Natural,
    readonly format: Format,
  ) {}

  static zero(): Quantity {
    return new Quantity(false, new Natural(), Format.None);
  }

  /**
   * The quantity that a text means, or null if it is none. Blanks around it are ignored, as in JSON. What is finer
   * than nano rounds away from zero, and a value with a binary suffix is at most 2^63-1, as in Kubernetes; a value of
   * more than 60 whole digits is refused.
   */
  static parse(text: Text): Quantity | null {
    return new QuantityReader(trimmed(text)).read();
  }

  /** Why a text is no quantity, in the words of the Go implementation. */
  static fault(text: Text): string {
    return new QuantityReader(trimmed(text)).fault();
  }

  /** So many units, without their fraction; null beyond 60 digits or for what is no number. */
  static ofWhole(value: f64, format: Format): Quantity | null {
    return ofFloat(value, NANO_DIGITS, format);
  }

  /** So many thousandths, without their fraction; null beyond 60 digits or for what is no number. */
  static ofMilli(value: f64, format: Format): Quantity | null {
    return ofFloat(value, 6, format);
  }

  static of(negative: bool, nanos: Natural, format: Format): Quantity {
    return new Quantity(negative && !nanos.isZero, nanos, format);
  }

  get isZero(): bool {
    return this.nanos.isZero;
  }

  /** In the format of this quantity, or of the other if this one is zero. */
  add(other: Quantity): Quantity {
    const format = this.isZero ? other.format : this.format;
    if (this.isNegative == other.isNegative) {
      const sum = this.nanos.copy();
      sum.add(other.nanos);
      return Quantity.of(this.isNegative, sum, format);
    }
    const order = this.nanos.compare(other.nanos);
    const difference = order < 0 ? other.nanos.copy() : this.nanos.copy();
    difference.subtract(order < 0 ? this.nanos : other.nanos);
    return Quantity.of(order < 0 ? other.isNegative : this.isNegative, difference, format);
  }

  /** In the format of this quantity, or of the other if this one is zero. */
  subtract(other: Quantity): Quantity {
    return this.add(other.negated());
  }

  negated(): Quantity {
    return Quantity.of(!this.isNegative, this.nanos, this.format);
  }

  /** As Kubernetes reads a binary suffix: at most 2^63-1 either way, and below 1 the format is decimal. */
  bounded(): Quantity {
    const most = Natural.of(i64.MAX_VALUE);
    most.multiplyByPowerOf10(NANO_DIGITS);
    if (this.nanos.compare(most) > 0) {
      return Quantity.of(this.isNegative, most, this.format);
    }
    const isFraction = this.nanos.compare(Natural.of(1000000000)) < 0;
    return isFraction && !this.isZero ? Quantity.of(this.isNegative, this.nanos, Format.DecimalSI) : this;
  }

  /** By value: negative, zero or positive. */
  compare(other: Quantity): i32 {
    if (this.isNegative != other.isNegative) {
      return this.isNegative ? -1 : 1;
    }
    const order = this.nanos.compare(other.nanos);
    return this.isNegative ? -order : order;
  }

  /** Whole units, a fraction rounded away from zero; at most what 63 bits hold. */
  value(): i64 {
    return this.scaled(9);
  }

  /** Thousandths, a fraction of one rounded away from zero; at most what 63 bits hold. */
  milliValue(): i64 {
    return this.scaled(6);
  }

  private scaled(digits: i32): i64 {
    const whole = this.roundedUp(digits).toInteger();
    return this.isNegative ? -whole : whole;
  }

  /** The float nearest to the thousandths, a fraction of one first rounded away from zero. */
  milliFloat(): f64 {
    const float = this.roundedUp(6).toFloat(0, false);
    return this.isNegative ? -float : float;
  }

  private roundedUp(digits: i32): Natural {
    const whole = this.nanos.copy();
    if (whole.divideByPowerOf10(digits)) {
      whole.add(Natural.of(1));
    }
    return whole;
  }

  /** Writes the canonical text. Binary values below 1024 or with a fraction are written in decimal. */
  write(out: Writer): void {
    if (this.isZero) {
      out.byte(0x30);
      return;
    }
    if (this.isNegative) {
      out.byte(0x2d);
    }
    const number = this.nanos.copy();
    if (this.format == Format.BinarySI && !number.divideByPowerOf10(NANO_DIGITS)) {
      if (number.compare(Natural.of(1024)) >= 0) {
        writeBinary(number, out);
        return;
      }
    }
    writeDecimal(this.nanos.copy(), this.format, out);
  }

  /** The canonical text. */
  toText(): Text {
    const out = new Writer(24);
    this.write(out);
    return out.toText();
  }
}

function ofFloat(value: f64, digits: i32, format: Format): Quantity | null {
  if (!(abs(value) < 1e60)) {
    return null;
  }
  const nanos = Natural.ofFloat(abs(value));
  nanos.multiplyByPowerOf10(digits);
  return Quantity.of(value < 0, nanos, format);
}

function writeBinary(number: Natural, out: Writer): void {
  let power = 0;
  while (power < BINARY_SUFFIXES.length && (number.remainder(1024) & 1023) == 0) {
    number.divide(1024);
    power++;
  }
  number.write(out);
  if (power > 0) {
    out.byte(<u8>BINARY_SUFFIXES.charCodeAt(power - 1));
    out.byte(0x69);
  }
}

function writeDecimal(number: Natural, format: Format, out: Writer): void {
  let exponent = -NANO_DIGITS;
  while (number.remainder(1000) == 0) {
    number.divide(1000);
    exponent += 3;
  }
  number.write(out);
  if (exponent == 0) {
    return;
  }
  if (format == Format.DecimalExponent || exponent > 18) {
    out.byte(0x65);
    out.integer(exponent);
  } else {
    out.byte(<u8>DECIMAL_SUFFIXES.charCodeAt(exponent / 3 + 3));
  }
}

/** Reads one quantity: sign, digits with at most one point, suffix. Digits may be missing: `.` and `m` are 0. */
class QuantityReader {
  private at: i32 = 0;
  private digits: Natural = new Natural();
  private anyDigit: bool = false;
  private significant: i32 = 0;
  private wholeDigits: i32 = 0;
  /** Digits read behind the point: value = digits times 10 to the power of minus this. */
  private scale: i32 = 0;
  /** Whether digits other than zero were left out behind the last one kept. */
  private inexact: bool = false;

  constructor(private readonly text: Text) {}

  read(): Quantity | null {
    const sign = this.peek(0);
    if (sign == PLUS || sign == MINUS) {
      this.at++;
    }
    this.readDigits(false);
    if (this.peek(0) == POINT) {
      this.at++;
      this.readDigits(true);
    }
    const left = this.text.length - this.at;
    if (this.text.length == 0 || this.wholeDigits > WHOLE_DIGITS_MOST) {
      return null;
    }
    const letter = this.peek(0);
    if (left == 0) {
      return this.ofDecimal(sign == MINUS, 0, Format.DecimalSI);
    }
    if (left == 1) {
      const exponent = decimalExponent(letter);
      return exponent == NO_SUFFIX ? null : this.ofDecimal(sign == MINUS, exponent, Format.DecimalSI);
    }
    if (left == 2 && this.peek(1) == 0x69) {
      const place = indexOf(BINARY_SUFFIXES, letter);
      return place < 0 || (!this.anyDigit && place >= 4) ? null : this.ofBinary(sign == MINUS, place + 1);
    }
    const exponent = (letter | 0x20) == 0x65 ? this.readExponent() : NO_SUFFIX;
    // Compatibility: Kubernetes takes a bare suffix for 0, but not such small exponents, nor Pi and Ei.
    if (exponent == NO_SUFFIX || (!this.anyDigit && exponent < -NANO_DIGITS)) {
      return null;
    }
    return this.ofDecimal(sign == MINUS, exponent, Format.DecimalExponent);
  }

  fault(): string {
    if (this.peek(0) == PLUS || this.peek(0) == MINUS) {
      this.at++;
    }
    this.skipDigits();
    if (this.peek(0) == POINT) {
      this.at++;
      this.skipDigits();
    }
    const start = this.at;
    while (this.at < this.text.length && indexOf(SUFFIX_LETTERS, this.peek(0)) >= 0) {
      this.at++;
    }
    if (this.peek(0) == PLUS || this.peek(0) == MINUS) {
      this.at++;
    }
    this.skipDigits();
    return this.at > start && this.at == this.text.length ? SUFFIX_FAULT : FORMAT_FAULT;
  }

  private skipDigits(): void {
    while (this.at < this.text.length && this.peek(0) - 0x30 <= 9) {
      this.at++;
    }
  }

  private peek(ahead: i32): u8 {
    return this.at + ahead < this.text.length ? this.text.byteAt(this.at + ahead) : 0;
  }

  private readDigits(fraction: bool): void {
    for (; this.at < this.text.length; this.at++) {
      const digit = this.peek(0) - 0x30;
      if (digit > 9) {
        return;
      }
      this.anyDigit = true;
      if (this.significant == DIGITS_MOST) {
        this.inexact = this.inexact || digit != 0;
      } else {
        this.digits.multiplyAdd(10, digit);
        this.significant += this.digits.isZero ? 0 : 1;
        this.scale += fraction ? 1 : 0;
      }
      this.wholeDigits += fraction || this.digits.isZero ? 0 : 1;
    }
  }

  private readExponent(): i32 {
    const negative = this.peek(1) == MINUS;
    this.at += negative || this.peek(1) == PLUS ? 2 : 1;
    if (this.at == this.text.length) {
      return NO_SUFFIX;
    }
    let exponent = 0;
    for (; this.at < this.text.length; this.at++) {
      const digit = this.peek(0) - 0x30;
      if (digit > 9) {
        return NO_SUFFIX;
      }
      exponent = min(exponent * 10 + digit, EXPONENT_MOST);
    }
    return negative ? -exponent : exponent;
  }

  private ofDecimal(negative: bool, exponent: i32, format: Format): Quantity | null {
    const power = exponent - this.scale + NANO_DIGITS;
    if (this.significant + power > WHOLE_DIGITS_MOST + NANO_DIGITS) {
      return this.digits.isZero ? Quantity.of(false, this.digits, format) : null;
    }
    return this.rounded(negative, power, format);
  }

  private ofBinary(negative: bool, power: i32): Quantity {
    this.digits.shiftLeft(10 * power);
    const quantity = this.rounded(negative, NANO_DIGITS - this.scale, Format.BinarySI);
    return quantity.bounded();
  }

  /** The digits times 10 to the given power as nano units, rounded up. */
  private rounded(negative: bool, power: i32, format: Format): Quantity {
    let inexact = this.inexact;
    if (power >= 0) {
      this.digits.multiplyByPowerOf10(power);
    } else if (this.digits.divideByPowerOf10(-power)) {
      inexact = true;
    }
    if (inexact) {
      this.digits.add(Natural.of(1));
    }
    return Quantity.of(negative, this.digits, format);
  }
}

/** Exponent of ten of a suffix letter. */
function decimalExponent(letter: u8): i32 {
  const place = indexOf(DECIMAL_SUFFIXES, letter);
  return place < 0 ? NO_SUFFIX : (place - 3) * 3;
}

function indexOf(letters: string, letter: u8): i32 {
  for (let i = 0; i < letters.length; i++) {
    if (<u8>letters.charCodeAt(i) == letter) {
      return i;
    }
  }
  return -1;
}

function trimmed(text: Text): Text {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.byteAt(from))) {
    from++;
  }
  while (to > from && isBlank(text.byteAt(to - 1))) {
    to--;
  }
  return text.slice(from, to);
}

function isBlank(byte: u8): bool {
  return byte == 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
