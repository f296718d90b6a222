// What the controller of WorkloadSpread looks at: the spread, the pods of its workload, how many of them are wanted, and
// which version of their template is the latest (workloadspread 4 and 5.3).

import { type DeepReadonly, equalJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { groupOf, type TargetReference } from '../../api/core/references.ts';
import { isEmptySelector, matchesSelector } from '../../api/core/selector.ts';
import { type ListedWorkload, listedWorkloads } from '../../api/kinds/workloadspread/targets.ts';
import { KRUISE_CONFIGURATION, POD_TEMPLATE_HASH, VERSION_IGNORED } from '../../api/names.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import { DEPLOYMENTS, JOBS, NODES, PODS, REPLICA_SETS } from '../../kube/resource.ts';
import type { Node } from '../shared/node-match.ts';
import type { Pod } from '../shared/pod.ts';
import {
  findWorkload,
  mirroredResource,
  OWNER_INDEX,
  podsOf,
  replicaSetsOf,
  type Sources,
  type Workload,
} from '../shared/workloads.ts';
import { replicasAt } from './replicas.ts';
import { SPREADS, type Spread } from './spread.ts';

export type State = {
  readonly spread: Spread;
  /** Pods of the workload that the filter lets through, by name; also those that are finished or being deleted. */
  readonly pods: readonly Pod[];
  /** What percentages are of. */
  readonly replicas: number;
  /** The version whose pods stay longest; undefined while the workload does not tell yet. */
  readonly latestVersion: string | undefined;
  /** The nodes of these pods, by name. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Nobody tells when the workload changes: the operator has not listed its kind, or it cannot be followed. */
  readonly isUnwatched: boolean;
};

export function fetchState(sources: Sources, key: ObjectReference, systemNamespace: string): State | undefined {
  const spread = sources.reader.get(SPREADS, key) as Spread | undefined;
  const target = spread?.spec?.targetRef;
  if (spread === undefined || target === undefined || spread.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace = '' } = spread.metadata;
  const { workload, pods, isUnwatched } = counted(sources, target, namespace);
  const selector = spread.spec?.targetFilter?.selector;
  // Compatibility: a filter without selector, or with an empty one, lets all through.
  const isOpen = selector === undefined || isEmptySelector(selector);
  const chosen = pods.filter(({ metadata }) => isOpen || matchesSelector(selector, metadata.labels));
  return {
    spread,
    pods: chosen.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    replicas: replicasOf(sources, { spread, target, workload, systemNamespace }),
    latestVersion: latestVersion(sources, workload, namespace),
    nodes: nodesOf(sources, chosen),
    isUnwatched,
  };
}

type Counted = {
  readonly workload: Workload | undefined;
  readonly pods: readonly Pod[];
  readonly isUnwatched: boolean;
};

function counted(sources: Sources, target: TargetReference, namespace: string): Counted {
  if (target.kind === 'Job') return ofJob(sources, target, namespace);
  const workload = findWorkload(sources, target, namespace);
  const isUnwatched = !sources.reader.followsKind(target);
  const isGone = workload === undefined || workload.object.metadata.deletionTimestamp !== undefined;
  if (isGone) return { workload: undefined, pods: [], isUnwatched };
  // A workload without replicas has no pods that count, whatever still runs.
  return { workload, pods: workload.replicas === 0 ? [] : podsOf(sources, workload, namespace), isUnwatched };
}

function ofJob({ reader }: Sources, { apiVersion = '', name = '' }: TargetReference, namespace: string): Counted {
  const job = groupOf(apiVersion) === JOBS.group ? reader.get(JOBS, { namespace, name }) : undefined;
  if (job === undefined) return { workload: undefined, pods: [], isUnwatched: false };
  const { parallelism: replicas = 1, selector } = job.spec as {
    parallelism?: number;
    selector?: Parameters<typeof matchesSelector>[0];
  };
  const { uid } = job.metadata;
  const own = reader.indexed(PODS, OWNER_INDEX, uid) as readonly Pod[];
  const pods = own.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
  return { workload: { object: job, uid, replicas }, pods: replicas === 0 ? [] : pods, isUnwatched: false };
}

type Asked = {
  readonly spread: Spread;
  readonly target: TargetReference;
  readonly workload: Workload | undefined;
  readonly systemNamespace: string;
};

/** What is not known counts as none. */
function replicasOf(sources: Sources, { spread, target, workload, systemNamespace }: Asked): number {
  if (workload === undefined) return 0;
  const isListed = mirroredResource(target) === undefined && target.kind !== 'Job';
  const listed = isListed ? listedWorkload(sources, target, systemNamespace)?.replicasPath : undefined;
  const own = spread.spec?.targetFilter?.replicasPathList ?? [];
  const paths = own.length > 0 || listed === undefined ? own : [listed];
  if (paths.length === 0) return Math.max(workload.replicas ?? 0, 0);
  const object = isListed ? lookUpTarget(sources, target, spread) : workload.object;
  return object === undefined ? (workload.replicas ?? 0) : replicasAt(object as unknown as Json, paths);
}

function lookUpTarget({ lookUp }: Sources, target: TargetReference, { metadata }: Spread): KubeObject | undefined {
  const { apiVersion = '', kind = '', name = '' } = target;
  return lookUp({ apiVersion, kind, namespace: metadata.namespace ?? '', name });
}

/** The operator's entry for the kind; the version does not matter. A list that cannot be read has none. */
function listedWorkload(
  { lookUp }: Sources,
  { apiVersion = '', kind }: TargetReference,
  systemNamespace: string,
): ListedWorkload | undefined {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name: KRUISE_CONFIGURATION };
  const configMap = lookUp(reference) as unknown as JsonObject | undefined;
  const list = listedWorkloads(configMap);
  if (typeof list === 'string') return undefined;
  return list.find(({ Group = '', Kind = '' }) => Group === groupOf(apiVersion) && Kind === kind);
}

