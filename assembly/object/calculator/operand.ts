// A value of a resource expression, a number or a quantity, and what the operators make of two of them.

import { Text } from '../../json/text';
import { Writer } from '../../json/writer';
import { parseDecimal } from '../decimal';
import { Format, Quantity } from '../quantity';

/** An operand never changes. An error takes the place of a value that there is not. */
export class Operand {
  private constructor(
    private readonly quantity: Quantity | null,
    private readonly number: f64,
    readonly error: Text | null,
  ) {}

  static ofQuantity(quantity: Quantity): Operand {
    return new Operand(quantity, 0, null);
  }

  static ofNumber(number: f64): Operand {
    return new Operand(null, number, null);
  }

  static failed(reason: string): Operand {
    return new Operand(null, 0, Text.of(reason));
  }

  static ofLiteral(text: Text): Operand {
    let unit = 0;
    while (unit < text.length && isOfNumber(text.byteAt(unit))) {
      unit++;
    }
    if (unit > 0 && isUnit(text.slice(unit, text.length))) {
      const quantity = Quantity.parse(text);
      return quantity != null ? Operand.ofQuantity(quantity) : failedLiteral('invalid quantity: ', text);
    }
    const isPercent = text.length > 0 && text.byteAt(text.length - 1) == 0x25;
    const number = parseDecimal(isPercent ? text.slice(0, text.length - 1) : text);
    if (number == Infinity) {
      return failedLiteral('number out of range: ', text);
    }
    // Compatibility: what is neither number nor quantity (`100K`, `5u`), and so NaN here, counts as 0.
    if (!(number >= 0)) {
      return Operand.ofNumber(0);
    }
    return Operand.ofNumber(isPercent ? number / 100 : number);
  }

  get isNegative(): bool {
    const quantity = this.quantity;
    return quantity != null ? quantity.isNegative : this.number < 0;
  }

  negated(): Operand {
    const quantity = this.quantity;
    return quantity != null ? Operand.ofQuantity(quantity.negated()) : new Operand(null, -this.number, this.error);
  }

  plus(other: Operand): Operand {
    if (this.quantity == null && other.quantity == null) {
      return Operand.ofNumber(this.number + other.number);
    }
    const left = this.asQuantity();
    const right = other.asQuantity();
    return left == null || right == null ? outOfRange() : Operand.ofQuantity(left.add(right));
  }

  times(other: Operand): Operand {
    const left = this.quantity;
    const right = other.quantity;
    if (left != null && right != null) {
      return Operand.failed('multiplication of two quantities');
    }
    if (left != null) {
      return ofMilli(left.milliFloat() * other.number, left.format);
    }
    if (right != null) {
      return ofMilli(right.milliFloat() * this.number, right.format);
    }
    return Operand.ofNumber(this.number * other.number);
  }

  over(other: Operand): Operand {
    if (other.quantity != null) {
      return Operand.failed('division by a quantity');
    }
    if (other.number == 0) {
      return Operand.failed('division by zero');
    }
    const quantity = this.quantity;
    if (quantity != null) {
      return ofMilli(quantity.milliFloat() / other.number, quantity.format);
    }
    return Operand.ofNumber(this.number / other.number);
  }

  /** The greater or the lesser of two; this one if they are equal. */
  extreme(other: Operand, greatest: bool): Operand {
    if (this.quantity == null && other.quantity == null) {
      return Operand.ofNumber(greatest ? max(this.number, other.number) : min(this.number, other.number));
    }
    const left = this.asQuantity();
    const right = other.asQuantity();
    if (left == null || right == null) {
      return outOfRange();
    }
    const order = left.compare(right);
    return Operand.ofQuantity((greatest ? order >= 0 : order <= 0) ? left : right);
  }

  /**
   * A number counts whole units of memory, or thousandths of anything else, its fraction left out; only a negative
   * one is rounded down, so that it stays negative. Null if it is too great.
   */
  toQuantity(ofMemory: bool): Quantity | null {
    const quantity = this.quantity;
    if (quantity != null) {
      return quantity;
    }
    const scaled = ofMemory ? this.number : this.number * 1000;
    const whole = scaled < 0 ? Math.floor(scaled) : scaled;
    return ofMemory ? Quantity.ofWhole(whole, Format.DecimalSI) : Quantity.ofMilli(whole, Format.DecimalSI);
  }

  private asQuantity(): Quantity | null {
    const quantity = this.quantity;
    return quantity != null ? quantity : Quantity.ofMilli(this.number * 1000, Format.DecimalSI);
  }
}

function ofMilli(value: f64, format: Format): Operand {
  const quantity = Quantity.ofMilli(value, format);
  return quantity != null ? Operand.ofQuantity(quantity) : outOfRange();
}

function outOfRange(): Operand {
  return Operand.failed('number out of range');
}

function failedLiteral(reason: string, literal: Text): Operand {
  const out = new Writer();
  out.ascii(reason);
  out.text(literal);
  return new Operand(null, 0, out.toText());
}

function isOfNumber(byte: u8): bool {
  const isSign = byte == 0x2b || byte == 0x2d;
  return isSign || byte == 0x2e || (byte | 0x20) == 0x65 || (byte >= 0x30 && byte <= 0x39);
}

/** One of `m k M G T P Ki Mi Gi Ti Pi`: with any other letters behind it, a literal is a number. */
function isUnit(text: Text): bool {
  const isBinary = text.length == 2 && text.byteAt(1) == 0x69;
  if (text.length != 1 && !isBinary) {
    return false;
  }
  switch (text.byteAt(0)) {
    case 0x6d: // m
    case 0x6b: // k
      return !isBinary;
    case 0x4b: // K
      return isBinary;
    case 0x4d: // M
    case 0x47: // G
    case 0x54: // T
    case 0x50: // P
      return true;
    default:
      return false;
  }
}
