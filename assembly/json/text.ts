// UTF-8 text: where decoded strings lie and how they are compared. Nothing is copied unless it says so. Behind every text
// there are bytes that may be read (runtime/arena.ts, store/heap.ts), so texts are compared in whole words.

/** Decoded UTF-8 bytes somewhere in memory. */
@unmanaged
export class Text {
  constructor(
    readonly start: usize,
    readonly length: i32,
  ) {}

  static empty(): Text {
    return changetype<Text>(memory.data(8));
  }

  /** A copy of an ASCII literal. */
  static of(literal: string): Text {
    const length = literal.length;
    const start = heap.alloc(length);
    writeAscii(start, literal);
    return new Text(start, length);
  }

  get isEmpty(): bool {
    return this.length == 0;
  }

  byteAt(index: i32): u8 {
    return load<u8>(this.start + index);
  }

  /** Equal to an ASCII literal. */
  is(literal: string): bool {
    return sameAscii(this.start, this.length, literal);
  }

  equals(other: Text): bool {
    return this.length == other.length && sameBytes(this.start, other.start, this.length);
  }

  /** Bytewise order: negative, zero or positive. */
  compare(other: Text): i32 {
    const shorter = min(this.length, other.length);
    const order = compareBytes(this.start, other.start, shorter);
    return order != 0 ? order : this.length - other.length;
  }

  /** The bytes `from` (included) to `to` (excluded), in place. */
  slice(from: i32, to: i32): Text {
    return new Text(this.start + from, to - from);
  }

  startsWith(literal: string): bool {
    return this.length >= literal.length && sameAscii(this.start, literal.length, literal);
  }

  endsWith(literal: string): bool {
    const length = literal.length;
    return this.length >= length && sameAscii(this.start + this.length - length, length, literal);
  }

  /** Place of a byte at or after `from`, or -1. */
  indexOf(byte: u8, from: i32 = 0): i32 {
    for (let i = from; i < this.length; i++) {
      if (load<u8>(this.start + i) == byte) {
        return i;
      }
    }
    return -1;
  }

  /** 32 bits of the bytes, for tables. */
  hash(seed: u32 = 2166136261): u32 {
    return hashBytes(this.start, this.length, seed);
  }
}

export function hashBytes(start: usize, length: i32, seed: u32): u32 {
  let hash = ((<u64>seed) << 32) | <u64>length;
  for (let i = 0; i + 8 <= length; i += 8) {
    hash = mix(hash, load<u64>(start + i));
  }
  if (length >= 8) {
    // The last eight bytes, some of them for the second time.
    hash = mix(hash, load<u64>(start + length - 8));
  } else if (length >= 4) {
    hash = mix(hash, ((<u64>load<u32>(start)) << 32) | <u64>load<u32>(start + length - 4));
  } else if (length > 0) {
    const last = start + length - 1;
    hash = mix(
      hash,
      ((<u64>load<u8>(start)) << 16) | ((<u64>load<u8>(start + (length >> 1))) << 8) | <u64>load<u8>(last),
    );
  }
  return <u32>(hash ^ (hash >> 32));
}

function mix(hash: u64, word: u64): u64 {
  const mixed = (hash ^ word) * 0x9e3779b97f4a7c15;
  return mixed ^ (mixed >> 29);
}

export function sameBytes(a: usize, b: usize, length: i32): bool {
  for (let i = 0; i < length; i += 8) {
    if (differInFirst(length - i, load<u64>(a + i), load<u64>(b + i))) {
      return false;
    }
  }
  return true;
}

/** Do two words of text differ in their first `count` bytes, of which at least one counts? */
function differInFirst(count: i32, a: u64, b: u64): bool {
  return (a ^ b) << (64 - (min(count, 8) << 3)) != 0;
}

export function compareBytes(a: usize, b: usize, length: i32): i32 {
  let i = 0;
  while (i + 8 <= length && load<u64>(a + i) == load<u64>(b + i)) {
    i += 8;
  }
  for (; i < length; i++) {
    const order = <i32>load<u8>(a + i) - <i32>load<u8>(b + i);
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

/** Compares bytes with an ASCII literal, which the compiler keeps as UTF-16. */
export function sameAscii(start: usize, length: i32, literal: string): bool {
  if (length != literal.length) {
    return false;
  }
  for (let i = 0; i < length; i += 8) {
    if (differInFirst(length - i, load<u64>(start + i), asciiWord(literal, i))) {
      return false;
    }
  }
  return true;
}

/** Eight bytes of an ASCII literal, from the character at `from` on; what stands beyond its end is of no meaning. */
export function asciiWord(literal: string, from: i32): u64 {
  const units = v128.load(changetype<usize>(literal) + ((<usize>from) << 1));
  return v128.extract_lane<u64>(i8x16.narrow_i16x8_u(units, units), 0);
}

/** Writes an ASCII literal as bytes, and up to seven bytes behind it; the caller has made sure of the room. */
export function writeAscii(to: usize, literal: string): void {
  const length = literal.length;
  for (let i = 0; i < length; i += 8) {
    store<u64>(to + i, asciiWord(literal, i));
  }
}
