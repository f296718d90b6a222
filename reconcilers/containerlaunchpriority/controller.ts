// Containers of a pod start in the order of their priorities: each waits for a key in the pod's barrier, a ConfigMap, and
// the keys are added from the highest priority down, as the containers before become ready (containerlaunchpriority 3).

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { BARRIER_KEY_PREFIX, BARRIER_SUFFIX, CONTAINER_BARRIER_ENV } from '../../api/names.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { CONFIG_MAPS, PODS } from '../../kube/resource.ts';
import type { Controller } from '../loop/controller.ts';
import { conditionOf, isTerminating, type Pod, type PodContainer, statusOf } from '../shared/pod.ts';

const COMPLETED = 'apps.kruise.io/container-launch-priority-completed';
/** Until a barrier of an earlier pod of the same name is gone. */
const AGAIN_MS = 1000;

export type State = {
  readonly pod: Pod;
  /** The ConfigMap of the barrier's name. */
  readonly barrier: KubeObject | undefined;
};

export const containerLaunchPriority: Controller<State> = {
  name: 'container-launch-priority-controller',
  workers: { default: 4 },
  watches: [
    { resource: PODS, keys: ({ new: pod }) => (pod !== undefined && isWaiting(pod as Pod) ? [pod.metadata] : []) },
  ],
  fetch(reader, key, lookUp) {
    const pod = reader.get(PODS, key) as Pod | undefined;
    if (pod === undefined || !isOpenEnded(pod)) return undefined;
    const { namespace = '', name } = pod.metadata;
    // Only pods that start ask: no mirror of all ConfigMaps is kept for them.
    const reference = { apiVersion: 'v1', kind: CONFIG_MAPS.kind, namespace, name: `${name}${BARRIER_SUFFIX}` };
    return { pod, barrier: lookUp(reference) };
  },
  plan,
};

export function plan({ pod, barrier }: State): Plan {
  const pending = pendingPriorities(pod);
  const [lowest] = pending;
  const current = pending.at(-1);
  if (lowest === undefined || current === undefined) return { groups: [[completion(pod)]] };
  if (barrier !== undefined && isOfAnotherPod(barrier, pod)) {
    const { metadata } = barrier;
    const removal: PlannedEffect = { type: 'delete', resource: CONFIG_MAPS, reference: metadata, uid: metadata.uid };
    return { groups: [[removal]], requeueAfterMs: AGAIN_MS };
  }
  const isLastOpen = barrier !== undefined && hasKey(barrier, lowest);
  const isOpen = isLastOpen || (barrier !== undefined && hasKey(barrier, current));
  // The last key is what the last containers wait for: nothing is left to do after it.
  const isComplete = isLastOpen || current === lowest;
  const steps = [isOpen ? [] : [opening(pod, barrier, current)], isComplete ? [completion(pod)] : []];
  return { groups: steps.filter((group) => group.length > 0) };
}

/** Do containers of the pod wait for their turn? */
function isWaiting(pod: Pod): boolean {
  return (
    isOpenEnded(pod) && conditionOf(pod, 'ContainersReady')?.status !== 'True' && pendingPriorities(pod).length > 0
  );
}

/** Is anything left to do for the pod, and be it to tell that nothing is? */
function isOpenEnded(pod: Pod): boolean {
  const isOrdered = pod.spec.containers.some((container) => priorityOf(container) !== undefined);
  return isOrdered && !isTerminating(pod) && pod.metadata.annotations?.[COMPLETED] !== 'true';
}

/** Priorities of the containers that are not ready, ascending. */
function pendingPriorities(pod: Pod): number[] {
  const waiting = pod.spec.containers.filter(({ name }) => statusOf(pod, name)?.ready !== true);
  return waiting.flatMap((container) => priorityOf(container) ?? []).sort((a, b) => a - b);
}

/** What the container waits for; a variable of that name that stands for something else does not count. */
function priorityOf({ env = [] }: PodContainer): number | undefined {
  const key = env.findLast(({ name }) => name === CONTAINER_BARRIER_ENV)?.valueFrom?.configMapKeyRef?.key ?? '';
  const digits = key.startsWith(BARRIER_KEY_PREFIX) ? key.slice(BARRIER_KEY_PREFIX.length) : '';
  return /^-?\d+$/.test(digits) ? Number(digits) : undefined;
}

function hasKey({ data }: KubeObject, priority: number): boolean {
  return isObject(data as Json) && Object.hasOwn(data as JsonObject, keyFor(priority));
}

function keyFor(priority: number): string {
  return `${BARRIER_KEY_PREFIX}${priority}`;
}

/** Left over from an earlier pod of the same name: it would start all containers at once. */
function isOfAnotherPod({ metadata }: KubeObject, pod: Pod): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Pod');
  return owners.length > 0 && owners.every(({ uid }) => uid !== pod.metadata.uid);
}

function opening({ metadata }: Pod, barrier: KubeObject | undefined, priority: number): PlannedEffect {
  const { namespace = '', name, uid } = metadata;
  const reference = { namespace, name: `${name}${BARRIER_SUFFIX}` };
  const data = { [keyFor(priority)]: 'true' };
  if (barrier !== undefined) {
    return { type: 'patch', resource: CONFIG_MAPS, reference, patch: { data }, patchType: 'merge' };
  }
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...reference, ownerReferences: [owner] }, data };
  return { type: 'create', resource: CONFIG_MAPS, object };
}

function completion({ metadata }: Pod): PlannedEffect {
  const patch = { metadata: { uid: metadata.uid, annotations: { [COMPLETED]: 'true' } } };
  return { type: 'patch', resource: PODS, reference: metadata, patch, patchType: 'strategic' };
}
