// What a parser knows of a group while it reads it.

/** In place of a place in a program. */
export const NONE = -1;

/** How what follows is read. */
export const enum Flag {
  FoldCase = 1,
  MultiLine = 2,
  DotIsAny = 4,
  /** Prefers the shortest match, which makes no difference to whether there is one. */
  Lazy = 8,
}

/** An open group, or the pattern itself. */
export class Group {
  /** Where the alternative being read begins. */
  alternative: i32;
  /** The last jump to the end of the group that is still to be filled in; its argument is the one before it. */
  jumps: i32 = NONE;
  /** Product of the counted repeats of its most repeated piece. */
  repeats: i32 = 1;

  constructor(
    readonly start: i32,
    /** Those to be set again behind the group. */
    readonly flags: i32,
  ) {
    this.alternative = start;
  }
}
