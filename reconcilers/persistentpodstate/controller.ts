// The controller of PersistentPodState: which changes make it look at which objects, and at which workloads that ask for
// one (persistentpodstate 3.1).

import { isSameTarget } from '../../api/core/references.ts';
import { INJECTED_PERSISTENT_POD_STATE } from '../../api/names.ts';
import { controllerOf, type KubeObject, type ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import { apiVersionOf, NODES, PODS, type Resource, STATEFUL_SETS } from '../../kube/resource.ts';
import type { Change, Controller, Watch } from '../loop/controller.ts';
import { listedWorkloadKinds } from '../shared/listed-workloads.ts';
import { isReady, isTerminating, type Pod } from '../shared/pod.ts';
import { ADVANCED_STATEFUL_SETS } from '../shared/workloads.ts';
import { fetchGenerate, type GenerateState, planGenerate } from './generate.ts';
import {
  generatingResource,
  generatingWorkload,
  generationKey,
  POD_STATES,
  type PodState,
  readVersion,
  wishOf,
} from './objects.ts';
import { fetchRecord, planRecord, type RecordState } from './record.ts';

/** `systemNamespace` is where ConfigMap kruise-configuration lies. */
export function persistentPodState(systemNamespace: string): Controller<RecordState | GenerateState> {
  return {
    name: 'persistentpodstate-controller',
    workers: { flag: 'persistentpodstate-workers', default: 3 },
    watches: [
      { resource: POD_STATES, keys: keysOfPodState },
      { resource: PODS, keys: keysOfPod },
      // Only read: their labels are what is recorded.
      { resource: NODES, keys: () => [] },
      workloads(STATEFUL_SETS),
      { ...workloads(ADVANCED_STATEFUL_SETS), optional: true },
    ],
    listed: listedWorkloadKinds(workloads),
    fetch(reader, key, lookUp) {
      const asking = generatingWorkload(key);
      if (asking !== undefined) return fetchGenerate({ reader, lookUp }, asking, systemNamespace);
      const podState = reader.get(POD_STATES, key) as PodState | undefined;
      return podState === undefined ? undefined : fetchRecord({ reader, lookUp }, podState);
    },
    plan: (state) => (state.type === 'record' ? planRecord(state) : planGenerate(state)),
  };
}

/** One that was made for a workload is made again when somebody deletes or changes it. */
function keysOfPodState({ old, new: current }: Change, reader: Reader): readonly ObjectReference[] {
  const podState = current ?? old;
  if (podState === undefined) return [];
  const owner = controllerOf(podState);
  const { namespace, name } = podState.metadata;
  const isMade = owner !== undefined && (generatingResource(owner) !== undefined || reader.followsKind(owner));
  if (!isMade) return [podState.metadata];
  return [podState.metadata, generationKey({ apiVersion: readVersion(owner), kind: owner.kind, namespace, name })];
}

/** Pods that become ready, or go. Where nothing is recorded, no more of a pod is read than its name. */
function keysOfPod(change: Change, reader: Reader): readonly ObjectReference[] {
  const pod = (change.new ?? change.old) as Pod;
  const { namespace, annotations } = pod.metadata;
  if (
    reader.list(POD_STATES, namespace).length === 0 ||
    !matters(change.old as Pod | undefined, change.new as Pod | undefined)
  ) {
    return [];
  }
  const name = annotations?.[INJECTED_PERSISTENT_POD_STATE];
  if (name === undefined) return podStatesOf(controllerOf(pod), namespace, reader);
  return reader.get(POD_STATES, { namespace, name }) === undefined ? [] : [{ namespace, name }];
}

function matters(old: Pod | undefined, current: Pod | undefined): boolean {
  if (old === undefined || current === undefined) return old !== undefined;
  return isTerminating(current) !== isTerminating(old) || (isReady(current) && !isReady(old));
}

function workloads(resource: Resource): Watch {
  return {
    resource,
    keys: ({ old, new: current }, reader) => {
      const workload = current ?? old;
      if (workload === undefined) return [];
      const { metadata } = workload;
      const asks = current !== undefined && (old === undefined ? wishOf(current).isOn : isOtherWish(old, current));
      // How many pods there are to be, and whether any, decides which records last.
      const isSame = old !== undefined && current !== undefined && factsOf(old) === factsOf(current);
      const target = { apiVersion: apiVersionOf(resource), kind: resource.kind, name: metadata.name };
      return [
        ...(asks ? [generationKey({ ...target, namespace: metadata.namespace })] : []),
        ...(isSame ? [] : podStatesOf(target, metadata.namespace, reader)),
      ];
    },
  };
}

function isOtherWish(old: KubeObject, current: KubeObject): boolean {
  return JSON.stringify(wishOf(old)) !== JSON.stringify(wishOf(current));
}

function factsOf({ metadata, spec }: KubeObject): string {
  const { replicas, ordinals, reserveOrdinals } = (spec ?? {}) as { [member: string]: unknown };
  return JSON.stringify([metadata.deletionTimestamp, replicas, ordinals, reserveOrdinals]);
}

type Target = { readonly apiVersion: string; readonly kind: string; readonly name: string };

function podStatesOf(
  target: Target | undefined,
  namespace: string | undefined,
  reader: Reader,
): readonly ObjectReference[] {
  if (target === undefined) return [];
  return (reader.list(POD_STATES, namespace) as readonly PodState[])
    .filter(({ spec }) => spec !== undefined && isSameTarget(spec.targetRef, target))
    .map(({ metadata }) => metadata);
}
