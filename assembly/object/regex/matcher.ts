// Runs a program over a text: all of its states at once, so that the time is at most length of the text times length
// of the program, whatever the pattern.

import { Text } from '../../json/text';
import { Condition, Op, Program } from './program';
import { decodeRune } from './utf8';

const NEWLINE: u8 = 0x0a;

/** One search. */
export class Matcher {
  /** Instructions that wait for a code point, and those at which to go on behind it. */
  private waiting: StaticArray<i32>;
  private waitingCount: i32 = 0;
  private next: StaticArray<i32>;
  private nextCount: i32 = 0;
  /** For each instruction the last round that reached it. */
  private reached: StaticArray<i32>;
  private round: i32 = 0;
  /** Second ways of splits, still to be followed. */
  private pending: StaticArray<i32>;
  private isMatch: bool = false;

  constructor(
    private readonly program: Program,
    private readonly text: Text,
  ) {
    const length = program.length;
    this.waiting = new StaticArray<i32>(length);
    this.next = new StaticArray<i32>(length);
    this.reached = new StaticArray<i32>(length);
    this.pending = new StaticArray<i32>(length);
  }

  /** Whether any part of the text, even an empty one, matches. */
  search(): bool {
    const begins = this.program.op(0) == Op.Assert && (this.program.argument(0) & Condition.BeginText) != 0;
    let at = 0;
    this.settle(at, true);
    while (!this.isMatch && at < this.text.length && (this.waitingCount > 0 || !begins)) {
      const decoded = decodeRune(this.text, at);
      this.take(decoded >> 3);
      at += decoded & 7;
      this.settle(at, !begins);
    }
    return this.isMatch;
  }

  /** Follows everything that takes no code point, from the states reached and from the beginning of the program. */
  private settle(at: i32, fromBeginning: bool): void {
    this.round++;
    this.waitingCount = 0;
    const conditions = this.conditions(at);
    for (let i = 0; i < this.nextCount && !this.isMatch; i++) {
      this.follow(this.next[i], conditions);
    }
    if (fromBeginning) {
      this.follow(0, conditions);
    }
  }

  private follow(from: i32, conditions: i32): void {
    let count = 0;
    this.pending[count++] = from;
    while (count > 0) {
      let at = this.pending[--count];
      while (this.reached[at] != this.round) {
        this.reached[at] = this.round;
        const op = this.program.op(at);
        const argument = this.program.argument(at);
        if (op == Op.Split) {
          this.pending[count++] = at + argument;
          at++;
        } else if (op == Op.Jump) {
          at += argument;
        } else if (op == Op.Assert) {
          if ((argument & ~conditions) != 0) {
            break;
          }
          at++;
        } else if (op == Op.Match) {
          this.isMatch = true;
          return;
        } else {
          this.waiting[this.waitingCount++] = at;
          break;
        }
      }
    }
  }

  private take(rune: i32): void {
    this.nextCount = 0;
    for (let i = 0; i < this.waitingCount; i++) {
      const at = this.waiting[i];
      if (this.takes(at, rune)) {
        this.next[this.nextCount++] = at + 1;
      }
    }
  }

  private takes(at: i32, rune: i32): bool {
    switch (this.program.op(at)) {
      case Op.Rune:
        return this.program.argument(at) == rune;
      case Op.Class:
        return this.program.isInClass(this.program.argument(at), rune);
      case Op.AnyOfLine:
        return rune != NEWLINE;
      default:
        return true;
    }
  }

  /** The conditions that hold at a place. */
  private conditions(at: i32): i32 {
    const isBegin = at == 0;
    const isEnd = at == this.text.length;
    const before = isBegin ? NEWLINE : this.text.byteAt(at - 1);
    const behind = isEnd ? NEWLINE : this.text.byteAt(at);
    return (
      (isBegin ? Condition.BeginText : 0) |
      (isEnd ? Condition.EndText : 0) |
      (before == NEWLINE ? Condition.BeginLine : 0) |
      (behind == NEWLINE ? Condition.EndLine : 0) |
      (isWord(before) != isWord(behind) ? Condition.WordBoundary : Condition.NoWordBoundary)
    );
  }
}

/** A letter, digit or underscore of ASCII. */
function isWord(byte: u8): bool {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5f;
}
