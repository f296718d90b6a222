// A place in the text of a pattern that moves on as it is read, and the first error found.

import { Text } from '../../json/text';
import { Writer } from '../../json/writer';
import { decodeRune } from './utf8';

/** In place of a code point, behind the end. */
export const END = -1;

export class Cursor {
  at: i32 = 0;
  /** Why the pattern is refused, or null so far. */
  error: Text | null = null;

  constructor(readonly pattern: Text) {}

  get isAtEnd(): bool {
    return this.at >= this.pattern.length;
  }

  /** The byte so far ahead, or END. */
  peek(ahead: i32 = 0): i32 {
    const at = this.at + ahead;
    return at < this.pattern.length ? <i32>this.pattern.byteAt(at) : END;
  }

  /** Reads a code point, or END. */
  next(): i32 {
    if (this.isAtEnd) {
      return END;
    }
    const decoded = decodeRune(this.pattern, this.at);
    this.at += decoded & 7;
    return decoded >> 3;
  }

  /** Reads an ASCII literal if it comes next. */
  skip(literal: string): bool {
    const comes = this.pattern.slice(this.at, this.pattern.length).startsWith(literal);
    this.at += comes ? literal.length : 0;
    return comes;
  }

  /** What was read since a place. */
  since(from: i32): Text {
    return this.pattern.slice(from, this.at);
  }

  /** Refuses the pattern in the words of Go's regexp, quoting a part of it; only the first error counts. */
  fail(reason: string, part: Text): void {
    if (this.error == null) {
      const out = new Writer();
      out.ascii('error parsing regexp: ');
      out.ascii(reason);
      out.ascii(': `');
      out.text(part);
      out.byte(0x60);
      this.error = out.toText();
    }
  }
}
