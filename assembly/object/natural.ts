// Natural numbers of any size, as far as quantities and decimal literals need them: exact, and never longer than their
// callers let them grow.

import { Writer } from '../json/writer';

/** A power of ten that a limb holds, and its exponent. */
const CHUNK: u32 = 1000000000;
const CHUNK_DIGITS = 9;

/** A natural number that its methods change in place. */
export class Natural {
  private limbs: StaticArray<u32> = new StaticArray<u32>(6);
  /** Limbs in use, the lowest first; the highest of them is not zero. */
  private length: i32 = 0;

  static of(value: u64): Natural {
    const number = new Natural();
    number.push(<u32>value);
    number.push(<u32>(value >> 32));
    number.trim();
    return number;
  }

  /** The whole part of a finite number that is not negative. */
  static ofFloat(value: f64): Natural {
    const bits = reinterpret<u64>(value);
    const exponent = <i32>((bits >> 52) & 0x7ff) - 1075;
    const mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
    if (exponent <= 0) {
      return exponent < -52 ? new Natural() : Natural.of(mantissa >> -exponent);
    }
    const number = Natural.of(mantissa);
    number.shiftLeft(exponent);
    return number;
  }

  copy(): Natural {
    const number = new Natural();
    for (let i = 0; i < this.length; i++) {
      number.push(this.limbs[i]);
    }
    return number;
  }

  get isZero(): bool {
    return this.length == 0;
  }

  /** Negative, zero or positive. */
  compare(other: Natural): i32 {
    if (this.length != other.length) {
      return this.length - other.length;
    }
    for (let i = this.length - 1; i >= 0; i--) {
      if (this.limbs[i] != other.limbs[i]) {
        return this.limbs[i] < other.limbs[i] ? -1 : 1;
      }
    }
    return 0;
  }

  add(other: Natural): void {
    let carry: u64 = 0;
    const longer = max(this.length, other.length);
    for (let i = 0; i < longer; i++) {
      carry += <u64>this.limb(i) + other.limb(i);
      if (i < this.length) {
        this.limbs[i] = <u32>carry;
      } else {
        this.push(<u32>carry);
      }
      carry >>= 32;
    }
    if (carry != 0) {
      this.push(<u32>carry);
    }
  }

  /** Takes away a number that is not greater. */
  subtract(other: Natural): void {
    let borrow: i64 = 0;
    for (let i = 0; i < this.length; i++) {
      borrow += <i64>this.limbs[i] - <i64>other.limb(i);
      this.limbs[i] = <u32>borrow;
      borrow >>= 32;
    }
    this.trim();
  }

  multiplyAdd(factor: u32, addend: u32): void {
    let carry: u64 = addend;
    for (let i = 0; i < this.length; i++) {
      carry += <u64>this.limbs[i] * factor;
      this.limbs[i] = <u32>carry;
      carry >>= 32;
    }
    if (carry != 0) {
      this.push(<u32>carry);
    }
    this.trim();
  }

  multiplyByPowerOf10(power: i32): void {
    for (let left = power; left > 0; left -= CHUNK_DIGITS) {
      this.multiplyAdd(left >= CHUNK_DIGITS ? CHUNK : powerOf10(left), 0);
    }
  }

  /** Divides, rounding down, and gives the remainder. */
  divide(divisor: u32): u32 {
    let rest: u64 = 0;
    for (let i = this.length - 1; i >= 0; i--) {
      rest = (rest << 32) | this.limbs[i];
      this.limbs[i] = <u32>(rest / divisor);
      rest %= divisor;
    }
    this.trim();
    return <u32>rest;
  }

  /** Divides by a power of ten, rounding down, and tells whether anything was left over. */
  divideByPowerOf10(power: i32): bool {
    let left = false;
    for (let todo = power; todo > 0 && this.length > 0; todo -= CHUNK_DIGITS) {
      if (this.divide(todo >= CHUNK_DIGITS ? CHUNK : powerOf10(todo)) != 0) {
        left = true;
      }
    }
    return left;
  }

