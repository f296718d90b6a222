// A pod that is deleted or evicted leaves room in its subset: the loss is booked, and never refused
// (workloadspread.md 3.9).

import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between } from '../../json/writer';
import { statusEffect } from '../../object/effect';
import { getQuestion, Knowledge } from '../../object/fact';
import { isDryRun, optionsFault } from '../../object/options';
import { controllerOf, isActive } from '../../object/pod';
import { Operation, Review } from '../../review';
import { find } from '../../store/store';
import { Stored } from '../../store/stored';
import { Matched } from './annotation';
import { CustomWorkloads } from './custom-workloads';
import { Booking, Ledger, missingOf, UNLIMITED } from './ledger';
import { isByOrdinal, onlySubset } from './subset';
import { versionOfPod } from './version';
import { hasSpreads } from './workloadspread';

export function validate(review: Review): void {
  if (!isOn(Gate.WorkloadSpread) || !hasSpreads(review.namespace)) {
    return;
  }
  if (review.operation == Operation.Delete && !review.hasSubResource && review.oldObject.isObject) {
    const options = review.request.get('options');
    const fault = optionsFault(options, 'DeleteOptions');
    refuse(review, fault);
    if (fault === null && !isDry(review, options)) {
      book(review, review.oldObject);
    }
  } else if (review.operation == Operation.Create && review.request.get('subResource').is('eviction')) {
    if (!isDry(review, review.object.get('deleteOptions'))) {
      book(review, evictedPod(review));
    }
  }
}

function isDry(review: Review, options: View): bool {
  return isDryRun(options) || isDryRun(review.request.get('options')) || review.request.get('dryRun').isTrue;
}

/** `none` when the host has to be asked, and when the request is refused because there is no such pod. */
function evictedPod(review: Review): View {
  const asked = review.request.get('name').text();
  const name = asked.isEmpty ? review.object.get('metadata').get('name').text() : asked;
  const fact = review.ask(getQuestion(Text.of('v1'), Text.of('Pod'), review.namespace, name));
  if (fact.knowledge == Knowledge.Failed) {
    refuse(review, fact.error);
  } else if (fact.knowledge == Knowledge.Known && !fact.answer.isObject) {
    refuse(review, between('Pod "', name, '" not found'));
  }
  return fact.answer;
}

function book(review: Review, pod: View): void {
  const matched = Matched.of(pod);
  if (matched.spread.isEmpty || !isActive(pod) || !controllerOf(pod).exists) {
    return;
  }
  const spread = find(Stored.WorkloadSpread, review.namespace, matched.spread);
  if (!spread.exists || onlySubset(spread).exists || isByOrdinal(spread)) {
    return;
  }
  const ledger = new Ledger(spread, versionOfPod(pod), new CustomWorkloads(review), review);
  refuse(review, ledger.fault);
  const name = pod.get('metadata').get('name').text();
  const entry = ledger.named(matched.subset);
  if (entry.exists && missingOf(entry) != UNLIMITED && !ledger.booked(name).exists) {
    review.effect(statusEffect(spread, ledger.book(entry, Booking.Deletion, name)));
  }
}

function refuse(review: Review, fault: Text | null): void {
  if (fault !== null) {
    review.refuse(400, fault);
  }
}
