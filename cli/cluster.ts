// What the sub-commands need of a cluster, and the objects of one that decisions may need.

import type { JsonObject } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { KRUISE_CONFIGURATION } from '../api/names.ts';
import { StatusError } from '../component/errors.ts';
import type { Manifest } from '../component/manifests.ts';
import type { KubeObject } from '../kube/objects.ts';

export type ListOptions = {
  /** Of one namespace; else of all. */
  namespace?: string;
  fieldSelector?: string;
  /** Some are enough; else all are read. */
  limit?: number;
  metadataOnly?: boolean;
};

export type Cluster = {
  /** Rejects as kube/client.ts does; with code 404 where there is no such kind. */
  list(apiVersion: string, kind: string, options?: ListOptions): Promise<readonly KubeObject[]>;
};

/** Which objects are wanted. */
type Wanted = { apiVersion: string; kind: string } & ListOptions;

const POLICIES = ['SidecarSet', 'PodUnavailableBudget', 'WorkloadSpread', 'PersistentPodState', 'PodProbeMarker'];
/** Owners of owners that are looked at. */
const OWNERS_MOST = 4;

export type LiveOptions = {
  /** Pods of one namespace; else of all. */
  namespace: string | undefined;
  systemNamespace: string;
  /** A field selector of pods. */
  podSelector?: string;
  /** Further objects to be read. */
  also?: readonly Wanted[];
};

/** Pods, what stands above them, policies and what those look at. Rejects as kube/client.ts does. */
export async function liveObjects(cluster: Cluster, options: LiveOptions): Promise<Manifest[]> {
  const { namespace, systemNamespace, podSelector, also = [] } = options;
  const inNamespace = namespace === undefined ? {} : { namespace };
  const configuration = { namespace: systemNamespace, fieldSelector: `metadata.name=${KRUISE_CONFIGURATION}` };
  const wanted: Wanted[] = [
    { apiVersion: 'v1', kind: 'Namespace' },
    { apiVersion: 'v1', kind: 'ConfigMap', ...configuration },
    { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: systemNamespace },
    ...POLICIES.map((kind) => ({
      apiVersion: policyVersion(kind),
      kind,
      ...(kind === 'SidecarSet' ? {} : inNamespace),
    })),
    ...also,
  ];
  const objects: KubeObject[] = [];
  for (const one of wanted) objects.push(...(await some(cluster, one)));
  const ofPods = { ...inNamespace, ...(podSelector !== undefined && { fieldSelector: podSelector }) };
  const pods = await some(cluster, { apiVersion: 'v1', kind: 'Pod', ...ofPods });
  return [...objects, ...(await ownersOf(cluster, pods, inNamespace)), ...pods].map(manifestOf);
}

async function ownersOf(
  cluster: Cluster,
  pods: readonly KubeObject[],
  inNamespace: Pick<ListOptions, 'namespace'>,
): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  const asked = new Set<string>();
  let below: readonly KubeObject[] = pods;
  for (let level = 0; level < OWNERS_MOST && below.length > 0; level++) {
    const above: KubeObject[] = [];
    for (const { apiVersion, kind } of controllersOf(below)) {
      if (asked.has(`${apiVersion} ${kind}`)) continue;
      asked.add(`${apiVersion} ${kind}`);
      above.push(...(await some(cluster, { apiVersion, kind, ...inNamespace })));
    }
    found.push(...above);
    below = above;
  }
  return found;
}

// Nodes own their mirror pods and are no workloads.
function controllersOf(objects: readonly KubeObject[]) {
  const controllers = objects.flatMap(
    ({ metadata }) => metadata.ownerReferences?.filter((one) => one.controller) ?? [],
  );
  return controllers.filter(({ kind }) => kind !== 'Node');
}

async function some(cluster: Cluster, { apiVersion, kind, ...options }: Wanted): Promise<readonly KubeObject[]> {
  try {
    return await cluster.list(apiVersion, kind, options);
  } catch (error) {
    // Where the API server does not know the kind there is nothing of it.
    if (error instanceof StatusError && error.code === 404) return [];
    throw error;
  }
}

function policyVersion(kind: string): string {
  const group = kind === 'PodUnavailableBudget' ? 'policy.kruise.io' : 'apps.kruise.io';
  return `${group}/${findKind(group, kind)?.storage ?? 'v1alpha1'}`;
}

function manifestOf(object: KubeObject): Manifest {
  return {
    object: object as unknown as JsonObject,
    file: 'cluster',
    line: 1,
    position: () => ({ line: 1, column: 1 }),
  };
}
