// Terms of labels: under one requirement of its selector, the one that fewest others stand under, an object is found by
// the pods that may meet it.

import { View } from '../json/view';
import { keyTerm, Needs, valueTerm } from '../object/selector';
import { countUnder, index } from '../store/index';
import { Entry } from '../store/stored';

/** Entries under a term are counted up to here; beyond it terms count alike. */
const COUNT_MOST: i32 = 1000;

/** The requirement to stand under, of those that were considered. */
export class BestTerms {
  private terms: Array<u32> = [];
  private count: i32 = i32.MAX_VALUE;

  consider(needs: Needs): void {
    while (needs.next()) {
      this.take(needs.terms.slice(0));
    }
  }

  take(terms: Array<u32>): void {
    let count = 0;
    for (let i = 0; i < terms.length; i++) {
      count += countUnder(terms[i], COUNT_MOST);
    }
    if (count < this.count) {
      this.count = count;
      this.terms = terms;
    }
  }

  /** Puts the entry under them; under `otherwise` when no label is needed. False when the memory has no more room. */
  index(entry: Entry, otherwise: u32): bool {
    if (this.count == i32.MAX_VALUE) {
      return index(entry, otherwise);
    }
    for (let i = 0; i < this.terms.length; i++) {
      if (!index(entry, this.terms[i])) {
        return false;
      }
    }
    return true;
  }
}

/** The terms under which what needs one of these labels stands. */
export function labelTerms(labels: View, seed: u32, into: Array<u32>): void {
  for (let label = labels.first(); label.exists; label = label.next()) {
    const key = keyTerm(label.name, seed);
    into.push(key);
    into.push(valueTerm(key, label.value.text()));
  }
}
