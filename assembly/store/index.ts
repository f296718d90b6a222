// The index of the store: under a hashed term stand the entries that can only matter where this term is present.
// Two terms may share a bucket, so what is found is a candidate: the policy still matches it exactly.

import { give, take } from './heap';
import { Entry } from './stored';
import { Chained, Table } from './table';

/** An entry under a term, which is its hash; in its bucket, and in the list of its entry. */
@unmanaged
class Link extends Chained {
  ofEntry: usize;
  entry: Entry;
}

const LINK_BYTES: usize = 32;

/** Puts an entry under a term; false when the memory has no more room. */
export function index(entry: Entry, term: u32): bool {
  if (!links().makeRoom()) {
    return false;
  }
  const at = take(LINK_BYTES);
  if (at == 0) {
    return false;
  }
  const link = changetype<Link>(at);
  link.entry = entry;
  link.hash = term;
  link.ofEntry = entry.links;
  entry.links = at;
  links().add(link);
  return true;
}

/** Takes an entry out of the index. */
export function unindex(entry: Entry): void {
  let at = entry.links;
  while (at != 0) {
    const link = changetype<Link>(at);
    links().remove(link);
    const next = link.ofEntry;
    give(at, LINK_BYTES);
    at = next;
  }
  entry.links = 0;
}

/** First link under a term, or 0: `nextUnder` goes on, `entryOf` gives the entry. */
export function under(term: u32): usize {
  return matching(links().first(term), term);
}

export function nextUnder(link: usize): usize {
  return matching(changetype<Link>(link).next, changetype<Link>(link).hash);
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
  while (at != 0 && changetype<Link>(at).hash != term) {
    at = changetype<Link>(at).next;
  }
  return at;
}

function links(): Table {
  return changetype<Table>(memory.data(offsetof<Table>()));
}
