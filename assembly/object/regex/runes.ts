// Sets of code points, as a character class of a pattern builds them.

import { FOLDS } from './tables';
import { LAST_RUNE } from './utf8';

/** No orbit of case folding has more members than this. */
const ORBIT_MOST = 4;
/** Steps in FOLDS: first and last code point, distance to the next of the orbit. */
const FOLD_STRIDE = 3;
/** In place of a distance: neighbours fold to each other, pairs beginning at even or at odd code points. */
const PAIRS_EVEN = 0x1000000;
const PAIRS_ODD = 0x1000001;

/** Ranges in order of being added, until `normalize` sorts and joins them. */
export class RuneSet {
  /** Each is its first code point shifted by 32, and its last. */
  private ranges: u64[] = [];

  get length(): i32 {
    return this.ranges.length;
  }

  first(index: i32): i32 {
    return <i32>(this.ranges[index] >> 32);
  }

  last(index: i32): i32 {
    return <i32>this.ranges[index];
  }

  add(first: i32, last: i32): void {
    const end = this.ranges.length - 1;
    if (end >= 0 && this.first(end) <= first && first <= this.last(end) + 1) {
      this.ranges[end] = range(this.first(end), max(this.last(end), last));
    } else {
      this.ranges.push(range(first, last));
    }
  }

  addAll(other: RuneSet): void {
    for (let i = 0; i < other.length; i++) {
      this.add(other.first(i), other.last(i));
    }
  }

  /** Sorts the ranges and joins those that touch. */
  normalize(): void {
    this.sort();
    const ranges = this.ranges;
    this.ranges = [];
    for (let i = 0; i < ranges.length; i++) {
      this.add(<i32>(ranges[i] >> 32), <i32>ranges[i]);
    }
  }

  /** Takes every code point that was not in the set. */
  negate(): void {
    this.normalize();
    const ranges = this.ranges;
    this.ranges = [];
    let next = 0;
    for (let i = 0; i < ranges.length; i++) {
      const first = <i32>(ranges[i] >> 32);
      if (next < first) {
        this.ranges.push(range(next, first - 1));
      }
      next = <i32>ranges[i] + 1;
    }
    if (next <= LAST_RUNE) {
      this.ranges.push(range(next, LAST_RUNE));
    }
  }

  /** Adds all code points that differ from one in the set by case only (Unicode's simple folding). */
  fold(): void {
    this.normalize();
    let size = this.size();
    for (let round = 1; round < ORBIT_MOST; round++) {
      this.addNextOfOrbits();
      this.normalize();
      const grown = this.size();
      if (grown == size) {
        return;
      }
      size = grown;
    }
  }

  /** How many code points there are, of a normalized set. */
  private size(): i32 {
    let size = 0;
    for (let i = 0; i < this.ranges.length; i++) {
      size += this.last(i) - this.first(i) + 1;
    }
    return size;
  }

  private addNextOfOrbits(): void {
    const length = this.ranges.length;
    let fold = 0;
    for (let i = 0; i < length; i++) {
      const first = this.first(i);
      const last = this.last(i);
      while (fold < FOLDS.length && FOLDS[fold + 1] < first) {
        fold += FOLD_STRIDE;
      }
      // The last fold of this range may reach into the next one.
      for (; fold < FOLDS.length && FOLDS[fold] <= last; fold += FOLD_STRIDE) {
        this.addFolded(max(first, FOLDS[fold]), min(last, FOLDS[fold + 1]), FOLDS[fold + 2]);
        if (FOLDS[fold + 1] > last) {
          break;
        }
      }
    }
  }

  private addFolded(first: i32, last: i32, distance: i32): void {
    if (distance == PAIRS_EVEN) {
      this.add(first & ~1, last | 1);
    } else if (distance == PAIRS_ODD) {
      this.add((first - 1) | 1, (last + 1) & ~1);
    } else {
      this.add(first + distance, last + distance);
    }
  }

  /** Heap sort, unless the ranges are in order. */
  private sort(): void {
    const length = this.ranges.length;
    let inOrder = true;
    for (let i = 1; i < length && inOrder; i++) {
      inOrder = this.ranges[i - 1] <= this.ranges[i];
    }
    if (inOrder) {
      return;
    }
    for (let root = (length >> 1) - 1; root >= 0; root--) {
      this.sift(root, length);
    }
    for (let end = length - 1; end > 0; end--) {
      const greatest = this.ranges[0];
      this.ranges[0] = this.ranges[end];
      this.ranges[end] = greatest;
      this.sift(0, end);
    }
  }

  private sift(from: i32, end: i32): void {
    let root = from;
    for (;;) {
      let child = 2 * root + 1;
      if (child >= end) {
        return;
      }
      if (child + 1 < end && this.ranges[child] < this.ranges[child + 1]) {
        child++;
      }
      if (this.ranges[root] >= this.ranges[child]) {
        return;
      }
      const greater = this.ranges[child];
      this.ranges[child] = this.ranges[root];
      this.ranges[root] = greater;
      root = child;
    }
  }
}

function range(first: i32, last: i32): u64 {
  return ((<u64>first) << 32) | last;
}
