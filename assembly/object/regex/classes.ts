// Reads the character classes and escapes of a pattern: `[a-z]`, `[[:alpha:]]`, `\d`, `\pL`, `\x{3b1}`.

import { Text } from '../../json/text';
import { Cursor, END } from './cursor';
import { posixClass } from './posix';
import { RuneSet } from './runes';
import { addUnicode } from './unicode';
import { LAST_RUNE } from './utf8';

const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END: u8 = 0x7d;
const CARET = 0x5e;
const COLON: u8 = 0x3a;
const MINUS = 0x2d;
const RANGE_ERROR = 'invalid character class range';

/** Unicode's tables are walked through from their beginning, so a pattern may ask for them only so often. */
const UNICODE_MOST = 250;

export class ClassReader {
  private unicodeCount: i32 = 0;
  /** No `:]` comes behind this place: it is looked for only once. */
  private noPosixFrom: i32 = i32.MAX_VALUE;

  constructor(private readonly cursor: Cursor) {}

  /** Reads a class in brackets; `fold` takes it without regard to case. The set is normalized. */
  readBrackets(fold: bool): RuneSet {
    const cursor = this.cursor;
    const from = cursor.at;
    const set = new RuneSet();
    const members = new RuneSet();
    cursor.at++;
    const isNegated = cursor.skip('^');
    // A closing bracket in the first place stands for itself.
    for (let isFirst = true; isFirst || cursor.peek() != BRACKET_END; isFirst = false) {
      if (!this.readPosix(fold, set) && !this.readNamed(fold, set)) {
        this.readRange(from, members);
      }
      if (cursor.error != null) {
        return set;
      }
    }
    cursor.at++;
    this.addGroup(members, false, fold, set);
    set.normalize();
    if (isNegated) {
      set.negate();
    }
    return set;
  }

  private readRange(classFrom: i32, members: RuneSet): void {
    const cursor = this.cursor;
    const from = cursor.at;
    const first = this.readMember(classFrom);
    let last = first;
    if (cursor.peek() == MINUS && cursor.peek(1) != END && cursor.peek(1) != BRACKET_END) {
      cursor.at++;
      last = this.readMember(classFrom);
      if (last < first) {
        cursor.fail(RANGE_ERROR, cursor.since(from));
      }
    }
    if (cursor.error == null) {
      members.add(first, last);
    }
  }

  private readMember(classFrom: i32): i32 {
    const cursor = this.cursor;
    if (cursor.isAtEnd) {
      cursor.fail('missing closing ]', cursor.since(classFrom));
      return END;
    }
    return cursor.peek() == BACKSLASH ? this.readEscape() : cursor.next();
  }

  /** Reads `[:name:]` if it comes next; without an end, it is no such thing. */
  private readPosix(fold: bool, set: RuneSet): bool {
    const cursor = this.cursor;
    if (cursor.peek() != BRACKET || cursor.peek(1) != COLON) {
      return false;
    }
    const from = cursor.at;
    const end = this.posixEnd(from + 2);
    if (end < 0) {
      return false;
    }
    cursor.at = end + 2;
    const isNegated = cursor.pattern.byteAt(from + 2) == CARET;
    const group = posixClass(cursor.pattern.slice(from + (isNegated ? 3 : 2), end));
    if (group == null) {
      cursor.fail(RANGE_ERROR, cursor.since(from));
    } else {
      this.addGroup(group, isNegated, fold, set);
    }
    return true;
  }

  private posixEnd(from: i32): i32 {
    if (from >= this.noPosixFrom) {
      return -1;
    }
    const pattern = this.cursor.pattern;
    for (let at = pattern.indexOf(COLON, from); at >= 0; at = pattern.indexOf(COLON, at + 1)) {
      if (at + 1 < pattern.length && pattern.byteAt(at + 1) == BRACKET_END) {
        return at;
      }
    }
    this.noPosixFrom = from;
    return -1;
  }

  /** Reads `\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\p...` or `\P...` if one comes next. */
  readNamed(fold: bool, set: RuneSet): bool {
    const cursor = this.cursor;
    if (cursor.peek() != BACKSLASH) {
      return false;
    }
    const letter = cursor.peek(1);
    const lower = letter | 0x20;
    const isNegated = letter != lower;
    if (lower == 0x70) {
      this.readUnicode(isNegated, fold, set);
      return true;
    }
    const group = new RuneSet();
    if (lower == 0x64) {
      group.add(0x30, 0x39);
    } else if (lower == 0x73) {
      group.add(0x09, 0x0a);
      group.add(0x0c, 0x0d);
      group.add(0x20, 0x20);
    } else if (lower == 0x77) {
      group.add(0x30, 0x39);
      group.add(0x41, 0x5a);
      group.add(0x5f, 0x5f);
      group.add(0x61, 0x7a);
    } else {
      return false;
    }
    cursor.at += 2;
    this.addGroup(group, isNegated, fold, set);
    return true;
  }

