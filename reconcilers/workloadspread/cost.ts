// What it costs to delete a pod, so that a workload that shrinks gives up later subsets first and, during a rollout, the
// pods of old versions the other way round (workloadspread 5.5).

import { eventOf } from '../../kube/event-rows.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { EVENTS } from '../events.ts';
import { type Group, type Groups, limitOf, UNLIMITED } from './groups.ts';
import { byName, POD_DELETION_COST, type SpreadPod } from './pods.ts';
import { type Spread, type Subset, subsetsOf } from './spread.ts';
import type { State } from './state.ts';

const UNIT = 100;

/** Kinds of workloads that look at the cost. */
const KINDS: readonly (string | undefined)[] = ['ReplicaSet', 'Deployment', 'CloneSet'];

/** The patches that give pods their costs; none where the latest version is not known yet. */
export function costPatches(state: State, { byVersion }: Groups): readonly PlannedEffect[] {
  const { spread, latestVersion } = state;
  if (latestVersion === undefined || !KINDS.includes(spread.spec?.targetRef?.kind)) return [];
  return [...byVersion].flatMap(([version, group]) =>
    [...changesOf(state, group, version === latestVersion)]
      .sort(([a], [b]) => byName(a, b))
      .map(([pod, cost]) => patch(pod, cost, spread)),
  );
}

/** The pods of one version that have not the costs that they shall have. */
function changesOf({ spread, replicas }: State, group: Group, isLatest: boolean): ReadonlyMap<SpreadPod, string> {
  const changes = new Map<SpreadPod, string>();
  const set = (pod: SpreadPod, cost: number) => {
    const text = String(cost);
    if (pod.cost === text) changes.delete(pod);
    else changes.set(pod, text);
  };
  const subsets = subsetsOf(spread);
  subsets.forEach((subset, index) => {
    const place = isLatest ? index : subsets.length - 1 - index;
    const pods = (group.get(subset.name) ?? []).filter(({ isActive }) => isActive);
    const extra = new Set(extraPods(pods, subset, replicas));
    for (const pod of pods) set(pod, extra.has(pod) ? -UNIT * (place + 1) : UNIT * (subsets.length - place));
  });
  const lost = (group.get(undefined) ?? []).filter(({ isActive }) => isActive);
  for (const pod of lost) set(pod, -UNIT * (subsets.length + 1));
  return changes;
}

/** Those that are too many for the subset. */
function extraPods(pods: readonly SpreadPod[], subset: Subset, replicas: number): readonly SpreadPod[] {
  const limit = limitOf(subset, replicas);
  const extra = limit === UNLIMITED ? 0 : pods.length - limit;
  return extra <= 0 ? [] : pods.toSorted(deletedFirst).slice(0, extra);
}

const PHASES: readonly (string | undefined)[] = ['Pending', 'Unknown', 'Running'];

function deletedFirst(a: SpreadPod, b: SpreadPod): number {
  return (
    Number(a.nodeName !== '') - Number(b.nodeName !== '') ||
    PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) ||
    Number(a.isReady) - Number(b.isReady) ||
    (a.isReady ? order(b.readySince) - order(a.readySince) : 0) ||
    b.restarts - a.restarts ||
    order(b.createdAt) - order(a.createdAt) ||
    byName(a, b)
  );
}

/** No time is later than any. */
function order(time: number): number {
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

function patch({ metadata: reference }: SpreadPod, cost: string, spread: Spread): PlannedEffect {
  const metadata = { uid: reference.uid, annotations: { [POD_DELETION_COST]: cost } };
  const message = `the deletion cost ${cost} of pod ${reference.name} is not written`;
  const onRefusal = eventOf(EVENTS.costFailed, spread, message);
  return { type: 'patch', resource: PODS, reference, patch: { metadata }, patchType: 'strategic', onRefusal };
}
