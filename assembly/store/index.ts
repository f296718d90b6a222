// The index of the store: under a hashed term stand the entries that can only matter where this term is present.
// Two terms may share a bucket, so what is found is a candidate: the policy still matches it exactly.

import { give, take } from './heap';
import { Entry } from './stored';

/** An entry under a term; in the list of its bucket, and in the list of its entry. */
@unmanaged
class Link {
  next: usize;
  previous: usize;
  ofEntry: usize;
  entry: Entry;
  term: u32;
}

const LINK_BYTES: usize = 32;

let buckets: usize = 0;
let bucketCount: u32 = 0;
let linkCount: u32 = 0;

/** Puts an entry under a term; false when the memory has no more room. */
export function index(entry: Entry, term: u32): bool {
  if (linkCount >= bucketCount && !grow()) {
    return false;
  }
  const at = take(LINK_BYTES);
  if (at == 0) {
    return false;
  }
  const link = changetype<Link>(at);
  link.entry = entry;
  link.term = term;
  link.ofEntry = entry.links;
  entry.links = at;
  hang(link);
  linkCount++;
  return true;
}

/** Takes an entry out of the index. */
export function unindex(entry: Entry): void {
  let at = entry.links;
  while (at != 0) {
    const link = changetype<Link>(at);
    if (link.previous == 0) {
      store<usize>(bucketOf(link.term), link.next);
    } else {
      changetype<Link>(link.previous).next = link.next;
    }
    if (link.next != 0) {
      changetype<Link>(link.next).previous = link.previous;
    }
    linkCount--;
    const next = link.ofEntry;
    give(at, LINK_BYTES);
    at = next;
  }
  entry.links = 0;
}

/** First link under a term, or 0: `nextUnder` goes on, `entryOf` gives the entry. */
export function under(term: u32): usize {
  return bucketCount == 0 ? 0 : matching(load<usize>(bucketOf(term)), term);
}

export function nextUnder(link: usize): usize {
  return matching(changetype<Link>(link).next, changetype<Link>(link).term);
}

export function entryOf(link: usize): Entry {
  return changetype<Link>(link).entry;
}

/** Number of entries under a term, counted up to `most`. */
export function countUnder(term: u32, most: i32): i32 {
  let count = 0;
  for (let link = under(term); link != 0 && count < most; link = nextUnder(link)) {
    count++;
  }
  return count;
}

function matching(link: usize, term: u32): usize {
  let at = link;
  while (at != 0 && changetype<Link>(at).term != term) {
    at = changetype<Link>(at).next;
  }
  return at;
}

function bucketOf(term: u32): usize {
  return buckets + ((<usize>((term * 0x9e3779b1) >> (clz(bucketCount) + 1))) << 2);
}

function hang(link: Link): void {
  const bucket = bucketOf(link.term);
  const first = load<usize>(bucket);
  link.previous = 0;
  link.next = first;
  if (first != 0) {
    changetype<Link>(first).previous = changetype<usize>(link);
  }
  store<usize>(bucket, changetype<usize>(link));
}

/** Twice as many buckets, each link hung anew. */
function grow(): bool {
  const count = max(bucketCount << 1, 256);
  const place = take((<usize>count) << 2);
  if (place == 0) {
    return false;
  }
  memory.fill(place, 0, (<usize>count) << 2);
  const old = buckets;
  const oldCount = bucketCount;
  buckets = place;
  bucketCount = count;
  for (let i: u32 = 0; i < oldCount; i++) {
    let at = load<usize>(old + ((<usize>i) << 2));
    while (at != 0) {
      const link = changetype<Link>(at);
      at = link.next;
      hang(link);
    }
  }
  if (old != 0) {
    give(old, (<usize>oldCount) << 2);
  }
  return true;
}
