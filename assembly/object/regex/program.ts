// A compiled pattern: instructions of a nondeterministic automaton, which go on to the next one unless they say
// otherwise. All jumps are relative, so that a piece of the program can be moved and copied as it is.

import { RuneSet } from './runes';

/** Bounds of what a pattern may compile to: matching costs at most some steps an instruction for each character. */
const INSTRUCTIONS_MOST = 2000;
const CLASS_NUMBERS_MOST = 1 << 18;

/** Numbers of an instruction. */
const WIDTH = 2;
/** Numbers of a class before its ranges: 128 bits for ASCII, count of ranges. */
const CLASS_HEAD = 5;
const ASCII_END = 0x80;
const NEWLINE = 0x0a;

export const enum Op {
  /** Takes one code point, the argument. */
  Rune,
  /** Takes a code point of a class; the argument is its place in the class numbers. */
  Class,
  /** Takes any code point. */
  Any,
  /** Takes any code point but the newline. */
  AnyOfLine,
  /** Goes on at the next instruction, and at the one this far away. */
  Split,
  /** Goes on at the instruction this far away. */
  Jump,
  /** Goes on if all conditions hold that are bits of the argument. */
  Assert,
  Match,
}

/** What may be asked about the place between two code points. */
export const enum Condition {
  BeginText = 1,
  EndText = 2,
  BeginLine = 4,
  EndLine = 8,
  WordBoundary = 16,
  NoWordBoundary = 32,
}

export class Program {
  private code: i32[] = [];
  private classes: i32[] = [];
  /** Whether the bounds were passed; the program is of no use then. */
  isTooLarge: bool = false;

  get length(): i32 {
    return this.code.length / WIDTH;
  }

  op(at: i32): Op {
    return this.code[at * WIDTH];
  }

  argument(at: i32): i32 {
    return this.code[at * WIDTH + 1];
  }

  emit(op: Op, argument: i32): void {
    if (this.hasRoom(1)) {
      this.code.push(op);
      this.code.push(argument);
    }
  }

  /** Puts an instruction before those from `at` on. */
  insert(at: i32, op: Op, argument: i32): void {
    if (this.hasRoom(1)) {
      const end = this.code.length;
      this.code.push(0);
      this.code.push(0);
      this.code.copyWithin((at + 1) * WIDTH, at * WIDTH, end);
      this.code[at * WIDTH] = op;
      this.code[at * WIDTH + 1] = argument;
    }
  }

  setArgument(at: i32, argument: i32): void {
    this.code[at * WIDTH + 1] = argument;
  }

  /** Drops the instructions from `at` on. */
  private truncate(at: i32): void {
    this.code.length = at * WIDTH;
  }

  /** Appends the instructions `from` (included) to `to` (excluded) again. */
  private copy(from: i32, to: i32): void {
    if (this.hasRoom(to - from)) {
      const end = this.code.length;
      this.code.length = end + (to - from) * WIDTH;
      this.code.copyWithin(end, from * WIDTH, to * WIDTH);
    }
  }

  /** Runs the instructions from `begin` on at least so often. */
  repeatAtLeast(begin: i32, least: i32): void {
    const end = this.length;
    const size = end - begin;
    if (least == 0) {
      this.insert(begin, Op.Split, size + 2);
      this.emit(Op.Jump, -(size + 1));
      return;
    }
    for (let i = 1; i < least && !this.isTooLarge; i++) {
      this.copy(begin, end);
    }
    this.emit(Op.Split, -size);
  }

  /** Runs the instructions from `begin` on so often; each time beyond `least`, the rest may be left out. */
  repeatBetween(begin: i32, least: i32, most: i32): void {
    const end = this.length;
    const size = end - begin;
    for (let i = 1; i < most && !this.isTooLarge; i++) {
      if (i >= least) {
        this.emit(Op.Split, (most - i) * (size + 1));
      }
      this.copy(begin, end);
    }
    if (most == 0) {
      this.truncate(begin);
    } else if (least == 0) {
      this.insert(begin, Op.Split, this.length - begin + 1);
    }
  }

  /** Takes one code point of a set, which is normalized. */
  emitClass(set: RuneSet): void {
    if (set.length == 1 && set.first(0) == set.last(0)) {
      this.emit(Op.Rune, set.first(0));
      return;
    }
    const place = this.classes.length;
    if (place + set.length * 2 > CLASS_NUMBERS_MOST) {
      this.isTooLarge = true;
    }
    if (!this.isTooLarge) {
      this.addClass(set);
      this.emit(Op.Class, place);
    }
  }

  private addClass(set: RuneSet): void {
    const place = this.classes.length;
    for (let i = 0; i < CLASS_HEAD; i++) {
      this.classes.push(0);
    }
    for (let i = 0; i < set.length; i++) {
      for (let rune = set.first(i); rune < min(ASCII_END, set.last(i) + 1); rune++) {
        this.classes[place + (rune >> 5)] |= 1 << (rune & 31);
      }
      if (set.last(i) >= ASCII_END) {
        this.classes[place + CLASS_HEAD - 1] += 1;
        this.classes.push(set.first(i));
        this.classes.push(set.last(i));
      }
    }
  }

  /** Whether an instruction that takes a code point takes this one. */
  takes(at: i32, rune: i32): bool {
    switch (this.op(at)) {
      case Op.Rune:
        return this.argument(at) == rune;
      case Op.Class:
        return this.isInClass(this.argument(at), rune);
      case Op.AnyOfLine:
        return rune != NEWLINE;
      default:
        return true;
    }
  }

  /** Whether a class has a code point. */
  isInClass(place: i32, rune: i32): bool {
    if (rune < ASCII_END) {
      return ((this.classes[place + (rune >> 5)] >> (rune & 31)) & 1) != 0;
    }
    let low = 0;
    let high = this.classes[place + CLASS_HEAD - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = place + CLASS_HEAD + 2 * middle;
      if (rune > this.classes[at + 1]) {
        low = middle + 1;
      } else if (rune < this.classes[at]) {
        high = middle;
      } else {
        return true;
      }
    }
    return false;
  }

  private hasRoom(count: i32): bool {
    this.isTooLarge = this.isTooLarge || this.length + count > INSTRUCTIONS_MOST;
    return !this.isTooLarge;
  }
}
