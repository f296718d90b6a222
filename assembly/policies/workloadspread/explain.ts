// Which spread of its namespace a new pod belongs to and where that puts it, and why the others do not count.

import { Gate, isOn } from '../../gates';
import { View } from '../../json/view';
import { isDryRun } from '../../object/options';
import { controllerOf, isActive } from '../../object/pod';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { Explanation, Explanations } from '../explanations';
import { allInNamespace, isBeingDeleted, nameOf } from '../namespaced';
import { Ownership } from './owners';
import { isSelected, Spreads } from './spreads';
import { Choice } from './subset';

export function explain(review: Review, out: Explanations): void {
  const all = allInNamespace(Stored.WorkloadSpread, review.namespace);
  if (all.length == 0) {
    return;
  }
  const spreads = Spreads.of(review.object, review);
  for (let i = 0; i < all.length && !review.isAsking; i++) {
    const say = out.about('WorkloadSpread', review.namespace, nameOf(all[i]));
    if (!isOn(Gate.WorkloadSpread)) {
      say.no('GateOff', 'the gate WorkloadSpread is off');
    } else if (!review.isPodCreation) {
      say.no('NotAPodCreation', 'pods are put in a subset only when they are created');
    } else if (isDryRun(review.request.get('options')) || review.request.get('dryRun').isTrue) {
      say.no('DryRun', 'a dry run neither books a subset nor changes the pod');
    } else if (!isActive(review.object)) {
      say.no('NotActive', 'the pod is finished or being deleted');
    } else if (!spreads.isOwned) {
      explainOwner(review, say);
    } else if (all[i] == spreads.matched) {
      explainChoice(spreads, review, say);
    } else {
      explainMiss(all[i], spreads, review, say);
    }
  }
}

function explainOwner(review: Review, say: Explanation): void {
  const owner = controllerOf(review.object);
  if (owner.exists) {
    say.no('OwnerKindUnknown', 'pods of this kind of controller are not spread: ', owner.get('kind').text());
  } else {
    say.no('NoController', 'the pod has no controller');
  }
}

function explainChoice(spreads: Spreads, review: Review, say: Explanation): void {
  const choice = Choice.of(spreads.matched, review.object, spreads.kinds, review);
  const fault = choice.fault;
  if (fault !== null) {
    say.no('NoLedger', 'no subset can be chosen: ', fault);
  } else if (!choice.hasSubset) {
    say.no('Full', 'no subset has room for the pod, so it is created as it is');
  } else if (choice.status !== null) {
    say.yes('Booked', 'the pod takes one of the replicas of subset ', choice.subset);
  } else {
    say.yes('Placed', 'the pod goes to subset ', choice.subset);
  }
}

function explainMiss(spread: View, spreads: Spreads, review: Review, say: Explanation): void {
  const target = spread.get('spec').get('targetRef').get('name').text();
  const ownership = spreads.ownership(spread);
  if (isBeingDeleted(spread)) {
    say.no('BeingDeleted', 'the spread is being deleted');
  } else if (ownership == Ownership.Missing && spreads.fault !== null) {
    say.no('OwnerMissing', 'the workload above the pod does not exist (yet), which refuses the pod');
  } else if (ownership == Ownership.Unknown) {
    say.no('OwnerUnknown', 'what stands above the pod could not be found out');
  } else if (ownership != Ownership.Yes) {
    say.no('TargetMismatch', 'spec.targetRef is not the workload of the pod: ', target);
  } else if (!isSelected(spread, review.object)) {
    say.no('FilterMismatch', 'spec.targetFilter does not select the labels of the pod');
  } else {
    say.no('NotFirst', 'another spread of the same workload is older: ', nameOf(spreads.matched));
  }
}
