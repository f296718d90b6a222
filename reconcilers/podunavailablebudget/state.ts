// What the controller of PodUnavailableBudget looks at: the budget, the pods that it is about, and how many of them are
// expected (podunavailablebudget 6).

import { parseInteger } from '../../api/core/integers.ts';
import type { DeepReadonly } from '../../api/core/json.ts';
import { isEmptySelector, selectorFault } from '../../api/core/selector.ts';
import {
  description,
  type PodUnavailableBudgetSpec,
  type PodUnavailableBudgetStatus,
} from '../../api/kinds/podunavailablebudget/schema.ts';
import { LEGACY_RELATED_PUB, PUB_PROTECT_TOTAL_REPLICAS, RELATED_PUB } from '../../api/names.ts';
import { controllerOf, type KubeObject, type ObjectReference } from '../../kube/objects.ts';
import { resourceOf } from '../../kube/resource.ts';
import { isActive, type Pod } from '../shared/pod.ts';
import {
  findWorkload,
  podsOf,
  podsSelected,
  resolveWorkload,
  type Sources,
  type Workload,
} from '../shared/workloads.ts';

export const BUDGETS = resourceOf(description);

export type Budget = KubeObject & {
  readonly spec?: DeepReadonly<PodUnavailableBudgetSpec>;
  readonly status?: DeepReadonly<PodUnavailableBudgetStatus>;
};

export type CountedPod = {
  readonly pod: Pod;
  /** Ready, and not in the middle of an update: what admission asks before it takes a unit. */
  readonly isAvailable: boolean;
  /** Does the pod name a budget that exists? */
  readonly isLinked: boolean;
};

export type State = {
  readonly budget: Budget;
  /** The pods that are neither finished nor being deleted. */
  readonly pods: readonly CountedPod[];
  readonly expected: number;
};

/** Does a pod serve as far as budgets are concerned? The policies have this rule. */
export type Availability = { isAvailable(pod: Pod): boolean };

export function fetchState(sources: Sources, key: ObjectReference, availability: Availability): State | undefined {
  const budget = sources.reader.get(BUDGETS, key) as Budget | undefined;
  if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
  const { pods, replicas } = counted(sources, budget);
  const active = pods.filter(isActive);
  const isBudget = (name: string) =>
    sources.reader.get(BUDGETS, { namespace: budget.metadata.namespace, name }) !== undefined;
  return {
    budget,
    pods: active.map((pod) => ({
      pod,
      isAvailable: availability.isAvailable(pod),
      isLinked: isBudget(relatedBudget(pod)),
    })),
    expected: totalReplicas(budget) ?? replicas ?? active.length,
  };
}

/** The name of the budget that a pod says it counts for; empty if it says none. */
export function relatedBudget({ metadata }: Pod): string {
  return metadata.annotations?.[RELATED_PUB] || metadata.annotations?.[LEGACY_RELATED_PUB] || '';
}

type Counted = { readonly pods: readonly Pod[]; readonly replicas: number | undefined };

const NOTHING: Counted = { pods: [], replicas: 0 };

function counted(sources: Sources, { spec = {}, metadata }: Budget): Counted {
  const { namespace = '' } = metadata;
  if (spec.targetRef !== undefined) return ofTarget(sources, spec.targetRef, namespace);
  const { selector } = spec;
  if (selector === undefined || isEmptySelector(selector) || selectorFault(selector) !== undefined) return NOTHING;
  const pods = podsSelected(sources.reader, selector, namespace);
  return { pods, replicas: replicasOf(sources, pods.filter(isActive), namespace) };
}

function ofTarget(
  sources: Sources,
  target: NonNullable<DeepReadonly<PodUnavailableBudgetSpec>['targetRef']>,
  namespace: string,
): Counted {
  // A budget for a ReplicaSet is about that one, even if a Deployment controls it.
  const workload = findWorkload(sources, target, namespace);
  if (workload === undefined || isGoing(workload) || workload.replicas === 0) return NOTHING;
  return { pods: podsOf(sources, workload, namespace), replicas: workload.replicas };
}

/** Together, of the workloads that control the pods; those that do not tell, are gone or are going add nothing. */
function replicasOf(sources: Sources, pods: readonly Pod[], namespace: string): number {
  // A Job does not tell how many of its pods are to serve.
  const all = pods.flatMap((pod) => controllerOf(pod) ?? []).filter(({ kind }) => kind !== 'Job');
  const owners = new Map(all.map((owner) => [owner.uid, owner]));
  const workloads = new Map<string, Workload>();
  for (const owner of owners.values()) {
    const workload = resolveWorkload(sources, owner, namespace);
    if (workload !== undefined && !isGoing(workload)) workloads.set(workload.uid, workload);
  }
  return [...workloads.values()].reduce((sum, { replicas = 0 }) => sum + replicas, 0);
}

function isGoing({ object }: Workload): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** What the budget itself says, in either version's words. */
function totalReplicas({ spec, metadata }: Budget): number | undefined {
  if (spec?.protectTotalReplicas !== undefined) return spec.protectTotalReplicas;
  const parsed = parseInteger(metadata.annotations?.[PUB_PROTECT_TOTAL_REPLICAS] ?? '', 32);
  return typeof parsed === 'number' ? parsed : undefined;
}
