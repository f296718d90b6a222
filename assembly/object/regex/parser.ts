// Reads a pattern and writes its program in one pass, without recursion: what an operator applies to is always the last
// piece of the program, which is moved, copied or looped as it stands.

import { Text } from '../../json/text';
import { ClassReader, isAlphanumeric } from './classes';
import { Cursor, END } from './cursor';
import { Flag, Group, NONE } from './group';
import { KnownClass, KnownClasses } from './known-classes';
import { Condition, Op, Program } from './program';
import { RuneSet } from './runes';

/** Bytes of a pattern: reading one costs a few hundred steps a byte at worst. */
const PATTERN_MOST = 1 << 14;
const TOO_LARGE = 'expression too large (at most 16384 bytes and 2000 instructions)';
/** Counted repeats, multiplied along their nesting, may not be greater (RE2). */
const REPEAT_MOST = 1000;
const NESTING_MOST = 1000;
const UNBOUNDED = -1;

export class Parser {
  readonly program: Program = new Program();
  private cursor: Cursor;
  private classes: ClassReader;
  private readonly known: KnownClasses = new KnownClasses();
  private flags: i32 = 0;
  private outer: Group[] = [];
  private group: Group = new Group(0, 0);
  /** Where the piece begins that an operator would apply to, or NONE. */
  private piece: i32 = NONE;
  private pieceRepeats: i32 = 1;
  /** Where the operator begins that was read last, if nothing came behind it, or NONE. */
  private operator: i32 = NONE;

  constructor(pattern: Text) {
    const cursor = new Cursor(pattern);
    this.cursor = cursor;
    this.classes = new ClassReader(cursor);
  }

  /** Why the pattern is refused, or null. */
  get error(): Text | null {
    return this.cursor.error;
  }

  parse(): void {
    if (this.cursor.pattern.length > PATTERN_MOST) {
      this.cursor.fail(TOO_LARGE, this.cursor.pattern.slice(0, 0));
      return;
    }
    while (!this.cursor.isAtEnd && this.cursor.error == null && !this.program.isTooLarge) {
      const from = this.cursor.at;
      const isOperator = this.readNext();
      this.operator = isOperator ? from : NONE;
    }
    if (this.cursor.error == null && !this.program.isTooLarge) {
      if (this.outer.length > 0) {
        this.cursor.fail('missing closing )', this.cursor.pattern);
        return;
      }
      this.endAlternatives();
      this.program.emit(Op.Match, 0);
    }
    if (this.program.isTooLarge) {
      this.cursor.fail(TOO_LARGE, this.cursor.pattern);
    }
  }

  /** Reads the next part and tells whether it was a repetition operator. */
  private readNext(): bool {
    const cursor = this.cursor;
    switch (cursor.peek()) {
      case 0x28: // (
        this.readOpening();
        return false;
      case 0x29: // )
        cursor.at++;
        this.closeGroup();
        return false;
      case 0x7c: // |
        cursor.at++;
        this.nextAlternative();
        return false;
      case 0x5b: // [
        if (!this.emitKnown()) {
          const from = cursor.at;
          this.emitClass(this.classes.readBrackets(this.has(Flag.FoldCase)));
          this.know(from);
        }
        return false;
      case 0x5c: // backslash
        this.readBackslash();
        return false;
      case 0x2e: // .
        cursor.at++;
        this.beginPiece();
        this.program.emit(this.has(Flag.DotIsAny) ? Op.Any : Op.AnyOfLine, 0);
        return false;
      case 0x5e: // ^
        cursor.at++;
        this.emitAssertion(this.has(Flag.MultiLine) ? Condition.BeginLine : Condition.BeginText);
        return false;
      case 0x24: // $
        cursor.at++;
        this.emitAssertion(this.has(Flag.MultiLine) ? Condition.EndLine : Condition.EndText);
        return false;
      case 0x2a: // *
        cursor.at++;
        return this.repeat(cursor.at - 1, 0, UNBOUNDED);
      case 0x2b: // +
        cursor.at++;
        return this.repeat(cursor.at - 1, 1, UNBOUNDED);
      case 0x3f: // ?
        cursor.at++;
        return this.repeat(cursor.at - 1, 0, 1);
      case 0x7b: // {
        return this.readCounts();
      default:
        this.emitRune(cursor.next());
        return false;
    }
  }

  private has(flag: Flag): bool {
    return (this.flags & flag) != 0;
  }