  remainder(divisor: u32): u32 {
    let rest: u64 = 0;
    for (let i = this.length - 1; i >= 0; i--) {
      rest = ((rest << 32) | this.limbs[i]) % divisor;
    }
    return <u32>rest;
  }

  shiftLeft(bits: i32): void {
    if (this.length == 0) {
      return;
    }
    const whole = bits >> 5;
    const part = bits & 31;
    const length = this.length;
    for (let i = 0; i <= whole; i++) {
      this.push(0);
    }
    for (let i = length + whole; i >= 0; i--) {
      const high = i - whole < 0 ? 0 : (<u64>this.limb(i - whole)) << part;
      const low = part == 0 || i - whole < 1 ? 0 : this.limb(i - whole - 1) >> (32 - part);
      this.limbs[i] = <u32>high | low;
    }
    this.trim();
  }

  get bitLength(): i32 {
    return this.length == 0 ? 0 : (this.length << 5) - <i32>clz(this.limbs[this.length - 1]);
  }

  /** The number if it fits, else the greatest that does. */
  toInteger(): i64 {
    return this.bitLength > 63 ? i64.MAX_VALUE : <i64>(((<u64>this.limb(1)) << 32) | this.limb(0));
  }

  /**
   * The float nearest to this number times 2 to the power of `exponent`, ties to even. `inexact` says that the true
   * number is a little greater than this one, by less than its last bit.
   */
  toFloat(exponent: i32, inexact: bool): f64 {
    if (this.length == 0) {
      return 0;
    }
    const top = this.length - 1;
    const empty = <i32>clz(this.limbs[top]);
    // The highest 64 bits, from the highest three limbs; what is below them matters only as not being zero.
    let bits = ((<u64>this.limbs[top]) << 32) | this.limb(top - 1);
    const third = this.limb(top - 2);
    let sticky = inexact;
    if (empty > 0) {
      bits = (bits << empty) | (third >> (32 - empty));
    }
    sticky = sticky || third << empty != 0;
    for (let i = top - 3; i >= 0 && !sticky; i--) {
      sticky = this.limbs[i] != 0;
    }
    const power = this.bitLength - 1 + exponent;
    if (power > 1023) {
      return Infinity;
    }
    const subnormal = power < -1022;
    const shift: i32 = subnormal ? 11 - 1022 - power : 11;
    if (shift > 64) {
      return 0;
    }
    let mantissa: u64 = shift == 64 ? 0 : bits >> shift;
    const rest = shift == 64 ? bits : bits & (((<u64>1) << shift) - 1);
    const half = (<u64>1) << (shift - 1);
    if (rest > half || (rest == half && (sticky || (mantissa & 1) != 0))) {
      mantissa++;
    }
    // A mantissa that rounding carried over raises the exponent by itself.
    return reinterpret<f64>(subnormal ? mantissa : ((<u64>(power + 1022)) << 52) + mantissa);
  }

  /** Writes the decimal digits. */
  write(out: Writer): void {
    const chunks: u32[] = [];
    const rest = this.copy();
    do {
      chunks.push(rest.divide(CHUNK));
    } while (!rest.isZero);
    out.integer(chunks[chunks.length - 1]);
    for (let i = chunks.length - 2; i >= 0; i--) {
      for (let unit = CHUNK / 10; unit > 0; unit /= 10) {
        out.byte(<u8>(0x30 + ((chunks[i] / unit) % 10)));
      }
    }
  }

  private limb(index: i32): u32 {
    return index >= 0 && index < this.length ? this.limbs[index] : 0;
  }

  private push(limb: u32): void {
    if (this.length == this.limbs.length) {
      const longer = new StaticArray<u32>(this.length << 1);
      for (let i = 0; i < this.length; i++) {
        longer[i] = this.limbs[i];
      }
      this.limbs = longer;
    }
    this.limbs[this.length++] = limb;
  }

  private trim(): void {
    while (this.length > 0 && this.limbs[this.length - 1] == 0) {
      this.length--;
    }
  }
}

/** For exponents 0 to 9. */
function powerOf10(exponent: i32): u32 {
  let power: u32 = 1;
  for (let i = 0; i < exponent; i++) {
    power *= 10;
  }
  return power;
}
