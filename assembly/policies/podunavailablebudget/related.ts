// The budget that a new pod counts for, written on the pod (podunavailablebudget.md 3.2).

import { LEGACY_RELATED_PUB, RELATED_PUB } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { controllerOf } from '../../object/pod';
import { isEmptySelector, Selection, selects } from '../../object/selector';
import { Review } from '../../review';
import { hasKind } from '../../store/store';
import { Entry, Stored } from '../../store/stored';
import { InNamespace, indexBySelector, indexBySubject, indexForAllPods, nameOf } from '../namespaced';
import { hasOwnPods, isOf, mayBeAbove, Workloads } from '../workload';

/** What the pod alone tells of a budget. */
export const enum Relation {
  No,
  Yes,
  /** It depends on what workloads stand above the pod. */
  Open,
}

export function mutate(review: Review): void {
  if (!areBudgetsOn() || !hasKind(Stored.PodUnavailableBudget) || !review.isPodCreation) {
    return;
  }
  const budget = relatedBudget(review);
  if (budget.exists) {
    const annotations = review.object.needObject('metadata').needObject('annotations');
    annotations.putText(Text.of(RELATED_PUB), nameOf(budget));
    annotations.putText(Text.of(LEGACY_RELATED_PUB), nameOf(budget));
  }
}

export function areBudgetsOn(): bool {
  return isOn(Gate.BudgetOnDelete) || isOn(Gate.BudgetOnUpdate);
}

/** A subject of all budgets for Deployments: no object has such a name. */
const DEPLOYMENTS: string = 'Deployment';

/** A budget is found by labels or by the name of its workload; where that may be any above a pod, by all pods. */
export function indexBudget(entry: Entry): bool {
  const spec = entry.root.get('spec');
  const target = spec.get('targetRef');
  if (!indexBySelector(entry, spec.get('selector'))) {
    return false;
  }
  if (!target.isSet) {
    return true;
  }
  if (isOf(target, 'apps', 'Deployment') && !indexBySubject(entry, Text.of(DEPLOYMENTS))) {
    return false;
  }
  const isFoundByName = hasOwnPods(target) || isOf(target, 'apps', 'Deployment');
  return isFoundByName ? indexBySubject(entry, target.get('name').text()) : indexForAllPods(entry);
}

/** The first that matches; `none` when none does, and while the host is asked. */
export function relatedBudget(review: Review): View {
  const found: Array<View> = [];
  const walk = new InNamespace(Stored.PodUnavailableBudget, review.namespace);
  if (walk.isEmpty) {
    return View.none();
  }
  const owner = controllerOf(review.object);
  let workloads: Workloads | null = null;
  walk.lookByLabels(review.object.get('metadata').get('labels'));
  walk.lookBySubject(owner.get('name').text());
  if (isOf(owner, 'apps', 'ReplicaSet') && walk.hasSubject(Text.of(DEPLOYMENTS))) {
    // Only now it is known of which Deployment the pod is.
    workloads = new Workloads(review);
    walk.lookBySubject(workloads.name);
  }
  if (review.isAsking) {
    return View.none();
  }
  for (let budget = walk.next(); budget.exists; budget = walk.next()) {
    if (relationOf(budget, review.object) != Relation.No) {
      found.push(budget);
    }
  }
  const budgets = found.sort(precedence);
  for (let i = 0; i < budgets.length; i++) {
    const budget = budgets[i];
    if (relationOf(budget, review.object) == Relation.Yes) {
      return budget;
    }
    if (workloads === null) {
      workloads = new Workloads(review);
    }
    const isRelated = isOfWorkload(budget, workloads, review.object);
    if (review.isAsking) {
      return View.none();
    }
    if (isRelated) {
      return budget;
    }
  }
  return View.none();
}

/** A budget that names a workload comes before those that only select labels; then they go by name. */
export function precedence(a: View, b: View): i32 {
  const isTargeted = a.get('spec').get('targetRef').isSet;
  if (isTargeted != b.get('spec').get('targetRef').isSet) {
    return isTargeted ? -1 : 1;
  }
  return nameOf(a).compare(nameOf(b));
}

export function relationOf(budget: View, pod: View): Relation {
  const target = budget.get('spec').get('targetRef');
  const owner = controllerOf(pod);
  if (!target.isSet || !owner.exists) {
    return isSelected(budget, pod) ? Relation.Yes : Relation.No;
  }
  return mayBeAbove(target, owner) || isSelected(budget, pod) ? Relation.Open : Relation.No;
}

/** A selector counts only where no workload was found that the target could be compared with. */
export function isOfWorkload(budget: View, workloads: Workloads, pod: View): bool {
  return workloads.isEmpty ? isSelected(budget, pod) : workloads.contains(budget.get('spec').get('targetRef'));
}

function isSelected(budget: View, pod: View): bool {
  const selector = budget.get('spec').get('selector');
  return !isEmptySelector(selector) && selects(selector, pod.get('metadata').get('labels')) == Selection.Yes;
}
