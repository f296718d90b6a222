// Under which terms a SidecarSet is found: one requirement of its selectors, the one fewest others stand under.

import { NAMESPACE_NAME_LABEL } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { isEmptySelector, keyTerm, Needs, valueTerm } from '../../object/selector';
import { countUnder, index } from '../../store/index';
import { Entry } from '../../store/stored';

/** Terms of pod labels and of namespace labels must not meet. */
export const POD_SEED: u32 = 0x811c9dc5;
export const NAMESPACE_SEED: u32 = 0x5bd1e995;
/** Sets whose selectors need no label at all. */
export const ALL: u32 = 0x9747b28c;

const COUNT_MOST: i32 = 1000;

/** Puts a set into the index; false when the memory has no more room. A set that selects nothing is left out. */
export function indexSidecarSet(entry: Entry): bool {
  const spec = entry.root.get('spec');
  if (isEmptySelector(spec.get('selector'))) {
    return true;
  }
  const best = new Best();
  best.consider(new Needs(spec.get('selector'), POD_SEED));
  const pinned = spec.get('namespace').text();
  if (pinned.isEmpty) {
    best.consider(new Needs(spec.get('namespaceSelector'), NAMESPACE_SEED));
  } else {
    best.take([valueTerm(keyTerm(Text.of(NAMESPACE_NAME_LABEL), NAMESPACE_SEED), pinned)]);
  }
  if (best.count == i32.MAX_VALUE) {
    return index(entry, ALL);
  }
  for (let i = 0; i < best.terms.length; i++) {
    if (!index(entry, best.terms[i])) {
      return false;
    }
  }
  return true;
}

class Best {
  terms: Array<u32> = [];
  count: i32 = i32.MAX_VALUE;

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
}

/** Calls of `countUnder` see at most this much; beyond it sets count alike. */
export function labelTerms(labels: View, seed: u32, into: Array<u32>): void {
  for (let label = labels.first(); label.exists; label = label.next()) {
    const key = keyTerm(label.name, seed);
    into.push(key);
    into.push(valueTerm(key, label.value.text()));
  }
}
