// A JSON value read in place. A view is one 16-byte node of the tape that `scan` wrote; nothing is copied or decoded
// before it is asked for. Absent (`!exists`), null (`isNull`) and empty stay three different answers.
//
//   start   where the text begins: behind the quote for strings and keys, at the bracket for containers
//   meta    length of the text << 8 | flags | kind
//   link    the next item of the same array, the next key of the same object; 0 behind the last
//   head    container: its first item or key; key: its value; string: 1 if its text does not stand between quotes

import { decode } from './escape';
import { asciiWord, sameAscii, sameBytes, Text } from './text';

export const enum Kind {
  /** Nothing there. */
  None,
  Null,
  False,
  True,
  Number,
  String,
  Array,
  Object,
  Key,
}

/** Marks on a node. */
export const enum Mark {
  /** The value is not what the text says: a string with escapes, a container that was edited. */
  Differs = 0x10,
  /** Item or key: added by us. */
  Added = 0x20,
  /** Item or key: its value was replaced by us. */
  Replaced = 0x40,
  /** Item or key: removed by us. */
  Removed = 0x80,
}

export const NODE_BYTES: i32 = 16;
/** Text of one value may not be longer: the length has 24 bits. */
export const LENGTH_MOST: i32 = 0xffffff;

@unmanaged
export class View {
  constructor(
    protected start: usize,
    protected meta: u32,
    protected link: usize,
    protected head: usize,
  ) {}

  static none(): View {
    return changetype<View>(memory.data(16));
  }

  get kind(): Kind {
    return this.meta & 15;
  }

  get exists(): bool {
    return (this.meta & 15) != Kind.None;
  }

  get isNull(): bool {
    return (this.meta & 15) == Kind.Null;
  }

  get isString(): bool {
    return (this.meta & 15) == Kind.String;
  }

  get isNumber(): bool {
    return (this.meta & 15) == Kind.Number;
  }

  get isTrue(): bool {
    return (this.meta & 15) == Kind.True;
  }

  get isArray(): bool {
    return (this.meta & 15) == Kind.Array;
  }

  get isObject(): bool {
    return (this.meta & 15) == Kind.Object;
  }

  /** Neither absent nor null. */
  get isSet(): bool {
    return (this.meta & 15) > <u32>Kind.Null;
  }

  has(mark: Mark): bool {
    return (this.meta & mark) != 0;
  }

  /** The member's value; `none` when this is no object or has no such member. */
  get(name: string): View {
    const key = this.key(name);
    return key.exists ? key.value : key;
  }

  /** As `get`, by a name that is not a literal. */
  find(name: Text): View {
    const key = this.findKey(name);
    return key.exists ? key.value : key;
  }

  /** The member itself, whose `next()` is the next member. */
  key(name: string): View {
    if ((this.meta & 15) == Kind.Object) {
      const length = name.length;
      // Most names are told by their length and first bytes.
      const word = asciiWord(name, 0);
      const mask: u64 = length < 8 ? ((<u64>1) << (length << 3)) - 1 : u64.MAX_VALUE;
      for (let at = this.head; at != 0; at = changetype<View>(at).link) {
        const key = changetype<View>(at);
        if (
          key.isPresent(length) &&
          ((load<u64>(key.start) ^ word) & mask) == 0 &&
          (length <= 8 || sameAscii(key.start, length, name))
        ) {
          return key;
        }
      }
    }
    return View.none();
  }

  /** Of a member: is its name this long, and was it not removed? */
  private isPresent(nameLength: i32): bool {
    return (this.meta & ~(Mark.Removed - 1)) == (<u32>nameLength) << 8;
  }

  findKey(name: Text): View {
    if ((this.meta & 15) == Kind.Object) {
      for (let key = this.first(); key.exists; key = key.next()) {
        if (key.meta >> 8 == name.length && sameBytes(key.start, name.start, name.length)) {
          return key;
        }
      }
    }
    return View.none();
  }

  /** First item of an array, first member of an object; `none` if there is none. */
  first(): View {
    const kind = this.meta & 15;
    if (kind != Kind.Array && kind != Kind.Object) {
      return View.none();
    }
    return present(this.head);
  }

  /** The next item or member behind this one. */
  next(): View {
    return present(this.link);
  }

  /** Of a member: its value. */
  get value(): View {
    return changetype<View>(this.head);
  }

  /** Of a member: its name, decoded. */
  get name(): Text {
    return new Text(this.start, this.meta >> 8);
  }

  /** The decoded string; empty for anything that is no string. */
  text(): Text {
    if ((this.meta & 15) != Kind.String) {
      return Text.empty();
    }
    const text = new Text(this.start, this.meta >> 8);
    return this.has(Mark.Differs) ? decode(text) : text;
  }

