// The patterns of a review. Each brings steps of its own, so that many that are each accepted do not use up what the review
// has for all else. There is an end to that, so a review is bounded as before.

import { Text } from '../../json/text';
import { Pattern } from './pattern';

/** What a pattern brings, and how many do. These remember what they found, too. */
const STEPS_A_PATTERN: i32 = 2_000_000;
const BRINGING_MOST: i32 = 100;

/** One for each review. */
export class Patterns {
  private count: i32 = 0;

  /** Compiles a pattern. Null when that may take more than the review has left. */
  compile(text: Text): Pattern | null {
    const brings = this.count++ < BRINGING_MOST;
    if (brings) {
      __grant(STEPS_A_PATTERN);
    }
    if (!Pattern.canCompile()) {
      return null;
    }
    const pattern = Pattern.compile(text);
    pattern.remembers = brings;
    return pattern;
  }
}
