// Takes a resource expression apart into tokens.

import { Text } from '../../json/text';

export const enum Token {
  /** A number or quantity, not looked at any closer. */
  Literal,
  Name,
  Plus,
  Minus,
  Times,
  Divide,
  Open,
  Close,
  Comma,
  End,
  /** A character that no expression has. */
  Unknown,
}

const enum Mark {
  Percent = 0x25,
  Plus = 0x2b,
  Minus = 0x2d,
  Point = 0x2e,
}

export class Tokens {
  /** The token read last. */
  kind: Token = Token.End;
  /** What it was read from. */
  text: Text = Text.empty();
  private at: i32 = 0;

  constructor(private readonly expression: Text) {}

  next(): void {
    this.skipBlanks();
    const from = this.at;
    const first = this.peek();
    if (from == this.expression.length) {
      this.kind = Token.End;
    } else if (isDigit(first) || first == Mark.Point) {
      this.kind = Token.Literal;
      this.skipLiteral();
    } else if (isLetter(first)) {
      this.kind = Token.Name;
      while (isWordByte(this.peek())) {
        this.at++;
      }
    } else {
      this.kind = symbol(first);
      this.at++;
      while (this.kind == Token.Unknown && this.peek() >> 6 == 2) {
        this.at++;
      }
    }
    this.text = this.expression.slice(from, this.at);
  }

  /** Whether an opening parenthesis comes next. */
  get isCall(): bool {
    this.skipBlanks();
    return this.peek() == 0x28;
  }

  private peek(): u8 {
    return this.at < this.expression.length ? this.expression.byteAt(this.at) : 0;
  }

  private skipBlanks(): void {
    while (isBlank(this.peek())) {
      this.at++;
    }
  }

  /**
   * As much as looks like a number (sidecarset 6.3): digits, one point (not behind an exponent or `%`), one exponent
   * letter with a sign (not behind `%`), one `%`, and at last a run of letters (not directly behind the exponent
   * letter).
   */
  private skipLiteral(): void {
    let point = false;
    let exponent = false;
    let percent = false;
    for (;;) {
      const byte = this.peek();
      if (byte == Mark.Point && !point && !exponent && !percent) {
        point = true;
      } else if (byte == Mark.Percent && !percent) {
        percent = true;
      } else if ((byte | 0x20) == 0x65 && !exponent && !percent) {
        exponent = true;
        this.at++;
        const sign = this.peek();
        if (isLetter(sign)) {
          return;
        }
        if (sign != Mark.Plus && sign != Mark.Minus) {
          continue;
        }
      } else if (isLetter(byte)) {
        while (isLetter(this.peek())) {
          this.at++;
        }
        return;
      } else if (!isDigit(byte)) {
        return;
      }
      this.at++;
    }
  }
}

function symbol(byte: u8): Token {
  switch (byte) {
    case 0x2b:
      return Token.Plus;
    case 0x2d:
      return Token.Minus;
    case 0x2a:
      return Token.Times;
    case 0x2f:
      return Token.Divide;
    case 0x28:
      return Token.Open;
    case 0x29:
      return Token.Close;
    case 0x2c:
      return Token.Comma;
    default:
      return Token.Unknown;
  }
}

/** A letter, digit or underscore. */
export function isWordByte(byte: u8): bool {
  return isLetter(byte) || isDigit(byte) || byte == 0x5f;
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: u8): bool {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isBlank(byte: u8): bool {
  return byte == 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
