// The controller of WorkloadSpread: which changes of pods and workloads make it look at which spreads (workloadspread 5.1).

import type { Json, JsonObject } from '../../api/core/json.ts';
import { isSameTarget } from '../../api/core/references.ts';
import { type ListedWorkload, listedWorkloads } from '../../api/kinds/workloadspread/targets.ts';
import { MATCHED_WORKLOADSPREAD, WORKLOADSPREAD_WORKLOADS_KEY } from '../../api/names.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import {
  DEPLOYMENTS,
  JOBS,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../kube/resource.ts';
import type { Change, Controller, Watch } from '../loop/controller.ts';
import { conditionOf, isActive, type Pod } from '../shared/pod.ts';
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
import { knowingPods } from './pods.ts';
import { valueAt } from './replicas.ts';
import { matchedOf, SPREADS, type Spread, versionOfPod } from './spread.ts';
import { fetchState, findPods, type State } from './state.ts';

const REVISION = 'deployment.kubernetes.io/revision';

/** `systemNamespace` is where ConfigMap kruise-configuration lies. */
export function workloadSpread(systemNamespace: string): Controller<State> {
  const known = knowingPods();
  return {
    name: 'workloadspread-controller',
    workers: { flag: 'workloadspread-workers', default: 3 },
    watches: [
      {
        resource: SPREADS,
        keys: ({ old, new: current }) => [(current ?? old)?.metadata].filter((one) => one !== undefined),
      },
      { resource: PODS, keys: keysOfPod, indexes: { [OWNER_INDEX]: byOwner, [LABEL_INDEX]: byLabel } },
      // Only read: pods are adopted by the nodes on which they run.
      { resource: NODES, keys: () => [] },
      workloads(DEPLOYMENTS),
      workloads(REPLICA_SETS),
      workloads(STATEFUL_SETS),
      workloads(REPLICATION_CONTROLLERS),
      workloads(JOBS),
      { ...workloads(CLONE_SETS), optional: true },
      { ...workloads(ADVANCED_STATEFUL_SETS), optional: true },
    ],
    listed: {
      key: WORKLOADSPREAD_WORKLOADS_KEY,
      read: (configMap) => listedWorkloads(configMap as JsonObject | undefined),
      watch: (resource, { replicasPath }: ListedWorkload) => workloads(resource, replicasPath),
    },
    prepare: (reader, key) => findPods({ reader, known }, key),
    fetch: (reader, key, lookUp) => fetchState({ reader, lookUp, known }, key, systemNamespace),
    plan,
  };
}

/** Where there is no spread nothing of a pod is read but its name: most changes are of such pods. */
function keysOfPod(change: Change, reader: Reader): readonly ObjectReference[] {
  const current = change.new as Pod | undefined;
  const pod = current ?? (change.old as Pod);
  const { namespace = '' } = pod.metadata;
  if (reader.list(SPREADS, namespace).length === 0) return [];
  const old = current === undefined ? undefined : (change.old as Pod | undefined);
  if (old !== undefined && !matters(old, pod)) return [];
  const { name } = matchedOf(pod);
  if (name !== '' && reader.get(SPREADS, { namespace, name }) !== undefined) return [{ namespace, name }];
  // Pods that found no place may be adopted.
  return spreadsOf(pod, reader).map(({ metadata }) => metadata);
}

/** Does the update change in which subset the pod counts, or that it does? */
function matters(old: Pod, current: Pod): boolean {
  return (
    old.metadata.uid !== current.metadata.uid ||
    isActive(old) !== isActive(current) ||
    versionOfPod(old) !== versionOfPod(current) ||
    old.spec.nodeName !== current.spec.nodeName ||
    isUnschedulable(old) !== isUnschedulable(current) ||
    old.metadata.annotations?.[MATCHED_WORKLOADSPREAD] !== current.metadata.annotations?.[MATCHED_WORKLOADSPREAD]
  );
}

function isUnschedulable(pod: Pod): boolean {
  return conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable';
}

/** `path` is where the operator says that workloads of the kind have their number of replicas. */
function workloads(resource: Resource, path?: string): Watch {
  return {
    resource,
    keys: ({ old, new: current }, reader) => {
      const workload = current ?? old;
      if (workload === undefined) return [];
      const isSame = ({ spec }: Spread) => {
        const paths = [...(spec?.targetFilter?.replicasPathList ?? []), ...(path === undefined ? [] : [path])];
        return old !== undefined && current !== undefined && factsOf(old, paths) === factsOf(current, paths);
      };
      return spreadsOf(workload, reader)
        .filter((spread) => !isSame(spread))
        .map(({ metadata }) => metadata);
    },
  };
}

/** What of a workload matters: how many pods it wants, and which version is on its way. */
function factsOf(workload: KubeObject, paths: readonly string[]): string {
  const { spec, status, metadata } = workload;
  const { replicas, parallelism } = (spec ?? {}) as { replicas?: number; parallelism?: number };
  const { updateRevision } = (status ?? {}) as { updateRevision?: string };
  const more = paths.map((path) => valueAt(workload as unknown as Json, path) ?? null);
  return JSON.stringify([
    replicas,
    parallelism,
    updateRevision,
    metadata.deletionTimestamp,
    metadata.annotations?.[REVISION],
    ...more,
  ]);
}

/** The spreads of a workload, of what stands above it, or of a pod of theirs. */
function spreadsOf(object: KubeObject, reader: Reader): readonly Spread[] {
  const { namespace = '', name } = object.metadata;
  const spreads = reader.list(SPREADS, namespace) as readonly Spread[];
  if (spreads.length === 0) return [];
  const above = [
    { apiVersion: object.apiVersion, kind: object.kind, name },
    ...controllersAbove(reader, object, namespace),
  ];
  return spreads.filter(({ spec }) =>
    above.some((one) => spec?.targetRef !== undefined && isSameTarget(spec.targetRef, one)),
  );
}
