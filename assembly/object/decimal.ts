// Decimal literals to floats, correctly rounded.

import { Text } from '../json/text';
import { Natural } from './natural';

/** More digits than this cannot move the result, only whether there are any. */
const DIGITS_MOST = 800;
/** Exponents are read up to here: far beyond what any float has. */
const EXPONENT_MOST = 100000;
/** Floats hold whole numbers up to 2^53 and powers of ten up to 10^22 exactly. */
const EXACT_MOST: u64 = 1 << 53;
const EXACT_POWER = 22;
const FIVES: u32 = 1220703125;
const FIVES_COUNT = 13;

/**
 * The float nearest to a literal of digits, at most one point and an optional exponent, without sign. NaN if the text
 * is no such literal, infinite if it is out of range.
 */
export function parseDecimal(text: Text): f64 {
  const literal = new Literal();
  return literal.read(text) ? literal.toFloat() : NaN;
}

/** A literal taken apart: value = digits (and a little more, if `inexact`) times 10 to the power of `exponent`. */
class Literal {
  digits: Natural = new Natural();
  private count: i32 = 0;
  private small: u64 = 0;
  private exponent: i32 = 0;
  private inexact: bool = false;

  read(text: Text): bool {
    let at = 0;
    let any = false;
    let point = false;
    for (; at < text.length; at++) {
      const byte = text.byteAt(at);
      if (byte == 0x2e && !point) {
        point = true;
      } else if (isDigit(byte)) {
        any = true;
        this.digit(byte - 0x30, point);
      } else {
        break;
      }
    }
    return any && (at == text.length || this.readExponent(text, at));
  }

  private digit(value: u32, fraction: bool): void {
    if (this.count >= DIGITS_MOST) {
      this.inexact = this.inexact || value != 0;
      this.exponent += fraction ? 0 : 1;
      return;
    }
    this.exponent -= fraction ? 1 : 0;
    if (this.count == 0 && value == 0) {
      return;
    }
    this.count++;
    if (this.count <= 19) {
      this.small = this.small * 10 + value;
    }
    if (this.count == 19) {
      this.digits = Natural.of(this.small);
    } else if (this.count > 19) {
      this.digits.multiplyAdd(10, value);
    }
  }

  private readExponent(text: Text, from: i32): bool {
    let at = from;
    if ((text.byteAt(at) | 0x20) != 0x65) {
      return false;
    }
    at++;
    let negative = false;
    if (at < text.length && (text.byteAt(at) == 0x2b || text.byteAt(at) == 0x2d)) {
      negative = text.byteAt(at) == 0x2d;
      at++;
    }
    if (at == text.length) {
      return false;
    }
    let value = 0;
    for (; at < text.length; at++) {
      const byte = text.byteAt(at);
      if (!isDigit(byte)) {
        return false;
      }
      value = min(value * 10 + (byte - 0x30), EXPONENT_MOST);
    }
    this.exponent += negative ? -value : value;
    return true;
  }

  toFloat(): f64 {
    if (this.count == 0) {
      return 0;
    }
    if (this.count <= 19) {
      if (this.small <= EXACT_MOST && abs(this.exponent) <= EXACT_POWER) {
        const power = exactPowerOf10(abs(this.exponent));
        return this.exponent < 0 ? <f64>this.small / power : <f64>this.small * power;
      }
      this.digits = Natural.of(this.small);
    }
    const magnitude = this.count + this.exponent;
    if (magnitude > 310) {
      return Infinity;
    }
    if (magnitude < -330) {
      return 0;
    }
    if (this.exponent >= 0) {
      this.digits.multiplyByPowerOf10(this.exponent);
      return this.digits.toFloat(0, this.inexact);
    }
    // Shifted so far that the quotient keeps at least 66 bits, more than a float and its rounding need.
    const power = -this.exponent;
    const shift = max(0, 66 + ((power * 2322) / 1000 + 1) - this.digits.bitLength);
    this.digits.shiftLeft(shift);
    let inexact = this.inexact;
    for (let left = power; left > 0; left -= FIVES_COUNT) {
      if (this.digits.divide(left >= FIVES_COUNT ? FIVES : powerOf5(left)) != 0) {
        inexact = true;
      }
    }
    return this.digits.toFloat(-shift - power, inexact);
  }
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** Exact for 0 to 22. */
function exactPowerOf10(exponent: i32): f64 {
  let power: f64 = 1;
  for (let i = 0; i < exponent; i++) {
    power *= 10;
  }
  return power;
}

/** For exponents 0 to 13. */
function powerOf5(exponent: i32): u32 {
  let power: u32 = 1;
  for (let i = 0; i < exponent; i++) {
    power *= 5;
  }
  return power;
}
