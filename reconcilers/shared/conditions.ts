// Conditions of pods that controllers write, and what a gate that closes means for the pod's readiness (inplace-update 7.5).

import type { Json, JsonObject } from '../../api/core/json.ts';
import { READINESS_GATES_NOT_READY } from '../../api/names.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { conditionOf, type Pod, type PodCondition, timestamp } from './pod.ts';

/**
 * Replaces the conditions of these types, if the pod is still as it was read. Other parts of the status are not sent: mirrors do
 * not keep all that a pod has.
 */
export function writeConditions(pod: Pod, conditions: readonly PodCondition[]): PlannedEffect {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    type: 'patch',
    resource: PODS,
    reference: { namespace, name },
    patch: {
      metadata: { uid, resourceVersion },
      status: { conditions: conditions.map((condition) => replacing(pod, condition)) },
    },
    patchType: 'strategic',
    subresource: 'status',
  };
}

/**
 * The condition of a gate that is not True, and Ready if the pod can no longer be ready by it: endpoints need not wait for the
 * kubelet to notice.
 */
export function closingGate(pod: Pod, gate: PodCondition, now: number): readonly PodCondition[] {
  const isUp = conditionOf(pod, 'ContainersReady')?.status === 'True';
  if (!isUp || conditionOf(pod, 'Ready')?.status !== 'True') return [gate];
  const message = closedGates(pod, gate).join(', ');
  if (message === '') return [gate];
  const lastTransitionTime = timestamp(now);
  return [gate, { type: 'Ready', status: 'False', reason: READINESS_GATES_NOT_READY, message, lastTransitionTime }];
}

function closedGates(pod: Pod, changed: PodCondition): string[] {
  return (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = conditionType === changed.type ? changed : conditionOf(pod, conditionType);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
}

// A patch merges: what the condition no longer says must be taken away.
function replacing(pod: Pod, condition: PodCondition): JsonObject {
  const before = Object.keys(conditionOf(pod, condition.type) ?? {});
  const gone = before.filter((member) => !Object.hasOwn(condition, member) && member !== 'lastTransitionTime');
  return { ...Object.fromEntries(gone.map((member): [string, Json] => [member, null])), ...condition };
}
