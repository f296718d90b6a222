// Regular expressions as Go's regexp takes them (RE2 syntax): compiled once, matched in linear time.

import { Text } from '../../json/text';
import { Matcher } from './matcher';
import { Parser } from './parser';
import { Program } from './program';

/** Steps that an instruction may take for a character, the search in a class of Unicode included. */
const STEPS_AN_INSTRUCTION: i64 = 16;

/** A compiled pattern, valid until the arena is emptied. */
export class Pattern {
  private constructor(
    /** Why the pattern is refused, in Go's words, or null. One that is refused matches nothing. */
    readonly error: Text | null,
    private readonly program: Program,
    readonly text: Text,
  ) {}

  static compile(text: Text): Pattern {
    const parser = new Parser(text);
    parser.parse();
    return new Pattern(parser.error, parser.program, text);
  }

  /** Whether the running call has the steps left that a match may take. */
  canMatch(text: Text): bool {
    return <i64>__left() > <i64>this.program.length * (<i64>text.length + 1) * STEPS_AN_INSTRUCTION;
  }

  /** Whether any part of a text matches. */
  matches(text: Text): bool {
    return this.error == null && new Matcher(this.program, text).search();
  }
}
