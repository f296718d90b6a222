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
import { controllerOf, type KubeObject, type ObjectReference, type OwnerReference } from '../../kube/objects.ts';
import { remembering, type Stored } from '../../kube/reader.ts';
import { resourceOf } from '../../kube/resource.ts';
import { isActive, type Pod } from '../shared/pod.ts';
import {
  findWorkload,
  resolveWorkload,
  type Sources,
  storedPodsLabelled,
  storedPodsOf,
  storedPodsOfTarget,
  storedPodsSelected,
  type Workload,
} from '../shared/workloads.ts';

export const BUDGETS = resourceOf(description);

export type Budget = KubeObject & {
  readonly spec?: DeepReadonly<PodUnavailableBudgetSpec>;
  readonly status?: DeepReadonly<PodUnavailableBudgetStatus>;
};

export type CountedPod = {
  /** Names the pod, as events and patches need it: no more of it is kept, since budgets may have thousands. */
  readonly pod: KubeObject;
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

/** What budgets count of a pod. */
type PodFacts = {
  readonly pod: KubeObject;
  readonly isActive: boolean;
  readonly isAvailable: boolean;
  /** The name of the budget that the pod says it counts for. */
  readonly budget: string;
  readonly owner: OwnerReference | undefined;
};

/** What of pods budgets ask again and again: it is found once for each version of a pod. */
export type KnownPods = (stored: Stored) => PodFacts;

export function knowingPods(availability: Availability): KnownPods {
  return remembering((object) => {
    const pod = object as Pod;
    const { namespace = '', name, uid, resourceVersion, labels = {} } = pod.metadata;
    const isCounted = isActive(pod);
    return {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid, resourceVersion, labels } },
      isActive: isCounted,
      isAvailable: isCounted && availability.isAvailable(pod),
      budget: relatedBudget(pod),
      owner: controllerOf(pod),
    };
  });
}

type Looking = Sources & { readonly known: KnownPods };

export function fetchState(looking: Looking, key: ObjectReference): State | undefined {
  const { reader } = looking;
  const budget = reader.get(BUDGETS, key) as Budget | undefined;
  if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
  const { pods, replicas } = counted(looking, budget);
  const names = new Set(pods.map((pod) => pod.budget));
  const { namespace } = budget.metadata;
  const budgets = new Set([...names].filter((name) => reader.get(BUDGETS, { namespace, name }) !== undefined));
  return {
    budget,
    pods: pods.map(({ pod, isAvailable, budget: name }) => ({ pod, isAvailable, isLinked: budgets.has(name) })),
    expected: totalReplicas(budget) ?? replicas ?? pods.length,
  };
}

/** Finds out what budgets count of the pods among which those of a budget are, one in each step. */
export function* findPods({ reader, known }: Omit<Looking, 'lookUp'>, key: ObjectReference): Iterable<PodFacts> {
  const budget = reader.get(BUDGETS, key) as Budget | undefined;
  if (budget === undefined) return;
  const { targetRef, selector } = budget.spec ?? {};
  const { namespace = '' } = budget.metadata;
  let pods: readonly Stored[] = [];
  if (targetRef !== undefined) {
    pods = storedPodsOfTarget(reader, targetRef, namespace);
  } else if (selector !== undefined && !isEmptySelector(selector)) {
    pods = storedPodsLabelled(reader, selector, namespace);
  }
  for (const stored of pods) yield known(stored);
}

/** The name of the budget that a pod says it counts for; empty if it says none. */
export function relatedBudget({ metadata }: Pod): string {
  return metadata.annotations?.[RELATED_PUB] || metadata.annotations?.[LEGACY_RELATED_PUB] || '';
}

/** Pods that are neither finished nor going. */
type Counted = { readonly pods: readonly PodFacts[]; readonly replicas: number | undefined };

const NOTHING: Counted = { pods: [], replicas: 0 };

function counted(looking: Looking, { spec = {}, metadata }: Budget): Counted {
  const { namespace = '' } = metadata;
  if (spec.targetRef !== undefined) return ofTarget(looking, spec.targetRef, namespace);
  const { selector } = spec;
  if (selector === undefined || isEmptySelector(selector) || selectorFault(selector) !== undefined) return NOTHING;
  const pods = activeOf(looking, storedPodsSelected(looking.reader, selector, within(looking, namespace)));
  return { pods, replicas: replicasOf(looking, pods, namespace) };
}

function within({ known }: Looking, namespace: string) {
  return { namespace, metadataOf: (stored: Stored) => known(stored).pod.metadata };
}

function activeOf({ known }: Looking, stored: readonly Stored[]): readonly PodFacts[] {
  return stored.map(known).filter((pod) => pod.isActive);
}

function ofTarget(
  looking: Looking,
  target: NonNullable<DeepReadonly<PodUnavailableBudgetSpec>['targetRef']>,
  namespace: string,
): Counted {
  // A budget for a ReplicaSet is about that one, even if a Deployment controls it.
  const workload = findWorkload(looking, target, namespace);
  if (workload === undefined || isGoing(workload) || workload.replicas === 0) return NOTHING;
  const pods = activeOf(looking, storedPodsOf(looking, workload, within(looking, namespace)));
  return { pods, replicas: workload.replicas };
}

/** Together, of the workloads that control the pods; those that do not tell, are gone or are going add nothing. */
function replicasOf(sources: Sources, pods: readonly PodFacts[], namespace: string): number {
  // A Job does not tell how many of its pods are to serve.
  const all = pods.flatMap(({ owner }) => owner ?? []).filter(({ kind }) => kind !== 'Job');
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
