// Double keys in an object. Up to a handful of members every pair is compared by a fingerprint; more are sorted,
// so that no choice of names makes the check slow.

import { compareBytes, sameBytes } from './text';
import { NODE_BYTES } from './view';

/** Objects with more members are sorted. */
const FEW: i32 = 24;

/** 32 bits of a name: equal names have equal ones. Reads up to eight bytes beyond the name. */
export function fingerprint(start: usize, length: i32): u32 {
  let head = load<u64>(start);
  let tail: u64 = 0;
  if (length < 8) {
    head &= ((<u64>1) << ((<u64>length) << 3)) - 1;
  } else {
    tail = load<u64>(start + length - 8);
  }
  const mixed = (head ^ (tail * 0x9e3779b97f4a7c15) ^ <u64>length) * 0xff51afd7ed558ccd;
  return <u32>(mixed >> 32);
}

/**
 * Ends the reading of an object whose keys carry fingerprints in the place of their values' addresses:
 * puts the addresses there. Gives the second key of a pair of equals, or 0.
 */
export function settle(container: usize): usize {
  const first = load<usize>(container, 12);
  let count = 0;
  // One bit for each fingerprint seen: only names that share a bit with an earlier one can equal it.
  let seen: u64 = 0;
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    const print = load<u32>(key, 12);
    const bit = (<u64>1) << (print & 63);
    if ((seen & bit) != 0 && count < FEW) {
      for (let other = first; other != key; other = load<usize>(other, 8)) {
        if (load<u32>(other, 12) == print && sameName(other, key)) {
          return key;
        }
      }
    }
    seen |= bit;
    count++;
  }
  if (count > FEW) {
    const twice = sortedTwice(first, count);
    if (twice != 0) {
      return twice;
    }
  }
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    store<usize>(key, key + NODE_BYTES, 12);
  }
  return 0;
}

/** Takes keys that come again out of an object that is not settled yet: of equal ones the last stays, as in Go. */
export function keepLast(container: usize): void {
  const first = load<usize>(container, 12);
  let count = 0;
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    count++;
  }
  const block = heap.alloc((<usize>count) << 4);
  const keys = sorted(block, first, count);
  for (let i = 1; i < count; i++) {
    const key = load<u64>(keys + ((<usize>(i - 1)) << 3));
    if (order(key, load<u64>(keys + ((<usize>i) << 3))) == 0) {
      store<usize>(<usize>key, 0);
    }
  }
  heap.free(block);
  let before: usize = 0;
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    if (load<usize>(key) != 0) {
      before = key;
    } else if (before == 0) {
      store<usize>(container, load<usize>(key, 8), 12);
    } else {
      store<usize>(before, load<usize>(key, 8), 8);
    }
  }
}

/** The second key of a pair of equals, or 0. */
function sortedTwice(first: usize, count: i32): usize {
  const block = heap.alloc((<usize>count) << 4);
  const keys = sorted(block, first, count);
  let twice: usize = 0;
  for (let i = 1; i < count && twice == 0; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    if (order(load<u64>(keys + ((<usize>(i - 1)) << 3)), key) == 0) {
      twice = <usize>key;
    }
  }
  heap.free(block);
  return twice;
}

/** Merge sort from small runs to the whole, within the block: equal keys are neighbours, in the order of the text. */
function sorted(block: usize, first: usize, count: i32): usize {
  let from = block;
  let to = block + ((<usize>count) << 3);
  let place = from;
  // The fingerprint stands before the address, so that the keys themselves are hardly ever looked at.
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    store<u64>(place, ((<u64>load<u32>(key, 12)) << 32) | <u64>key);
    place += 8;
  }
  for (let width = 1; width < count; width <<= 1) {
    for (let left = 0; left < count; left += width << 1) {
      merge(from, to, left, min(left + width, count), min(left + (width << 1), count));
    }
    const swap = from;
    from = to;
    to = swap;
  }
  return from;
}

function merge(from: usize, to: usize, left: i32, middle: i32, right: i32): void {
  let a = left;
  let b = middle;
  for (let i = left; i < right; i++) {
    const takesLeft =
      a < middle &&
      (b >= right || order(load<u64>(from + ((<usize>a) << 3)), load<u64>(from + ((<usize>b) << 3))) <= 0);
    store<u64>(to + ((<usize>i) << 3), load<u64>(from + ((<usize>(takesLeft ? a++ : b++)) << 3)));
  }
}

/** Any total order in which equal names are neighbours. */
function order(a: u64, b: u64): i32 {
  if (a >> 32 != b >> 32) {
    return a < b ? -1 : 1;
  }
  const keyA = <usize>a;
  const keyB = <usize>b;
  const lengthA = load<u32>(keyA, 4) >> 8;
  const lengthB = load<u32>(keyB, 4) >> 8;
  if (lengthA != lengthB) {
    return lengthA < lengthB ? -1 : 1;
  }
  return compareBytes(load<usize>(keyA), load<usize>(keyB), lengthA);
}

function sameName(a: usize, b: usize): bool {
  const length = load<u32>(a, 4) >> 8;
  return length == load<u32>(b, 4) >> 8 && sameBytes(load<usize>(a), load<usize>(b), length);
}
