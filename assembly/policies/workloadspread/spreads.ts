// Which spread of its namespace a pod belongs to (workloadspread.md 3.2 to 3.4): a pod has one at most.

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { controllerOf } from '../../object/pod';
import { Selection, selects } from '../../object/selector';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { InNamespace, isBeingDeleted, nameOf } from '../namespaced';
import { CustomWorkloads } from './custom-workloads';
import { isApiVersion, Owners, Ownership } from './owners';

export class Spreads {
  /** The spread of the pod; `none` when there is none, and while the host is asked. */
  matched: View = View.none();
  /** Why that cannot be found out. */
  fault: Text | null = null;
  /** May pods of this owner be spread at all? */
  readonly isOwned: bool;
  readonly kinds: CustomWorkloads;
  private readonly owners: Owners;

  constructor(review: Review, owner: View, kinds: CustomWorkloads) {
    this.kinds = kinds;
    this.owners = new Owners(review, kinds, owner);
    this.isOwned = owner.exists && isApiVersion(owner.get('apiVersion').text()) && kinds.isKnown(owner);
  }

  static of(pod: View, review: Review): Spreads {
    const spreads = new Spreads(review, controllerOf(pod), new CustomWorkloads(review));
    if (spreads.isOwned) {
      spreads.search(pod, candidates(review.namespace));
    }
    return spreads;
  }

  private search(pod: View, candidates: Array<View>): void {
    for (let i = 0; i < candidates.length; i++) {
      const ownership = this.ownership(candidates[i]);
      if (ownership == Ownership.Missing) {
        this.fault = this.owners.missing;
      }
      if (ownership == Ownership.Missing || ownership == Ownership.Asked) {
        return;
      }
      if (ownership == Ownership.Yes && isSelected(candidates[i], pod)) {
        this.matched = candidates[i];
        return;
      }
    }
  }

  /** Is the pod, by its owners, one of the spread's? */
  ownership(spread: View): Ownership {
    const target = spread.get('spec').get('targetRef');
    return target.isSet && !isBeingDeleted(spread) ? this.owners.under(target) : Ownership.No;
  }
}

/** Does the filter of the spread let the pod through? One without a selector does. */
export function isSelected(spread: View, pod: View): bool {
  const selector = spread.get('spec').get('targetFilter').get('selector');
  return !selector.isSet || selects(selector, pod.get('metadata').get('labels')) == Selection.Yes;
}

/** Oldest first, then by name: the order in which they are asked. */
function candidates(namespace: Text): Array<View> {
  const found: Array<View> = [];
  const walk = new InNamespace(Stored.WorkloadSpread, namespace).lookEverywhere();
  for (let spread = walk.next(); spread.exists; spread = walk.next()) {
    found.push(spread);
  }
  return found.sort(compareAge);
}

function compareAge(a: View, b: View): i32 {
  const createdA = a.get('metadata').get('creationTimestamp').text();
  const createdB = b.get('metadata').get('creationTimestamp').text();
  const order = createdA.compare(createdB);
  return order != 0 ? order : nameOf(a).compare(nameOf(b));
}
