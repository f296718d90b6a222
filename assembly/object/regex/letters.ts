// Bytes of ASCII that a program cannot tell apart, as numbers of letters of its alphabet.

import { Op, Program } from './program';

/** Behind the last byte of ASCII. */
export const ASCII_END = 0x80;
const NEWLINE = 0x0a;

/** Kinds of instructions that are told apart; a program with more has each byte as a letter of its own. */
const KINDS_MOST = 64;

/** What stands behind a place, as far as conditions ask. */
export const enum Behind {
  End,
  Newline,
  Word,
  Other,
}

/** The alphabet of one program: bytes of one letter are taken, or not, by the same instructions. */
export class Letters {
  /** For each byte its letter. */
  private readonly numbers: StaticArray<u8> = new StaticArray<u8>(ASCII_END);
  private readonly renumbered: StaticArray<i32> = new StaticArray<i32>(2 * ASCII_END);
  count: i32 = 1;
  /** Whether the program asks what stands before or behind a place. */
  asks: bool = false;

  constructor(program: Program) {
    const known = new StaticArray<i32>(KINDS_MOST);
    let kinds = 0;
    for (let at = 0; at < program.length; at++) {
      const op = program.op(at);
      this.asks = this.asks || op == Op.Assert;
      if (op != Op.Rune && op != Op.Class && op != Op.AnyOfLine) {
        continue;
      }
      if (isKnown(program, at, known, kinds)) {
        continue;
      }
      if (kinds == KINDS_MOST) {
        this.tellAllApart();
        continue;
      }
      known[kinds++] = at;
      this.split(program, at, Behind.Other);
    }
    if (this.asks) {
      this.split(program, -1, Behind.Newline);
      this.split(program, -1, Behind.Word);
    }
  }

  of(byte: u8): i32 {
    return this.numbers[byte];
  }

  // Bytes of one letter of which an instruction takes only some get two; without one, those that are of a kind.
  private split(program: Program, at: i32, kind: Behind): void {
    this.renumbered.fill(-1);
    let count = 0;
    for (let byte = 0; byte < ASCII_END; byte++) {
      const isTaken = at < 0 ? behindOf(<u8>byte) == kind : program.takes(at, byte);
      const key = 2 * <i32>this.numbers[byte] + <i32>isTaken;
      if (this.renumbered[key] < 0) {
        this.renumbered[key] = count++;
      }
      this.numbers[byte] = <u8>this.renumbered[key];
    }
    this.count = count;
  }

  private tellAllApart(): void {
    for (let byte = 0; byte < ASCII_END; byte++) {
      this.numbers[byte] = <u8>byte;
    }
    this.count = ASCII_END;
  }
}

/** The kind of a byte of ASCII; the end of a text has none. */
export function behindOf(byte: u8): Behind {
  return byte == NEWLINE ? Behind.Newline : isWord(byte) ? Behind.Word : Behind.Other;
}

/** A letter, digit or underscore of ASCII. */
export function isWord(byte: u8): bool {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5f;
}

function isKnown(program: Program, at: i32, known: StaticArray<i32>, count: i32): bool {
  for (let i = count - 1; i >= 0; i--) {
    if (program.op(at) == program.op(known[i]) && program.argument(at) == program.argument(known[i])) {
      return true;
    }
  }
  return false;
}