  // Pieces

  private beginPiece(): void {
    this.endPiece();
    this.piece = this.program.length;
  }

  /** No operator can apply to what was read so far. */
  private endPiece(): void {
    this.group.repeats = max(this.group.repeats, this.pieceRepeats);
    this.pieceRepeats = 1;
    this.piece = NONE;
  }

  private emitRune(rune: i32): void {
    if (rune == END) {
      return;
    }
    if (this.has(Flag.FoldCase)) {
      const set = new RuneSet();
      set.add(rune, rune);
      set.fold();
      this.emitClass(set);
    } else {
      this.beginPiece();
      this.program.emit(Op.Rune, rune);
    }
  }

  private emitClass(set: RuneSet): void {
    this.beginPiece();
    this.program.emitClass(set);
  }

  /** Emits the class that comes next if it was read before, and moves behind it. */
  private emitKnown(): bool {
    const cursor = this.cursor;
    const rest = cursor.pattern.slice(cursor.at, cursor.pattern.length);
    const known = this.known.find(rest, this.has(Flag.FoldCase));
    if (known === null) {
      return false;
    }
    cursor.at += known.text.length;
    this.beginPiece();
    this.program.emit(known.op, known.argument);
    return true;
  }

  /** Remembers the class that was read from a place on and emitted last. */
  private know(from: i32): void {
    if (this.cursor.error !== null || this.program.isTooLarge || this.known.isFull) {
      return;
    }
    const at = this.program.length - 1;
    const text = this.cursor.since(from);
    this.known.add(new KnownClass(text, this.has(Flag.FoldCase), this.program.op(at), this.program.argument(at)));
  }

  private emitAssertion(condition: Condition): void {
    this.beginPiece();
    this.program.emit(Op.Assert, condition);
  }

  private readBackslash(): void {
    const cursor = this.cursor;
    if (cursor.skip('\\A')) {
      this.emitAssertion(Condition.BeginText);
    } else if (cursor.skip('\\z')) {
      this.emitAssertion(Condition.EndText);
    } else if (cursor.skip('\\b')) {
      this.emitAssertion(Condition.WordBoundary);
    } else if (cursor.skip('\\B')) {
      this.emitAssertion(Condition.NoWordBoundary);
    } else if (cursor.skip('\\Q')) {
      while (!cursor.isAtEnd && !cursor.skip('\\E') && !this.program.isTooLarge) {
        this.emitRune(cursor.next());
      }
    } else {
      if (this.emitKnown()) {
        return;
      }
      const set = new RuneSet();
      const from = cursor.at;
      if (this.classes.readNamed(this.has(Flag.FoldCase), set)) {
        set.normalize();
        this.emitClass(set);
        this.know(from);
      } else {
        this.emitRune(this.classes.readEscape());
      }
    }
  }

  // Groups

  private readOpening(): void {
    const cursor = this.cursor;
    const from = cursor.at;
    cursor.at++;
    if (!cursor.skip('?')) {
      this.openGroup(this.flags);
      return;
    }
    const behindName = cursor.peek() == 0x3c ? 1 : cursor.peek() == 0x50 && cursor.peek(1) == 0x3c ? 2 : 0;
    if (behindName > 0 && cursor.peek(behindName) != END) {
      this.readName(from, cursor.at + behindName);
    } else {
      this.readFlags(from);
    }
  }

  private readName(from: i32, nameFrom: i32): void {
    const cursor = this.cursor;
    const end = cursor.pattern.indexOf(0x3e, nameFrom);
    cursor.at = end < 0 ? cursor.pattern.length : end + 1;
    let isName = end > nameFrom;
    for (let at = nameFrom; at < end && isName; at++) {
      const byte = <i32>cursor.pattern.byteAt(at);
      isName = byte == 0x5f || isAlphanumeric(byte);
    }
    if (isName) {
      this.openGroup(this.flags);
    } else {
      cursor.fail('invalid named capture', cursor.since(from));
    }
  }

  /** Reads `i`, `m`, `s`, `U` with at most one minus sign, and `:` (of a group) or `)` (for the rest of this one). */
  private readFlags(from: i32): void {
    const cursor = this.cursor;
    let flags = this.flags;
    let isOff = false;
    let isAny = true;
    for (;;) {
      const letter = cursor.next();
      const flag = flagOf(letter);
      if (flag != 0) {
        flags = isOff ? flags & ~flag : flags | flag;
        isAny = true;
      } else if (letter == 0x2d && !isOff) {
        isOff = true;
        isAny = false;
      } else if ((letter == 0x3a || letter == 0x29) && isAny) {
        if (letter == 0x3a) {
          this.openGroup(this.flags);
        }
        this.flags = flags;
        return;
      } else {
        cursor.fail('invalid or unsupported Perl syntax', cursor.since(from));
        return;
      }
    }
  }

