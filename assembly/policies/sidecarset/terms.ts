// Under which terms a SidecarSet is found: one requirement of its selectors.

import { NAMESPACE_NAME_LABEL } from '../../../api/names';
import { Text } from '../../json/text';
import { isEmptySelector, keyTerm, Needs, valueTerm } from '../../object/selector';
import { Entry } from '../../store/stored';
import { BestTerms } from '../label-terms';

/** Terms of pod labels and of namespace labels must not meet. */
export const POD_SEED: u32 = 0x811c9dc5;
export const NAMESPACE_SEED: u32 = 0x5bd1e995;
/** Sets whose selectors need no label at all. */
export const ALL: u32 = 0x9747b28c;

/** Puts a set into the index; false when the memory has no more room. A set that selects nothing is left out. */
export function indexSidecarSet(entry: Entry): bool {
  const spec = entry.root.get('spec');
  if (isEmptySelector(spec.get('selector'))) {
    return true;
  }
  const best = new BestTerms();
  best.consider(new Needs(spec.get('selector'), POD_SEED));
  const pinned = spec.get('namespace').text();
  if (pinned.isEmpty) {
    best.consider(new Needs(spec.get('namespaceSelector'), NAMESPACE_SEED));
  } else {
    best.take([valueTerm(keyTerm(Text.of(NAMESPACE_NAME_LABEL), NAMESPACE_SEED), pinned)]);
  }
  return best.index(entry, ALL);
}