  private readUnicode(isNegated: bool, fold: bool, set: RuneSet): void {
    const cursor = this.cursor;
    const from = cursor.at;
    cursor.at += 2;
    let name: Text;
    if (cursor.peek() == BRACE) {
      const end = cursor.pattern.indexOf(BRACE_END, cursor.at);
      cursor.at = end < 0 ? cursor.pattern.length : end + 1;
      name = cursor.pattern.slice(from + 3, end < 0 ? cursor.pattern.length : end);
      if (end < 0) {
        cursor.fail(RANGE_ERROR, cursor.since(from));
        return;
      }
    } else {
      cursor.next();
      name = cursor.since(from + 2);
    }
    this.unicodeCount++;
    if (this.unicodeCount > UNICODE_MOST) {
      cursor.fail('expression too large (at most 16384 bytes and 2000 instructions)', cursor.pattern);
      return;
    }
    const isCaret = name.startsWith('^');
    const group = new RuneSet();
    if (!addUnicode(isCaret ? name.slice(1, name.length) : name, group)) {
      cursor.fail(RANGE_ERROR, cursor.since(from));
      return;
    }
    this.addGroup(group, isNegated != isCaret, fold, set);
  }

  private addGroup(group: RuneSet, isNegated: bool, fold: bool, set: RuneSet): void {
    if (fold) {
      group.fold();
    }
    if (isNegated) {
      group.negate();
    }
    set.addAll(group);
  }

  /** Reads an escape that means one code point. */
  readEscape(): i32 {
    const cursor = this.cursor;
    const from = cursor.at;
    cursor.at++;
    if (cursor.isAtEnd) {
      cursor.fail('trailing backslash at end of expression', Text.empty());
      return END;
    }
    const rune = this.escaped(cursor.next());
    if (rune < 0) {
      cursor.fail('invalid escape sequence', cursor.since(from));
    }
    return rune;
  }

  /** What a backslash and the character already read mean, or -1. */
  private escaped(letter: i32): i32 {
    switch (letter) {
      case 0x61: // a
        return 0x07;
      case 0x66: // f
        return 0x0c;
      case 0x6e: // n
        return 0x0a;
      case 0x72: // r
        return 0x0d;
      case 0x74: // t
        return 0x09;
      case 0x76: // v
        return 0x0b;
      case 0x78: // x
        return this.readHex();
      default:
        if (letter >= 0x30 && letter <= 0x37) {
          return this.readOctal(letter - 0x30);
        }
        return letter < 0x80 && !isAlphanumeric(letter) ? letter : -1;
    }
  }

  /** Up to three octal digits; a single one other than 0 would be a back reference. */
  private readOctal(first: i32): i32 {
    let value = first;
    let digits = 1;
    while (digits < 3 && this.cursor.peek() >= 0x30 && this.cursor.peek() <= 0x37) {
      value = value * 8 + this.cursor.next() - 0x30;
      digits++;
    }
    return digits == 1 && first != 0 ? -1 : value;
  }

  private readHex(): i32 {
    const cursor = this.cursor;
    if (!cursor.skip('{')) {
      const high = hexDigit(cursor.next());
      const low = hexDigit(cursor.next());
      return high < 0 || low < 0 ? -1 : high * 16 + low;
    }
    let value = 0;
    let digits = 0;
    for (let rune = cursor.next(); rune != BRACE_END; rune = cursor.next()) {
      const digit = hexDigit(rune);
      value = value * 16 + digit;
      if (digit < 0 || value > LAST_RUNE) {
        return -1;
      }
      digits++;
    }
    return digits == 0 ? -1 : value;
  }
}

function hexDigit(rune: i32): i32 {
  if (rune >= 0x30 && rune <= 0x39) {
    return rune - 0x30;
  }
  const lower = rune | 0x20;
  return rune < 0x80 && lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

export function isAlphanumeric(rune: i32): bool {
  const lower = rune | 0x20;
  return (rune >= 0x30 && rune <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
