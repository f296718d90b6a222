// Pods that wait for the condition KruisePodReady get it, once, so that those to whom nobody has an objection become
// ready (podreadiness 2). Who objects to a pod writes into the condition: shared/readiness.ts.

import { KRUISE_POD_READY } from '../../api/names.ts';
import type { Plan } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import type { Controller } from '../loop/controller.ts';
import { writeConditions } from '../shared/conditions.ts';
import { conditionOf, hasReadinessGate, isTerminating, type Pod, timestamp } from '../shared/pod.ts';

export type State = { readonly pod: Pod };

export const podReadiness: Controller<State> = {
  name: 'pod-readiness-controller',
  workers: { default: 3 },
  watches: [
    { resource: PODS, keys: ({ new: pod }) => (pod !== undefined && isWaiting(pod as Pod) ? [pod.metadata] : []) },
  ],
  fetch(reader, key) {
    const pod = reader.get(PODS, key) as Pod | undefined;
    return pod === undefined ? undefined : { pod };
  },
  plan,
};

export function plan({ pod }: State, now: number): Plan {
  if (!isWaiting(pod)) return { groups: [] };
  const condition = { type: KRUISE_POD_READY, status: 'True', lastTransitionTime: timestamp(now) };
  // Another pod of the same name, and one that somebody has objected to meanwhile, stay as they are.
  return { groups: [[writeConditions(pod, [condition])]] };
}

/** A condition without status and without objections counts as missing. */
function isWaiting(pod: Pod): boolean {
  if (isTerminating(pod) || !hasReadinessGate(pod, KRUISE_POD_READY)) return false;
  const condition = conditionOf(pod, KRUISE_POD_READY);
  return condition === undefined || (condition.status === '' && ['', '[]'].includes(condition.message ?? ''));
}
