// Regular expressions as Go's regexp takes them (RE2 syntax): compiled once, matched in linear time.

import { Text } from '../../json/text';
import { Matcher } from './matcher';
import { Parser } from './parser';
import { Program } from './program';

/** A compiled pattern, valid until the arena is emptied. */
export class Pattern {
  private constructor(
    /** Why the pattern is refused, in Go's words, or null. One that is refused matches nothing. */
    readonly error: Text | null,
    private readonly program: Program,
  ) {}

  static compile(text: Text): Pattern {
    const parser = new Parser(text);
    parser.parse();
    return new Pattern(parser.error, parser.program);
  }

  /** Whether any part of a text matches. */
  matches(text: Text): bool {
    return this.error == null && new Matcher(this.program, text).search();
  }
}
