// Runs a program over a text: all of its states at once, so that the time is at most length of the text times length
// of the program, whatever the pattern.

import { Text } from '../../json/text';
import { isWord } from './letters';
import { Condition, Op, Program } from './program';
import { decodeRune } from './utf8';

const NEWLINE: u8 = 0x0a;

/** The states of one search after the other. */
export class Matcher {
  /** Instructions that wait for a code point, and those at which to go on behind it. */
  readonly waiting: StaticArray<i32>;
  waitingCount: i32 = 0;
  private next: StaticArray<i32>;
  private nextCount: i32 = 0;
  /** For each instruction the last round that reached it. */
  private reached: StaticArray<i32>;
  private round: i32 = 0;
  /** Second ways of splits, still to be followed. */
  private pending: StaticArray<i32>;
  private text: Text = Text.empty();
  isMatch: bool = false;
  /** Whether a match can only begin where the text does. */
  readonly begins: bool;

  constructor(private readonly program: Program) {
    const length = program.length;
    this.waiting = new StaticArray<i32>(length);
    this.next = new StaticArray<i32>(length);
    this.reached = new StaticArray<i32>(length);
    this.pending = new StaticArray<i32>(length);
    this.begins = program.op(0) == Op.Assert && (program.argument(0) & Condition.BeginText) != 0;
  }

  /** Whether any part of the text, even an empty one, matches. */
  search(text: Text): bool {
    let at = 0;
    this.begin(text);
    while (!this.isMatch && at < text.length && (this.waitingCount > 0 || !this.begins)) {
      const decoded = decodeRune(text, at);
      at += decoded & 7;
      this.advance(decoded >> 3, at);
    }
    return this.isMatch;
  }

  /** Stands before the first code point of a text. */
  begin(text: Text): void {
    this.text = text;
    this.isMatch = false;
    this.nextCount = 0;
    this.settle(0, true);
  }

  /** Stands somewhere in a text; which instructions wait there is told next. */
  resume(text: Text): void {
    this.text = text;
    this.isMatch = false;
    this.waitingCount = 0;
  }

  /** From the instructions that wait to those that wait behind a code point, which ends at this place. */
  advance(rune: i32, at: i32): void {
    this.take(rune);
    this.settle(at, !this.begins);
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
      if (this.program.takes(at, rune)) {
        this.next[this.nextCount++] = at + 1;
      }
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
