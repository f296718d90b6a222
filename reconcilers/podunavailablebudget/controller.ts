// The controller of PodUnavailableBudget: which changes of pods and workloads make it look at which budgets
// (podunavailablebudget 7.1).

import { isSameTarget } from '../../api/core/references.ts';
import { isEmptySelector, matchesSelector } from '../../api/core/selector.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import {
  DEPLOYMENTS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../kube/resource.ts';
import type { Change, Controller, Watch } from '../loop/controller.ts';
import { isTerminating, type Pod } from '../shared/pod.ts';
import { ADVANCED_STATEFUL_SETS, byOwner, CLONE_SETS, controllersAbove, OWNER_INDEX } from '../shared/workloads.ts';
import { plan } from './plan.ts';
import { type Availability, BUDGETS, type Budget, fetchState, relatedBudget, type State } from './state.ts';

export function podUnavailableBudget(availability: Availability): Controller<State> {
  return {
    name: 'podunavailablebudget-controller',
    workers: { flag: 'podunavailablebudget-workers', default: 3 },
    watches: [
      { resource: BUDGETS, keys: ({ old, new: current }) => references(current ?? old) },
      {
        resource: PODS,
        keys: (change, reader) => keysOfPod(change, reader, availability),
        indexes: { [OWNER_INDEX]: byOwner },
      },
      workloads(DEPLOYMENTS),
      workloads(REPLICA_SETS),
      workloads(STATEFUL_SETS),
      workloads(REPLICATION_CONTROLLERS),
      { ...workloads(CLONE_SETS), optional: true },
      { ...workloads(ADVANCED_STATEFUL_SETS), optional: true },
    ],
    fetch: (reader, key, lookUp) => fetchState({ reader, lookUp }, key, availability),
    plan,
  };
}

function references(object: KubeObject | undefined): readonly ObjectReference[] {
  return object === undefined ? [] : [object.metadata];
}

function keysOfPod(
  { old, new: current }: Change,
  reader: Reader,
  availability: Availability,
): readonly ObjectReference[] {
  const pod = (current ?? old) as Pod;
  if (old !== undefined && current !== undefined) {
    const before = old as Pod;
    const isOver = isTerminating(before) && old.metadata.uid === current.metadata.uid;
    const isAlike =
      isTerminating(before) === isTerminating(pod) &&
      relatedBudget(before) === relatedBudget(pod) &&
      availability.isAvailable(before) === availability.isAvailable(pod);
    if (isOver || isAlike) return [];
  }
  return budgetsOf(pod, reader).map(({ metadata }) => metadata);
}

/** The budget that the pod names or, if there is none of that name, those that match it. */
function budgetsOf(pod: Pod, reader: Reader): readonly Budget[] {
  const { namespace = '', labels } = pod.metadata;
  const name = relatedBudget(pod);
  const related = name === '' ? undefined : reader.get(BUDGETS, { namespace, name });
  if (related !== undefined) return [related as Budget];
  const budgets = reader.list(BUDGETS, namespace) as readonly Budget[];
  if (budgets.length === 0) return [];
  const above = controllersAbove(reader, pod, namespace);
  return budgets.filter(({ spec = {} }) =>
    spec.targetRef === undefined
      ? isSelected(spec, labels)
      : above.some((owner) => spec.targetRef !== undefined && isSameTarget(spec.targetRef, owner)),
  );
}

/** A workload that is scaled down raises the allowance before its pods are deleted. */
function workloads(resource: Resource): Watch {
  return {
    resource,
    keys: ({ old, new: current }, reader) => {
      const workload = current ?? old;
      const isScaled = old === undefined || current === undefined || replicas(old) !== replicas(current);
      if (workload === undefined || !isScaled) return [];
      const { namespace = '' } = workload.metadata;
      const budgets = reader.list(BUDGETS, namespace) as readonly Budget[];
      return budgets.filter((budget) => isAbout(budget, workload, reader, namespace)).map(({ metadata }) => metadata);
    },
  };
}

type WorkloadSpec = {
  readonly replicas?: number;
  readonly template?: { readonly metadata?: { readonly labels?: { readonly [key: string]: string } } };
};

function replicas({ spec }: KubeObject): number | undefined {
  return (spec as WorkloadSpec | undefined)?.replicas;
}

function isAbout({ spec = {} }: Budget, workload: KubeObject, reader: Reader, namespace: string): boolean {
  const { targetRef } = spec;
  if (targetRef === undefined) {
    return isSelected(spec, (workload.spec as WorkloadSpec | undefined)?.template?.metadata?.labels);
  }
  const { apiVersion, kind, metadata } = workload;
  const self = { apiVersion, kind, name: metadata.name };
  return [self, ...controllersAbove(reader, workload, namespace)].some((owner) => isSameTarget(targetRef, owner));
}

function isSelected({ selector }: NonNullable<Budget['spec']>, labels: KubeObject['metadata']['labels']): boolean {
  return selector !== undefined && !isEmptySelector(selector) && matchesSelector(selector, labels);
}