  private openGroup(flags: i32): void {
    if (this.outer.length + 1 >= NESTING_MOST) {
      this.cursor.fail('expression nests too deeply', this.cursor.pattern);
      return;
    }
    this.endPiece();
    this.outer.push(this.group);
    this.group = new Group(this.program.length, flags);
  }

  private closeGroup(): void {
    if (this.outer.length == 0) {
      this.cursor.fail('unexpected )', this.cursor.pattern);
      return;
    }
    this.endAlternatives();
    const group = this.group;
    this.group = this.outer.pop();
    this.flags = group.flags;
    this.piece = group.start;
    this.pieceRepeats = group.repeats;
  }

  private nextAlternative(): void {
    this.endPiece();
    const program = this.program;
    const begin = this.group.alternative;
    program.insert(begin, Op.Split, program.length - begin + 2);
    program.emit(Op.Jump, this.group.jumps);
    this.group.jumps = program.length - 1;
    this.group.alternative = program.length;
  }

  private endAlternatives(): void {
    this.endPiece();
    const end = this.program.length;
    let jump = this.group.jumps;
    while (jump != NONE) {
      const before = this.program.argument(jump);
      this.program.setArgument(jump, end - jump);
      jump = before;
    }
  }

  // Repetition

  /** Reads `{n}`, `{n,}` or `{n,m}`; anything else that begins with a brace stands for itself. */
  private readCounts(): bool {
    const cursor = this.cursor;
    const from = cursor.at;
    cursor.at++;
    const least = this.readCount();
    const isRange = least != NONE && cursor.skip(',');
    const isOpen = isRange && cursor.peek() == 0x7d;
    const most = isRange && !isOpen ? this.readCount() : isOpen ? UNBOUNDED : least;
    if (least == NONE || (most == NONE && !isOpen) || !cursor.skip('}')) {
      cursor.at = from + 1;
      this.emitRune(0x7b);
      return false;
    }
    if (least > REPEAT_MOST || most > REPEAT_MOST || (!isOpen && least > most)) {
      cursor.fail('invalid repeat count', cursor.since(from));
    }
    return this.repeat(from, least, most);
  }

  /** Reads a number without leading zeros, or gives NONE; one that is too great stays too great. */
  private readCount(): i32 {
    const cursor = this.cursor;
    const from = cursor.at;
    let value = 0;
    while (cursor.peek() >= 0x30 && cursor.peek() <= 0x39) {
      value = min(value * 10 + cursor.next() - 0x30, REPEAT_MOST + 1);
    }
    const digits = cursor.at - from;
    return digits == 0 || (digits > 1 && cursor.pattern.byteAt(from) == 0x30) ? NONE : value;
  }

  /** Ends the operator that begins at `from`, and applies it. */
  private repeat(from: i32, least: i32, most: i32): bool {
    const cursor = this.cursor;
    cursor.skip('?');
    const repeats = most == 0 ? 1 : this.pieceRepeats * max(1, most == UNBOUNDED ? least : most);
    if (this.operator != NONE) {
      cursor.fail('invalid nested repetition operator', cursor.since(this.operator));
    } else if (this.piece == NONE) {
      cursor.fail('missing argument to repetition operator', cursor.since(from));
    } else if (repeats > REPEAT_MOST) {
      cursor.fail('invalid repeat count', cursor.since(from));
    }
    if (cursor.error == null) {
      this.pieceRepeats = repeats;
      if (most == UNBOUNDED) {
        this.program.repeatAtLeast(this.piece, least);
      } else {
        this.program.repeatBetween(this.piece, least, most);
      }
    }
    return true;
  }
}

/** The flag of a letter, or 0. */
function flagOf(letter: i32): i32 {
  switch (letter) {
    case 0x69: // i
      return Flag.FoldCase;
    case 0x6d: // m
      return Flag.MultiLine;
    case 0x73: // s
      return Flag.DotIsAny;
    case 0x55: // U
      return Flag.Lazy;
    default:
      return 0;
  }
}
