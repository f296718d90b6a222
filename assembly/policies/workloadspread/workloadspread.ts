// A new pod goes to a subset of the spread of its workload: it is booked there, and gets what the subset says
// (workloadspread.md 3.2).

import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { statusEffect } from '../../object/effect';
import { isDryRun, optionsFault } from '../../object/options';
import { isActive, named } from '../../object/pod';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { isKeptIn, nameOf } from '../namespaced';
import { Matched } from './annotation';
import { inject } from './inject';
import { Spreads } from './spreads';
import { Choice } from './subset';

export function mutate(review: Review): void {
  if (!isOn(Gate.WorkloadSpread) || !review.isPodCreation || !hasSpreads(review.namespace)) {
    return;
  }
  const options = review.request.get('options');
  const fault = optionsFault(options, 'CreateOptions');
  if (fault !== null) {
    review.refuse(500, fault);
    return;
  }
  if (isDryRun(options) || review.request.get('dryRun').isTrue || !isActive(review.object)) {
    return;
  }
  const spreads = Spreads.of(review.object, review);
  refuse(review, spreads.fault);
  if (spreads.matched.exists) {
    place(review, spreads);
  }
}

/** Where there is no spread, nothing of a request matters. */
export function hasSpreads(namespace: Text): bool {
  return isKeptIn(Stored.WorkloadSpread, namespace);
}

function place(review: Review, spreads: Spreads): void {
  const spread = spreads.matched;
  const choice = Choice.of(spread, review.object, spreads.kinds, review);
  refuse(review, choice.fault);
  if (review.isAsking || review.isRefused || !choice.hasSubset) {
    return;
  }
  const status = choice.status;
  if (status !== null) {
    review.effect(statusEffect(spread, status));
    // Compatibility: whatever refuses the pod from here on leaves the booking, which the controller takes back later.
    review.keepsEffects = true;
  }
  // A subset that is in the ledger but no longer in the spec is booked, and puts nothing on the pod.
  const subset = named(spread.get('spec').get('subsets'), choice.subset);
  if (subset.exists) {
    refuse(review, inject(subset, new Matched(nameOf(spread), choice.subset, choice.uid), review.object));
  }
}

function refuse(review: Review, fault: Text | null): void {
  if (fault !== null) {
    review.refuse(500, fault);
  }
}