/** Only Deployments and ReplicaSets have versions: of a Deployment it is the ReplicaSet with its template that tells. */
function latestVersion({ reader }: Sources, workload: Workload | undefined, namespace: string): string | undefined {
  const resource = workload === undefined ? undefined : mirroredResource(workload.object);
  if (workload === undefined || (resource !== DEPLOYMENTS && resource !== REPLICA_SETS)) return VERSION_IGNORED;
  const { object, uid, selector } = workload;
  if (resource === REPLICA_SETS) return object.metadata.labels?.[POD_TEMPLATE_HASH] ?? VERSION_IGNORED;
  const template = templateOf(object);
  const set = replicaSetsOf(reader, uid, namespace).find(
    (one) => matchesSelector(selector, one.metadata.labels) && equalJson(templateOf(one), template),
  );
  return set?.metadata.labels?.[POD_TEMPLATE_HASH];
}

/** The template without the label that tells its versions apart. */
function templateOf({ spec }: KubeObject): Json {
  const { template } = (spec ?? {}) as { template?: DeepReadonly<JsonObject> };
  const { metadata, ...rest } = (template ?? {}) as JsonObject;
  const { labels, creationTimestamp: _none, ...marks } = isObject(metadata) ? metadata : {};
  const { [POD_TEMPLATE_HASH]: _hash, ...others } = isObject(labels) ? labels : {};
  return { ...rest, metadata: { ...marks, labels: others } };
}

function nodesOf({ reader }: Sources, pods: readonly Pod[]): ReadonlyMap<string, Node> {
  const names = new Set(pods.map(({ spec }) => spec.nodeName ?? ''));
  const nodes = [...names].flatMap((name) => (name === '' ? [] : (reader.get(NODES, { name }) ?? [])));
  return new Map(nodes.map((node) => [node.metadata.name, node as Node]));
}
