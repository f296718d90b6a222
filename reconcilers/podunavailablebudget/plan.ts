// What a reconcile of PodUnavailableBudget does: link pods that no admission has linked, and tell by the status how many
// more pods may be disturbed (podunavailablebudget 7).

import { desiredAvailable } from '../../api/kinds/podunavailablebudget/desired-available.ts';
import { LEGACY_RELATED_PUB, RELATED_PUB } from '../../api/names.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { EVENTS } from '../events.ts';
import { statusUpdate } from '../shared/status.ts';
import { type Aged, aged } from './records.ts';
import { BUDGETS, type Budget, type CountedPod, type State } from './state.ts';

export function plan(state: State, now: number): Plan {
  const { budget, pods, expected } = state;
  const links = pods.filter(({ isLinked }) => !isLinked).map((counted) => link(counted, budget));
  const desired = desiredAvailable(budget.spec ?? {}, expected);
  if (desired === undefined) return { groups: [links, [countFailed(budget)]] };
  const records = aged(state, now);
  const status = statusOf(state, desired, records);
  const isSettled = isSameStatus(budget.status ?? {}, status);
  const events = [...records.notDeleted.map((pod) => notDeleted(pod, budget)), ...noPods(state, isSettled)];
  return {
    groups: [links, events].filter((group) => group.length > 0),
    ...(!isSettled && { status: statusUpdate(BUDGETS, budget, status) }),
    ...(records.recheckAfterMs !== undefined && { requeueAfterMs: records.recheckAfterMs }),
  };
}

function link({ pod }: CountedPod, { metadata: { name } }: Budget): PlannedEffect {
  const annotations = { [RELATED_PUB]: name, [LEGACY_RELATED_PUB]: name };
  const patch = { metadata: { uid: pod.metadata.uid, annotations } };
  return { type: 'patch', resource: PODS, reference: pod.metadata, patch, patchType: 'strategic' };
}

type Status = NonNullable<Budget['status']>;

function statusOf({ budget, pods, expected }: State, desired: number, records: Aged): Status {
  const { disruptedPods, unavailablePods } = records;
  const isRecorded = (name: string) => Object.hasOwn(disruptedPods, name) || Object.hasOwn(unavailablePods, name);
  const available = pods.filter(({ pod, isAvailable }) => isAvailable && !isRecorded(pod.metadata.name)).length;
  return {
    ...(budget.metadata.generation !== undefined && { observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    ...(Object.keys(unavailablePods).length > 0 && { unavailablePods }),
    unavailableAllowed: Math.max(available - desired, 0),
    currentAvailable: available,
    desiredAvailable: desired,
    totalReplicas: expected,
  };
}

/** The status as it is may be empty yet. */
function isSameStatus(a: { readonly [Member in keyof Status]?: Status[Member] | undefined }, b: Status): boolean {
  return (
    a.observedGeneration === b.observedGeneration &&
    a.unavailableAllowed === b.unavailableAllowed &&
    a.currentAvailable === b.currentAvailable &&
    a.desiredAvailable === b.desiredAvailable &&
    a.totalReplicas === b.totalReplicas &&
    hasSameNames(a.disruptedPods, b.disruptedPods) &&
    hasSameNames(a.unavailablePods, b.unavailablePods)
  );
}

/** Records are kept as they are or dropped: the names tell. */
function hasSameNames(a: Status['disruptedPods'] = {}, b: Status['disruptedPods'] = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name));
}

function noPods({ budget, pods }: State, isSettled: boolean): PlannedEffect[] {
  if (pods.length > 0 || isSettled) return [];
  return [eventOf(EVENTS.noPods, budget, 'no pods match the budget')];
}

function notDeleted({ pod }: CountedPod, { metadata }: Budget): PlannedEffect {
  const message = `the pod was expected to be deleted with the consent of PodUnavailableBudget ${metadata.namespace}/${metadata.name}, but it was not`;
  return eventOf(EVENTS.notDeleted, pod, message);
}

function countFailed(budget: Budget): PlannedEffect {
  const { maxUnavailable, minAvailable } = budget.spec ?? {};
  const message = `neither a number nor a percentage: ${JSON.stringify(maxUnavailable ?? minAvailable)}`;
  return eventOf(EVENTS.countFailed, budget, message);
}
