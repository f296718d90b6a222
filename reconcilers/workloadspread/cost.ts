// What it costs to delete a pod, so that a workload that shrinks gives up later subsets first and, during a rollout, the
// pods of old versions the other way round (workloadspread 5.5).

import { eventOf } from '../../kube/event-rows.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { EVENTS } from '../events.ts';
import { conditionOf, isActive, isReady, type Pod } from '../shared/pod.ts';
import { type Group, type Groups, limitOf, UNLIMITED } from './groups.ts';
import { type Spread, type Subset, subsetsOf } from './spread.ts';
import type { State } from './state.ts';

const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const UNIT = 100;

/** Kinds of workloads that look at the cost. */
const KINDS: readonly (string | undefined)[] = ['ReplicaSet', 'Deployment', 'CloneSet'];

/** The patches that give pods their costs; none where the latest version is not known yet. */
export function costPatches(state: State, { byVersion }: Groups): readonly PlannedEffect[] {
  const { spread, latestVersion } = state;
  if (latestVersion === undefined || !KINDS.includes(spread.spec?.targetRef?.kind)) return [];
  return [...byVersion].flatMap(([version, group]) =>
    [...costsOf(state, group, version === latestVersion)].flatMap(([pod, cost]) => patch(pod, String(cost), spread)),
  );
}

function costsOf({ spread, replicas }: State, group: Group, isLatest: boolean): ReadonlyMap<Pod, number> {
  const costs = new Map<Pod, number>();
  const subsets = subsetsOf(spread);
  subsets.forEach((subset, index) => {
    const place = isLatest ? index : subsets.length - 1 - index;
    const pods = (group.get(subset.name) ?? []).filter(isActive);
    const extra = new Set(extraPods(pods, subset, replicas));
    for (const pod of pods) costs.set(pod, extra.has(pod) ? -UNIT * (place + 1) : UNIT * (subsets.length - place));
  });
  for (const pod of (group.get(undefined) ?? []).filter(isActive)) costs.set(pod, -UNIT * (subsets.length + 1));
  return costs;
}

/** Those that are too many for the subset. */
function extraPods(pods: readonly Pod[], subset: Subset, replicas: number): readonly Pod[] {
  const limit = limitOf(subset, replicas);
  return limit === UNLIMITED ? [] : pods.toSorted(deletedFirst).slice(0, Math.max(pods.length - limit, 0));
}

const PHASES: readonly (string | undefined)[] = ['Pending', 'Unknown', 'Running'];

function deletedFirst(a: Pod, b: Pod): number {
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    PHASES.indexOf(a.status?.phase) - PHASES.indexOf(b.status?.phase) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (isReady(a) ? timeOf(readySince(b)) - timeOf(readySince(a)) : 0) ||
    restarts(b) - restarts(a) ||
    timeOf(b.metadata.creationTimestamp) - timeOf(a.metadata.creationTimestamp)
  );
}

function isAssigned({ spec }: Pod): boolean {
  return spec.nodeName !== undefined && spec.nodeName !== '';
}

function readySince(pod: Pod): string | null | undefined {
  return conditionOf(pod, 'Ready')?.lastTransitionTime;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));
}

/** No time is later than any. */
function timeOf(time: string | null | undefined): number {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? Number.MAX_SAFE_INTEGER : milliseconds;
}

function patch(pod: Pod, cost: string, spread: Spread): PlannedEffect[] {
  if (pod.metadata.annotations?.[POD_DELETION_COST] === cost) return [];
  const metadata = { uid: pod.metadata.uid, annotations: { [POD_DELETION_COST]: cost } };
  const message = `the deletion cost ${cost} of pod ${pod.metadata.name} is not written`;
  const onRefusal = eventOf(EVENTS.costFailed, spread, message);
  const reference = pod.metadata;
  return [{ type: 'patch', resource: PODS, reference, patch: { metadata }, patchType: 'strategic', onRefusal }];
}
