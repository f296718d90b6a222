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
import { listedWorkloadKinds } from '../shared/listed-workloads.ts';
import { isTerminating, type Pod } from '../shared/pod.ts';
import {
  ADVANCED_STATEFUL_SETS,
  byLabel,
  byOwner,
  CLONE_SETS,
  controllersAbove,
  LABEL_INDEX,
  OWNER_INDEX,
} from '../shared/workloads.ts';
import { plan } from './plan.ts';
import {
  type Availability,
  BUDGETS,
  type Budget,
  fetchState,
  findPods,
  knowingPods,
  relatedBudget,
  type State,
} from './state.ts';

export function podUnavailableBudget(rule: Availability): Controller<State> {
  const availability = rememberingPods(rule);
  const known = knowingPods(availability);
  return {
    name: 'podunavailablebudget-controller',
    workers: { flag: 'podunavailablebudget-workers', default: 3 },
    watches: [
      { resource: BUDGETS, keys: ({ old, new: current }) => references(current ?? old) },
      {
        resource: PODS,
        keys: (change, reader) => keysOfPod(change, reader, availability),
        indexes: { [OWNER_INDEX]: byOwner, [LABEL_INDEX]: byLabel },
      },
      workloads(DEPLOYMENTS),
      workloads(REPLICA_SETS),
      workloads(STATEFUL_SETS),
      workloads(REPLICATION_CONTROLLERS),
      { ...workloads(CLONE_SETS), optional: true },
      { ...workloads(ADVANCED_STATEFUL_SETS), optional: true },
    ],
    // They count for budgets too: their workloads are found by it.
    listed: listedWorkloadKinds(workloads),
    prepare: (reader, key) => findPods({ reader, known }, key),
    fetch: (reader, key, lookUp) => fetchState({ reader, lookUp, known }, key),
    plan,
  };
}

/** Objects never change: what was found out about one holds as long as it is kept. */
function rememberingPods(rule: Availability): Availability {
  const known = new WeakMap<Pod, boolean>();
  return {
    isAvailable: (pod) => {
      const answer = known.get(pod) ?? rule.isAvailable(pod);
      known.set(pod, answer);
      return answer;
    },
  };
}

function references(object: KubeObject | undefined): readonly ObjectReference[] {
  return object === undefined ? [] : [object.metadata];
}

/** Where there is no budget nothing of a pod is read but its name: most changes are of such pods. */
function keysOfPod(change: Change, reader: Reader, availability: Availability): readonly ObjectReference[] {
  const current = change.new as Pod | undefined;
  const pod = current ?? (change.old as Pod);
  const budgets = budgetsOf(pod, reader);
  if (budgets.length === 0) return [];
  const old = current === undefined ? undefined : (change.old as Pod | undefined);
  return old === undefined || matters(old, pod, availability) ? budgets.map(({ metadata }) => metadata) : [];
}

/** Does the update alter whether, or for which budget, the pod counts? */
function matters(old: Pod, pod: Pod, availability: Availability): boolean {
  if (old.metadata.uid !== pod.metadata.uid) return true;
  if (isTerminating(old)) return false;
  return (
    isTerminating(pod) ||
    relatedBudget(old) !== relatedBudget(pod) ||
    availability.isAvailable(old) !== availability.isAvailable(pod)
  );
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

/** A workload that is scaled down, or goes, raises the allowance before its pods are deleted. */
function workloads(resource: Resource): Watch {
  return {
    resource,
    keys: ({ old, new: current }, reader) => {
      const workload = current ?? old;
      const isSame = old !== undefined && current !== undefined && wanted(old) === wanted(current);
      if (workload === undefined || isSame) return [];
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

/** How many pods the workload wants: of one that is going, none. */
function wanted({ spec, metadata }: KubeObject): number | undefined {
  return metadata.deletionTimestamp === undefined ? (spec as WorkloadSpec | undefined)?.replicas : 0;
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
