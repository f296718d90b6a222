// Regular expressions as Go's regexp takes them (RE2 syntax): compiled once, matched in linear time.

import { Text } from '../../json/text';
import { Automaton } from './automaton';
import { Matcher } from './matcher';
import { Parser } from './parser';
import { Program } from './program';

/** Steps that an instruction may take for a code point, the search in a class of Unicode included. */
const STEPS_AN_INSTRUCTION: i64 = 16;

/** After a pattern has taken so many steps, what was found is worth remembering; likewise when a text may take that. */
const REMEMBERED_FROM: i32 = 20_000;
const LONG_FROM: i64 = 60_000;

/** What the costliest pattern that is accepted takes to be compiled, and to match. */
const STEPS_TO_COMPILE: i32 = 5_000_000;
const BYTES_TO_COMPILE: usize = 16 << 20;

/** A compiled pattern, valid until the arena is emptied. */
export class Pattern {
  private matcher: Matcher | null = null;
  private automaton: Automaton | null = null;
  private work: i32 = 0;
  /** Whether it may take memory to be fast. */
  remembers: bool = true;

  private constructor(
    /** Why the pattern is refused, in Go's words, or null. One that is refused matches nothing. */
    readonly error: Text | null,
    private readonly program: Program,
    readonly text: Text,
  ) {}

  /** Whether the running call has the steps and the memory left that a pattern may take. */
  static canCompile(): bool {
    return __left() > STEPS_TO_COMPILE && __room() > BYTES_TO_COMPILE;
  }

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
    if (this.error !== null) {
      return false;
    }
    const matcher = this.matcher;
    if (matcher === null) {
      this.matcher = new Matcher(this.program);
    }
    return this.search(this.matcher as Matcher, text);
  }

  private search(matcher: Matcher, text: Text): bool {
    const most = <i64>this.program.length * <i64>text.length;
    if (this.remembers && (this.work > REMEMBERED_FROM || most > LONG_FROM)) {
      if (this.automaton === null) {
        this.automaton = new Automaton(this.program, matcher);
      }
      return (this.automaton as Automaton).search(text);
    }
    const left = __left();
    const isFound = matcher.search(text);
    this.work += left - __left();
    return isFound;
  }
}
