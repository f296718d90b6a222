// The writes of an update in place, one at a time: each is bound to the pod as it was read, and the next is found when the pod
// is looked at again (inplace-update 3 and 4). Which pods are updated, and when, is the workload's decision.

import type { JsonObject } from '../../../api/core/json.ts';
import { IN_PLACE_UPDATE_READY, INPLACE_UPDATE_GRACE, LEGACY_INPLACE_UPDATE_GRACE } from '../../../api/names.ts';
import type { PlannedEffect } from '../../../kube/plan.ts';
import { PODS } from '../../../kube/resource.ts';
import { closingGate, writeConditions } from '../conditions.ts';
import { conditionOf, hasReadinessGate, type Pod, statusOf, timestamp } from '../pod.ts';
import { applyBatch, type Batch, joinedMaps, type UpdateContext } from './apply.ts';
import { areContainersComplete } from './completion.ts';
import { mustGoDown } from './resize.ts';
import {
  graceTextOf,
  hasNextBatch,
  readRecord,
  stateAnnotations,
  stateTextOf,
  UpdateSpec,
  UpdateState,
} from './state.ts';

/** Labels and annotations that the workload writes with the update: those of the revision, of the lifecycle. */
export type WorkloadMetadata = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

const NOTHING: WorkloadMetadata = { labels: {} };

/**
 * The next write that starts the update: the pod goes out of service, then its resources change where that needs a write of its
 * own, then all the rest changes together with the workload's labels, by which the workload sees that the update has begun. Until
 * then it must ask again for the same pod, and must not refresh it.
 */
export function startUpdate(
  pod: Pod,
  spec: UpdateSpec,
  metadata: WorkloadMetadata,
  context: UpdateContext,
): PlannedEffect {
  const isDown = conditionOf(pod, IN_PLACE_UPDATE_READY)?.status === 'False';
  if (mustGoDown(pod, spec, context.gates) && !isDown) {
    const lastTransitionTime = timestamp(context.now);
    const gate = { type: IN_PLACE_UPDATE_READY, status: 'False', reason: 'StartInPlaceUpdate', lastTransitionTime };
    return writeConditions(pod, closingGate(pod, gate, context.now));
  }
  const state: UpdateState = {
    revision: spec.revision,
    updateTimestamp: timestamp(context.now),
    ...(spec.updateEnvFromMetadata === true && { updateEnvFromMetadata: true }),
    ...(isAny(spec.containerResources) && { updateResources: true }),
    ...(isAny(spec.containerImages) && { updateImages: true }),
  };
  if ((spec.graceSeconds ?? 0) > 0) {
    return writePod(pod, { annotations: stateAnnotations(pod, state, spec) }, [], metadata);
  }
  return writeBatch(pod, applyBatch(pod, state, spec, context), metadata);
}

export type Refreshed = {
  readonly effect?: PlannedEffect;
  /** When there is more to do though the pod does not change. */
  readonly requeueAfterMs?: number;
  /** Why the update cannot go on. */
  readonly fault?: string;
};

/**
 * The next write for a pod that is not to be updated otherwise: the end of a grace period, the next batch, or the pod comes back
 * into service. `isOfRevision` tells whether the pod is labelled with what a state calls its revision.
 */
export function refreshUpdate(
  pod: Pod,
  isOfRevision: (revision: string) => boolean,
  context: UpdateContext,
): Refreshed {
  const grace = graceTextOf(pod);
  if (grace !== undefined && grace !== '') return endGrace(pod, grace, isOfRevision, context);
  const text = stateTextOf(pod);
  if (text !== undefined) {
    const state = readRecord(UpdateState, text);
    if (state === undefined) return { fault: 'the state of the update in place cannot be read' };
    if (!areContainersComplete(pod, state, context.gates)) return {};
    if (hasNextBatch(state)) return applyNext(pod, state, context);
  }
  const isBack = conditionOf(pod, IN_PLACE_UPDATE_READY)?.status === 'True';
  if (isBack || !hasReadinessGate(pod, IN_PLACE_UPDATE_READY)) return {};
  const lastTransitionTime = timestamp(context.now);
  return { effect: writeConditions(pod, [{ type: IN_PLACE_UPDATE_READY, status: 'True', lastTransitionTime }]) };
}

function endGrace(
  pod: Pod,
  text: string,
  isOfRevision: (revision: string) => boolean,
  context: UpdateContext,
): Refreshed {
  const spec = readRecord(UpdateSpec, text);
  if (spec === undefined) return { fault: 'what is to be updated after the grace period cannot be read' };
  if (!isOfRevision(spec.revision)) return { effect: writePod(pod, { annotations: withoutGrace(pod) }, [], NOTHING) };
  const state = readRecord(UpdateState, stateTextOf(pod) ?? '');
  if (state === undefined) return { fault: 'the state of the update in place is missing or cannot be read' };
  const end = Date.parse(state.updateTimestamp ?? '') + (spec.graceSeconds ?? 0) * 1000;
  if (context.now < end) return { requeueAfterMs: Math.ceil((end - context.now) / 1000) * 1000 };
  return { effect: writeBatch(pod, applyBatch(pod, state, spec, context), NOTHING) };
}

function applyNext(pod: Pod, state: UpdateState, context: UpdateContext): Refreshed {
  const required = state.preCheckBeforeNext?.containersRequiredReady ?? [];
  if (!required.every((name) => statusOf(pod, name)?.ready === true)) return {};
  const spec: UpdateSpec = {
    revision: state.revision,
    containerImages: state.nextContainerImages ?? {},
    containerRefMetadata: state.nextContainerRefMetadata ?? {},
    containerResources: state.nextContainerResources ?? {},
  };
  return { effect: writeBatch(pod, applyBatch(pod, state, spec, context), NOTHING) };
}

// Resources first, so that the write of the rest says nothing about them.
function writeBatch(pod: Pod, batch: Batch, metadata: WorkloadMetadata): PlannedEffect {
  if (batch.resize.length > 0) return { ...patchOf(pod, {}, batch.resize), subresource: 'resize' };
  const annotations = stateAnnotations(pod, batch.state);
  return writePod(
    pod,
    { ...batch.metadata, ...joinedMaps(batch.metadata, 'annotations', annotations) },
    batch.containers,
    metadata,
  );
}

function writePod(
  pod: Pod,
  changed: JsonObject,
  containers: readonly JsonObject[],
  { labels, annotations = {} }: WorkloadMetadata,
): PlannedEffect {
  return patchOf(
    pod,
    { ...changed, ...joinedMaps(changed, 'labels', labels), ...joinedMaps(changed, 'annotations', annotations) },
    containers,
  );
}

function patchOf(pod: Pod, metadata: JsonObject, containers: readonly JsonObject[]) {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    type: 'patch',
    resource: PODS,
    reference: { namespace, name },
    patch: {
      metadata: { ...metadata, uid, resourceVersion },
      ...(containers.length > 0 && { spec: { containers: [...containers] } }),
    },
    patchType: 'strategic',
  } as const;
}

function withoutGrace({ metadata }: Pod): JsonObject {
  const names = [INPLACE_UPDATE_GRACE, LEGACY_INPLACE_UPDATE_GRACE];
  const present = names.filter((name) => Object.hasOwn(metadata.annotations ?? {}, name));
  return Object.fromEntries(present.map((name) => [name, null]));
}

function isAny(map: object | undefined): boolean {
  return Object.keys(map ?? {}).length > 0;
}
