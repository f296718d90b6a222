// Policy objects that act on the pods of their namespace `shop`, and what pods refer to.
import type { JsonObject } from '../../../api/core/json.ts';

const KRUISE = 'apps.kruise.io/v1beta1';

/** Parts of a pod's metadata: controlled by this workload. */
export function ownedBy(kind: string, name = 'web', apiVersion = KRUISE): { metadata: JsonObject } {
  return { metadata: { ownerReferences: [controllerReference(kind, name, apiVersion)] } };
}

/** The reference to a controller; the workloads of `workloadOf` have its uid. */
export function controllerReference(kind: string, name: string, apiVersion = KRUISE): JsonObject {
  return { apiVersion, kind, name, uid: `uid-${kind}-${name}`, controller: true, blockOwnerDeletion: true };
}

/** Any workload as stored, with little in it. */
export function workloadOf(kind: string, name: string, apiVersion = KRUISE, owner?: JsonObject): JsonObject {
  const owners = owner === undefined ? {} : { ownerReferences: [owner] };
  const metadata = { name, namespace: 'shop', uid: `uid-${kind}-${name}`, ...owners };
  return { apiVersion, kind, metadata, spec: { replicas: 1 } };
}

/** A PodUnavailableBudget; without a `spec` it selects `app: web`. */
export function budget(name: string, spec: JsonObject = { selector: { matchLabels: { app: 'web' } } }): JsonObject {
  const metadata = { name, namespace: 'shop', uid: `uid-${name}` };
  return { apiVersion: 'policy.kruise.io/v1beta1', kind: 'PodUnavailableBudget', metadata, spec };
}

/** The spec of a budget for a workload. */
export function targeting(kind: string, name = 'web', apiVersion = KRUISE): JsonObject {
  return { targetRef: { apiVersion, kind, name }, maxUnavailable: 1 };
}

export type PodStateParts = {
  metadata?: JsonObject;
  target?: JsonObject;
  required?: string[];
  /** Weight and keys of each item. */
  preferred?: [number, string[]][];
  /** Labels by pod. */
  states?: Record<string, JsonObject>;
};

/** A PersistentPodState of the Advanced StatefulSet `db`. */
export function podState(name: string, parts: PodStateParts = {}): JsonObject {
  const { required, preferred, states = {} } = parts;
  return {
    apiVersion: KRUISE,
    kind: 'PersistentPodState',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...parts.metadata },
    spec: {
      targetRef: parts.target ?? { apiVersion: KRUISE, kind: 'StatefulSet', name: 'db' },
      ...(required === undefined ? {} : { requiredPersistentTopology: { keys: required } }),
      ...(preferred === undefined
        ? {}
        : { preferredPersistentTopology: preferred.map(([weight, keys]) => ({ weight, preference: { keys } })) }),
    },
    status: {
      observedGeneration: 1,
      podStates: Object.fromEntries(
        Object.entries(states).map(([pod, nodeTopologyLabels]) => [pod, { nodeName: 'n1', nodeTopologyLabels }]),
      ),
    },
  };
}

/** A probe of a marker: the command `/<name>.sh` in container `app`, for condition `game.io/<name>`. */
export function probe(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    containerName: 'app',
    probe: { exec: { command: [`/${name}.sh`] } },
    podConditionType: `game.io/${name}`,
    markerPolicy: [{ state: 'Succeeded', labels: { [name]: 'true' } }],
    ...more,
  };
}

/** A PodProbeMarker; it selects `app: web` unless told otherwise. */
export function probeMarker(name: string, probes: JsonObject[], selector?: JsonObject): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'PodProbeMarker',
    metadata: { name, namespace: 'shop', uid: `uid-${name}` },
    spec: { selector: selector ?? { matchLabels: { app: 'web' } }, probes },
  };
}

/** ConfigMap kruise-configuration. */
export function configuration(data: Record<string, string>): JsonObject {
  const metadata = { name: 'kruise-configuration', namespace: 'kruise-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}
