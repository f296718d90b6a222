// Deletion of namespaces: with Cascading only while pods or volume claims in them live (deletion-protection.md 5).

import { Text } from '../../json/text';
import { Decoding } from '../../object/decode';
import { countQuestion, Knowledge } from '../../object/fact';
import { Review } from '../../review';
import {
  COUNT_MOST,
  isDecoded,
  isDeletion,
  Protection,
  protectionOf,
  refuseAlways,
  refuseCascading,
  refuseUncounted,
  uncounted,
} from './protection';

export function protectNamespace(review: Review): void {
  if (!isDeletion(review)) {
    return;
  }
  const decoding = new Decoding();
  decoding.isWhole(review.oldObject, 'v1.Namespace') &&
    decoding.isMetadata(review.oldObject.get('metadata'), 'Namespace');
  if (!isDecoded(decoding, review)) {
    return;
  }
  const protection = protectionOf(review);
  if (protection == Protection.Always) {
    refuseAlways(review);
  } else if (protection == Protection.Cascading && isFreeOf('Pod', 'active', 'active pods', 'pods', review)) {
    isFreeOf('PersistentVolumeClaim', 'bound', '"Bound" status pvc', 'pvc', review);
  }
}

/** Is nothing left of this? Refuses the request when something is, or when nobody can tell. */
function isFreeOf(kind: string, where: string, what: string, list: string, review: Review): bool {
  const namespace = review.oldObject.get('metadata').get('name').text();
  const fact = review.ask(countQuestion(Text.of('v1'), Text.of(kind), namespace, where, COUNT_MOST));
  if (fact.knowledge == Knowledge.Asked) {
    return false;
  }
  if (fact.count < 0) {
    refuseUncounted(list, uncounted(fact), review);
  } else if (fact.count > 0) {
    refuseCascading(what, fact.count, review);
  }
  return fact.count == 0;
}
