// What a reconcile of WorkloadSpread does: adopt pods, set what their deletion costs, bring the ledgers up to date, and
// delete pods that cannot be scheduled where they are (workloadspread 5).

import { decode } from '../../api/core/decode.ts';
import { equalJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { ObjectMeta } from '../../api/core/meta.ts';
import { MATCHED_WORKLOADSPREAD } from '../../api/names.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { EVENTS } from '../events.ts';
import { statusUpdate } from '../shared/status.ts';
import { costPatches } from './cost.ts';
import { patchOf } from './fit.ts';
import { type Groups, groupsOf } from './groups.ts';
import { statusOf } from './ledger.ts';
import { byName, type SpreadPod } from './pods.ts';
import type { Notes } from './schedulable.ts';
import { matchedText, SPREADS, type Spread, type Subset, subsetsOf } from './spread.ts';
import type { State } from './state.ts';

const IGNORE_PATCH_METADATA = 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata';

/** A workload that nobody watches is looked at again, where the number of its replicas matters. */
const UNWATCHED_AGAIN_MS = 30_000;

export function plan(state: State, now: number): Plan {
  const { spread } = state;
  const groups = groupsOf(state);
  const notes: Notes = { now, unschedulable: [], recovered: [], failed: [], againAfterMs: [] };
  const status = statusOf(state, groups, notes);
  const writes = isSameStatus(spread.status ?? {}, status) ? [] : [statusUpdate(SPREADS, spread, status)];
  if (state.isUnwatched && hasPercentage(spread)) notes.againAfterMs.push(UNWATCHED_AGAIN_MS);
  const steps = [
    adoptions(spread, groups),
    costPatches(state, groups),
    writes,
    events(spread, notes),
    // Only now admission knows that their successors have to go elsewhere.
    notes.unschedulable.toSorted(byName).map((pod) => deletion(pod, spread)),
  ];
  return {
    groups: steps.filter((group) => group.length > 0),
    ...(notes.againAfterMs.length > 0 && { requeueAfterMs: Math.min(...notes.againAfterMs) }),
  };
}

/** Pods get the metadata that the subset's patch would have given them; their spec cannot be changed any more. */
function adoptions({ metadata }: Spread, { adopted }: Groups): readonly PlannedEffect[] {
  const isBare = metadata.annotations?.[IGNORE_PATCH_METADATA]?.toLowerCase() === 'true';
  return adopted.map(({ pod, subset }) => {
    const marks = isBare ? {} : marksOf(subset);
    const annotations = {
      ...(isObject(marks.annotations) && marks.annotations),
      [MATCHED_WORKLOADSPREAD]: matchedText(metadata.name, subset.name),
    };
    const patch = { metadata: { ...marks, annotations, uid: pod.metadata.uid } };
    return { type: 'patch', resource: PODS, reference: pod.metadata, patch, patchType: 'strategic' };
  });
}

/** What the subset's patch says of metadata; nothing where that is none, or a pod would become another by it. */
function marksOf(subset: Subset): JsonObject {
  const given = patchOf(subset)?.metadata;
  if (!isObject(given) || decode(ObjectMeta, given).errors.length > 0) return {};
  const { name: _name, generateName: _generated, namespace: _namespace, resourceVersion: _version, ...marks } = given;
  return marks;
}

function events(spread: Spread, { failed, recovered }: Notes): readonly PlannedEffect[] {
  const told = failed.map(({ row, message }) => eventOf(row, spread, message));
  const again = recovered.map((subset) =>
    eventOf(EVENTS.recovered, spread, `pods are put into subset ${subset} again`),
  );
  return [...told, ...again];
}

/** A pod that has found a node meanwhile stays. */
function deletion({ metadata }: SpreadPod, spread: Spread): PlannedEffect {
  const { uid, resourceVersion } = metadata;
  const message = `pod ${metadata.name}, which no node takes, is not deleted`;
  const onRefusal = eventOf(EVENTS.deleteFailed, spread, message);
  return { type: 'delete', resource: PODS, reference: metadata, uid, resourceVersion, onRefusal };
}

function hasPercentage(spread: Spread): boolean {
  return subsetsOf(spread).some(({ maxReplicas }) => typeof maxReplicas === 'string');
}

/** Maps without entries and lists without items are as good as absent. */
function isSameStatus(a: object, b: object): boolean {
  return equalJson(withoutEmpty(a as JsonObject), withoutEmpty(b as JsonObject));
}

function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [name, withoutEmpty(member)]);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