  /** Is this the string? */
  is(literal: string): bool {
    if ((this.meta & 15) != Kind.String) {
      return false;
    }
    return this.has(Mark.Differs) ? this.text().is(literal) : sameAscii(this.start, this.meta >> 8, literal);
  }

  /** The text as it stands, of any value but an edited one; strings with their quotes. */
  raw(): Text {
    return this.isString ? new Text(this.start - 1, (this.meta >> 8) + 2) : new Text(this.start, this.meta >> 8);
  }

  /** Does the text of this string stand between its quotes, as it came in? */
  get isQuoted(): bool {
    return this.head == 0;
  }

  /** A string's text as it stands, without quotes: escapes are not decoded. */
  inside(): Text {
    return new Text(this.start, this.meta >> 8);
  }

  /** The last item, an object, in which a member is this string; `none` when there is no such item. */
  lastWith(member: string, literal: string): View {
    let found: usize = 0;
    if ((this.meta & 15) == Kind.Array) {
      for (let at = this.head; at != 0; at = changetype<View>(at).link) {
        const item = changetype<View>(at);
        if ((item.meta & (Mark.Removed | 15)) == Kind.Object && item.says(member, literal)) {
          found = at;
        }
      }
    }
    return found == 0 ? View.none() : changetype<View>(found);
  }

  /** Is the member this string? Lengths are compared first: mostly they tell already. */
  private says(member: string, literal: string): bool {
    const nameLength = <u32>member.length;
    const length = <u32>literal.length;
    for (let at = this.head; at != 0; at = changetype<View>(at).link) {
      const key = changetype<View>(at);
      if (key.meta >> 8 == nameLength && !key.has(Mark.Removed)) {
        const value = key.value;
        const isLike = value.isString && (value.meta >> 8 == length || value.has(Mark.Differs));
        if (isLike && sameAscii(key.start, nameLength, member)) {
          return value.is(literal);
        }
      }
    }
    return false;
  }

  /** The first item that is neither of this kind nor null; `none` when all are. */
  firstBeside(kind: Kind): View {
    for (let item = this.first(); item.exists; item = item.next()) {
      if (item.kind != kind && !item.isNull) {
        return item;
      }
    }
    return View.none();
  }

  /** Items of an array or members of an object. */
  count(): i32 {
    let count = 0;
    for (let item = this.first(); item.exists; item = item.next()) {
      count++;
    }
    return count;
  }

  /** An array or object with nothing in it, or none at all. */
  get isEmpty(): bool {
    return !this.first().exists;
  }

  /** A number's value when it is written as an integer of 64 bits; otherwise `otherwise`. */
  integer(otherwise: i64): i64 {
    if ((this.meta & 15) != Kind.Number) {
      return otherwise;
    }
    const length = <i32>(this.meta >> 8);
    const negative = load<u8>(this.start) == 0x2d;
    const digits = negative ? length - 1 : length;
    if (digits > 19) {
      return otherwise;
    }
    // Nineteen digits fit in 64 bits without a sign.
    let value: u64 = 0;
    for (let i = length - digits; i < length; i++) {
      const digit = <u64>load<u8>(this.start + i) - 0x30;
      if (digit > 9) {
        return otherwise;
      }
      value = value * 10 + digit;
    }
    if (value > <u64>i64.MAX_VALUE + (negative ? 1 : 0)) {
      return otherwise;
    }
    return negative ? 0 - <i64>value : <i64>value;
  }
}

/** Stands for the child before the first one: the link of this place is the container's head. */
export function beforeFirst(container: usize): usize {
  return container + 4;
}

/** The node at an address, or the first behind it that was not removed. */
function present(address: usize): View {
  let node = changetype<View>(address);
  while (address != 0 && node.has(Mark.Removed)) {
    address = load<usize>(address, 8);
    node = changetype<View>(address);
  }
  return address == 0 ? View.none() : node;
}

/** Same value: members in any order, strings decoded, numbers by their text. */
export function sameValue(a: View, b: View): bool {
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
    case Kind.String:
      return a.text().equals(b.text());
    case Kind.Number:
      return a.raw().equals(b.raw());
    case Kind.Array: {
      let other = b.first();
      for (let item = a.first(); item.exists; item = item.next()) {
        if (!other.exists || !sameValue(item, other)) {
          return false;
        }
        other = other.next();
      }
      return !other.exists;
    }
    case Kind.Object: {
      for (let key = a.first(); key.exists; key = key.next()) {
        const other = b.findKey(key.name);
        if (!other.exists || !sameValue(key.value, other.value)) {
          return false;
        }
      }
      return a.count() == b.count();
    }
    default:
      return true;
  }
}
