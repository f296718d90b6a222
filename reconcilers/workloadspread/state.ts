// What the controller of WorkloadSpread looks at: the spread, the pods of its workload, how many of them are wanted, and
// which version of their template is the latest (workloadspread 4 and 5.3).

import { type DeepReadonly, equalJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { groupOf, type TargetReference } from '../../api/core/references.ts';
import { isEmptySelector, matchesSelector } from '../../api/core/selector.ts';
import { type ListedWorkload, listedWorkloads } from '../../api/kinds/workloadspread/targets.ts';
import { KRUISE_CONFIGURATION, POD_TEMPLATE_HASH, VERSION_IGNORED } from '../../api/names.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader, Stored } from '../../kube/reader.ts';
import { DEPLOYMENTS, JOBS, NODES, PODS, REPLICA_SETS } from '../../kube/resource.ts';
import type { Node } from '../shared/node-match.ts';
import {
  findWorkload,
  mirroredResource,
  OWNER_INDEX,
  replicaSetsOf,
  type Sources,
  storedPodsOf,
  storedPodsOfTarget,
  type Workload,
} from '../shared/workloads.ts';
import { type Place, placeOf } from './fit.ts';
import type { KnownPods, SpreadPod } from './pods.ts';
import { replicasAt } from './replicas.ts';
import { namedSubset, SPREADS, type Spread } from './spread.ts';

export type State = {
  readonly spread: Spread;
  /** Pods of the workload that the filter lets through, in no order; also those that are finished or being deleted. */
  readonly pods: readonly SpreadPod[];
  /** How well each subset suits them, of those that run on a node and that nobody has put into a subset. */
  readonly fits: ReadonlyMap<SpreadPod, readonly number[]>;
  /** What percentages are of. */
  readonly replicas: number;
  /** The version whose pods stay longest; undefined while the workload does not tell yet. */
  readonly latestVersion: string | undefined;
  /** Nobody tells when the workload changes: the operator has not listed its kind, or it cannot be followed. */
  readonly isUnwatched: boolean;
};

type Looking = Sources & { readonly known: KnownPods };

export function fetchState(looking: Looking, key: ObjectReference, systemNamespace: string): State | undefined {
  const { reader, known } = looking;
  const spread = reader.get(SPREADS, key) as Spread | undefined;
  const target = spread?.spec?.targetRef;
  if (spread === undefined || target === undefined || spread.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace = '' } = spread.metadata;
  const { workload, pods, isUnwatched } = counted(looking, target, namespace);
  const selector = spread.spec?.targetFilter?.selector;
  // Compatibility: a filter without selector, or with an empty one, lets all through.
  const isOpen = selector === undefined || isEmptySelector(selector);
  const chosen = isOpen
    ? pods
    : pods.filter((stored) => matchesSelector(selector, known.facts(stored).metadata.labels));
  return {
    spread,
    pods: chosen.map(known.facts),
    fits: fitsOf(looking, spread, chosen),
    replicas: replicasOf(looking, { spread, target, workload, systemNamespace }),
    latestVersion: latestVersion(looking, workload, namespace),
    isUnwatched,
  };
}

/** Finds out what is asked of the pods among which those of a spread are, one in each step. */
export function* findPods({ reader, known }: Omit<Looking, 'lookUp'>, key: ObjectReference): Iterable<SpreadPod> {
  const spread = reader.get(SPREADS, key) as Spread | undefined;
  const target = spread?.spec?.targetRef;
  if (target === undefined) return;
  const { namespace = '' } = key;
  const job = jobOf(reader, target, namespace);
  const pods = job === undefined ? storedPodsOfTarget(reader, target, namespace) : storedPodsOfJob(reader, job);
  for (const stored of pods) yield known.facts(stored);
}

type Counted = {
  readonly workload: Workload | undefined;
  readonly pods: readonly Stored[];
  readonly isUnwatched: boolean;
};

function counted(looking: Looking, target: TargetReference, namespace: string): Counted {
  if (target.kind === 'Job') return ofJob(looking, jobOf(looking.reader, target, namespace));
  const workload = findWorkload(looking, target, namespace);
  const isUnwatched = !looking.reader.followsKind(target);
  const isGone = workload === undefined || workload.object.metadata.deletionTimestamp !== undefined;
  if (isGone) return { workload: undefined, pods: [], isUnwatched };
  const within = { namespace, metadataOf: (stored: Stored) => looking.known.facts(stored).metadata };
  // A workload without replicas has no pods that count, whatever still runs.
  return { workload, pods: workload.replicas === 0 ? [] : storedPodsOf(looking, workload, within), isUnwatched };
}

function ofJob({ reader, known }: Looking, job: KubeObject | undefined): Counted {
  if (job === undefined) return { workload: undefined, pods: [], isUnwatched: false };
  const { parallelism: replicas = 1, selector } = job.spec as {
    parallelism?: number;
    selector?: Parameters<typeof matchesSelector>[0];
  };
  const pods = storedPodsOfJob(reader, job).filter((stored) =>
    matchesSelector(selector, known.facts(stored).metadata.labels),
  );
  const workload = { object: job, uid: job.metadata.uid, replicas };
  return { workload, pods: replicas === 0 ? [] : pods, isUnwatched: false };
}

function jobOf(reader: Reader, { apiVersion = '', kind, name = '' }: TargetReference, namespace: string) {
  return kind === 'Job' && groupOf(apiVersion) === JOBS.group ? reader.get(JOBS, { namespace, name }) : undefined;
}

function storedPodsOfJob(reader: Reader, { metadata }: KubeObject): readonly Stored[] {
  return reader.stored(PODS, OWNER_INDEX, metadata.uid);
}

function fitsOf({ reader, known }: Looking, spread: Spread, pods: readonly Stored[]): State['fits'] {
  const places = new Map<string, Place | undefined>();
  const placeAt = (name: string) => {
    if (!places.has(name)) {
      const node = reader.get(NODES, { name }) as Node | undefined;
      places.set(name, node && placeOf(spread, node));
    }
    return places.get(name);
  };
  const fits = new Map<SpreadPod, readonly number[]>();
  for (const stored of pods) {
    const pod = known.facts(stored);
    if (!pod.isActive || pod.nodeName === '' || namedSubset(pod, spread) !== undefined) continue;
    const place = placeAt(pod.nodeName);
    if (place !== undefined) fits.set(pod, known.fit(stored, place));
  }
  return fits;
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
