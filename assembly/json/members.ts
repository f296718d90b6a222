// Double keys in an object. A key that shares a bit of its fingerprint with an earlier one is compared with those before
// it: up to a handful at once, more by sorting, so that no choice of names makes the check slow.

import { compareBytes, sameBytes } from './text';

/** Objects with more members are sorted. */
const FEW: i32 = 24;
/** Set in the length of an object that is still open. */
const SUSPECT: u32 = 0x100;

/** Of 64 bits, the one of a key: keys of other bits are others. */
export function bitOf(key: usize): u64 {
  return (<u64>1) << (fingerprint(key) & 63);
}

/** Must all keys of the open object be compared at its end? */
export function isSuspect(container: usize): bool {
  return load<u32>(container, 4) >= SUSPECT;
}

/** Looks at a key that may stand twice, before it is linked behind the others. */
export function suspect(container: usize, key: usize): void {
  if (isSuspect(container)) {
    return;
  }
  let other = load<usize>(container, 12);
  for (let i = 0; i < FEW && other != 0; i++) {
    if (sameName(other, key)) {
      break;
    }
    other = load<usize>(other, 8);
  }
  if (other != 0) {
    store<u32>(container, load<u32>(container, 4) | SUSPECT, 4);
  }
}

/** The second key of a pair of equals, or 0. */
export function findTwice(container: usize): usize {
  const first = load<usize>(container, 12);
  let count = 0;
  for (let key = first; key != 0; key = load<usize>(key, 8)) {
    for (let other = first; other != key && count < FEW; other = load<usize>(other, 8)) {
      if (sameName(other, key)) {
        return key;
      }
    }
    count++;
  }
  return count > FEW ? sortedTwice(first, count) : 0;
}

/** Takes keys that come again out of an object: of equal ones the last stays, as in Go. */
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
    store<u64>(place, ((<u64>fingerprint(key)) << 32) | <u64>key);
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

/** 32 bits of a name: equal names have equal ones. Reads up to eight bytes beyond the name. */
function fingerprint(key: usize): u32 {
  const start = load<usize>(key);
  const length = load<u32>(key, 4) >> 8;
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
