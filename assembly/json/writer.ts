// A growing piece of text in the arena, with the ways JSON text is written.

import { Text, writeAscii } from './text';

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;

/** Which characters inside a string are escaped beyond those that JSON demands. */
export const enum Escapes {
  /** None: quote, backslash and control characters only. */
  Least,
  /** As Go's encoding/json does by default: `<`, `>`, `&`, U+2028 and U+2029 too. */
  Html,
}

export class Writer {
  private base: usize;
  private room: i32;
  /** Bytes written. */
  length: i32 = 0;

  constructor(room: i32 = 256) {
    this.base = heap.alloc(room);
    this.room = room;
  }

  /** What has been written, in place: valid until the next write. */
  toText(): Text {
    return new Text(this.base, this.length);
  }

  /** Forgets what was written behind `length`. */
  truncate(length: i32): void {
    this.length = length;
  }

  byte(byte: u8): void {
    if (this.length == this.room) {
      this.reserve(1);
    }
    store<u8>(this.base + this.length, byte);
    this.length += 1;
  }

  /** An ASCII literal. */
  ascii(literal: string): void {
    const at = this.reserve(literal.length + 8);
    writeAscii(at, literal);
    this.length += literal.length;
  }

  text(text: Text): void {
    this.bytes(text.start, text.length);
  }

  bytes(start: usize, length: i32): void {
    // Short texts go in whole vectors: the room behind is the writer's, and what is read behind the text is not used.
    const at = this.reserve(length + 16);
    if (length <= 256) {
      for (let i = 0; i < length; i += 16) {
        v128.store(at + i, v128.load(start + i));
      }
    } else {
      memory.copy(at, start, length);
    }
    this.length += length;
  }

  /** Decimal digits. */
  integer(value: i64): void {
    const at = this.reserve(20);
    let rest: u64 = value < 0 ? 0 - <u64>value : <u64>value;
    let digits = 1;
    for (let bound = rest; bound >= 10; bound /= 10) {
      digits++;
    }
    const sign = value < 0 ? 1 : 0;
    if (value < 0) {
      store<u8>(at, 0x2d);
    }
    for (let i = sign + digits - 1; i >= sign; i--) {
      store<u8>(at + i, <u8>(0x30 + (rest % 10)));
      rest /= 10;
    }
    this.length += sign + digits;
  }

  /** A JSON string, with its quotes. */
  quoted(text: Text, escapes: Escapes = Escapes.Least): void {
    this.byte(QUOTE);
    this.escaped(text, escapes);
    this.byte(QUOTE);
  }

  /** A JSON string of an ASCII literal that needs no escapes. */
  quotedAscii(literal: string): void {
    this.byte(QUOTE);
    this.ascii(literal);
    this.byte(QUOTE);
  }

  /** The inside of a JSON string. */
  escaped(text: Text, escapes: Escapes = Escapes.Least): void {
    const end = text.start + text.length;
    let from = text.start;
    while (from < end) {
      // A vector is copied with all that stands in it, and counted as far as it is plain.
      const bytes = v128.load(from);
      v128.store(this.reserve(16), bytes);
      const special = i8x16.bitmask(specials(bytes, escapes));
      const plain = min(special == 0 ? 16 : ctz(special), <i32>(end - from));
      this.length += plain;
      from += plain;
      if (from < end && special != 0) {
        from = this.escape(from, end);
      }
    }
  }

  /** Writes the escape of the character at `at`, or itself when it needs none, and gives the place behind it. */
  private escape(at: usize, end: usize): usize {
    const byte = load<u8>(at);
    if (byte == QUOTE || byte == BACKSLASH) {
      this.byte(BACKSLASH);
      this.byte(byte);
      return at + 1;
    }
    if (byte == 0xe2) {
      if (at + 3 > end || load<u8>(at, 1) != 0x80 || (load<u8>(at, 2) | 1) != 0xa9) {
        this.byte(byte);
        return at + 1;
      }
      this.ascii(load<u8>(at + 2) == 0xa8 ? '\\u2028' : '\\u2029');
      return at + 3;
    }
    this.byte(BACKSLASH);
    if (byte == 0x0a) {
      this.byte(0x6e);
    } else if (byte == 0x0d) {
      this.byte(0x72);
    } else if (byte == 0x09) {
      this.byte(0x74);
    } else if (byte == 0x08) {
      this.byte(0x62);
    } else if (byte == 0x0c) {
      this.byte(0x66);
    } else {
      this.ascii('u00');
      this.byte(hexDigit(byte >> 4));
      this.byte(hexDigit(byte & 15));
    }
    return at + 1;
  }

  /** Makes room for `count` more bytes and gives the place where they go; the writer counts them itself. */
  reserve(count: i32): usize {
    const needed = this.length + count;
    if (needed > this.room) {
      this.room = max(needed, this.room << 1);
      this.base = heap.realloc(this.base, this.room);
    }
    return this.base + this.length;
  }
}

/** A text between two ASCII literals. */
export function between(before: string, text: Text, behind: string = ''): Text {
  const out = new Writer(before.length + text.length + behind.length);
  out.ascii(before);
  out.text(text);
  out.ascii(behind);
  return out.toText();
}

/** Marks the bytes that are escaped, or that may begin a character that is. */
function specials(bytes: v128, escapes: Escapes): v128 {
  let special = v128.or(
    v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))),
    i8x16.lt_u(bytes, i8x16.splat(0x20)),
  );
  if (escapes == Escapes.Html) {
    special = v128.or(special, i8x16.eq(v128.or(bytes, i8x16.splat(2)), i8x16.splat(0x3e)));
    special = v128.or(special, v128.or(i8x16.eq(bytes, i8x16.splat(0x26)), i8x16.eq(bytes, i8x16.splat(<i8>0xe2))));
  }
  return special;
}

function hexDigit(value: u8): u8 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}
