// Workloads as several controllers look at them: which one a reference names, how many pods it asks for, and which pods
// are its own (admission-overview 9, podunavailablebudget 6, workloadspread 5.3).

import { type DeepReadonly, isObject, type Json } from '../../api/core/json.ts';
import type { LabelSelector } from '../../api/core/meta.ts';
import { groupOf } from '../../api/core/references.ts';
import { matchesSelector } from '../../api/core/selector.ts';
import { readSelectorText } from '../../api/core/selector-text.ts';
import { description as cloneSet } from '../../api/kinds/cloneset/schema.ts';
import { description as statefulSet } from '../../api/kinds/statefulset/schema.ts';
import { controllerOf, type KubeObject, type ObjectMetadata, type OwnerReference } from '../../kube/objects.ts';
import {
  CONTROLLER_INDEX,
  type IndexKeys,
  type LookUp,
  NAMESPACE_INDEX,
  type Reader,
  type Stored,
} from '../../kube/reader.ts';
import {
  DEPLOYMENTS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  resourceOf,
  STATEFUL_SETS,
} from '../../kube/resource.ts';

export const CLONE_SETS = resourceOf(cloneSet);
export const ADVANCED_STATEFUL_SETS = resourceOf(statefulSet);

/** Pods by the uids of all their owners, not only of the one that controls them. */
export const OWNER_INDEX = 'owner';
export const byOwner: IndexKeys = ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid);

/** Where controllers read: mirrors, and the API server for the kinds that are in none. */
export type Sources = { readonly reader: Reader; readonly lookUp: LookUp };

/** What a `targetRef` or an owner reference names; without a uid any object of the name. */
export type WorkloadReference = {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
};

export type Workload = {
  /** The workload, or its scale where it is of a kind that no mirror has. */
  readonly object: KubeObject;
  readonly uid: string;
  /** Undefined when nothing tells it. */
  readonly replicas: number | undefined;
  readonly selector?: DeepReadonly<LabelSelector> | undefined;
};

/** As many are followed upward. */
const OWNERS_MOST = 4;

/** Kinds that mirrors have. Their versions do not matter. */
const MIRRORED: readonly Resource[] = [
  REPLICATION_CONTROLLERS,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  CLONE_SETS,
  ADVANCED_STATEFUL_SETS,
];

/** The resource of a kind that mirrors have. */
export function mirroredResource({ apiVersion = '', kind = '' }: WorkloadReference): Resource | undefined {
  const group = groupOf(apiVersion);
  return MIRRORED.find((resource) => resource.kind === kind && resource.group === group);
}

/**
 * The workload that a reference names, also one that is being deleted; undefined if there is none of that name and uid.
 * For a ReplicaSet of a Deployment that is the Deployment.
 */
export function resolveWorkload(
  sources: Sources,
  reference: WorkloadReference,
  namespace: string,
): Workload | undefined {
  const found = findWorkload(sources, reference, namespace);
  const owner = found === undefined ? undefined : controllerOf(found.object);
  const isOfDeployment = mirroredResource(reference) === REPLICA_SETS && owner?.kind === 'Deployment';
  return isOfDeployment ? findWorkload(sources, owner, namespace) : found;
}

/** The same without going from a ReplicaSet to its Deployment. */
export function findWorkload(
  { reader, lookUp }: Sources,
  reference: WorkloadReference,
  namespace: string,
): Workload | undefined {
  const { apiVersion = '', kind = '', name = '', uid } = reference;
  const resource = mirroredResource(reference);
  let found: Workload | undefined;
  if (resource !== undefined) {
    const object = reader.get(resource, { namespace, name });
    found = object === undefined ? undefined : workloadOf(object, resource);
  } else {
    const scale = lookUp({ apiVersion, kind, namespace, name, subresource: 'scale' });
    const object = scale === undefined ? lookUp({ apiVersion, kind, namespace, name }) : undefined;
    if (scale !== undefined) found = workloadOfScale(scale);
    else if (object !== undefined) found = workloadOfAnyKind(object);
  }
  return uid === undefined || uid === found?.uid ? found : undefined;
}

/**
 * References to the controller of an object, to the controller of that and so on, as far as mirrors know: for any kind of
 * workload above a ReplicaSet nothing else is needed.
 */
export function controllersAbove(reader: Reader, object: KubeObject, namespace: string): readonly OwnerReference[] {
  const above: OwnerReference[] = [];
  let owner = controllerOf(object);
  while (owner !== undefined && above.length < OWNERS_MOST) {
    above.push(owner);
    const resource = mirroredResource(owner);
    const found = resource === undefined ? undefined : reader.get(resource, { namespace, name: owner.name });
    owner = found?.metadata.uid === owner.uid ? controllerOf(found) : undefined;
  }
  return above;
}

/** What has to be known of a pod to find it. */
export type MetadataOf = (stored: Stored) => Pick<ObjectMetadata, 'namespace' | 'labels'>;

type Within = { readonly namespace: string; readonly metadataOf: MetadataOf };

/**
 * The pods among which those of a target are, for those who look at them beforehand: of a workload that no mirror has, those
 * are left out that its labels alone tell.
 */
export function storedPodsOfTarget(reader: Reader, target: WorkloadReference, namespace: string): readonly Stored[] {
  const workload = findWorkload({ reader, lookUp: () => undefined }, target, namespace);
  return workload === undefined ? [] : storedPodsOwned(reader, workload, namespace);
}

/** Pods of any namespace that the workload, or one that it controls, owns; some of them more than once. */
function storedPodsOwned(reader: Reader, workload: Workload, namespace: string): readonly Stored[] {
  return ownersOf(reader, workload, namespace).flatMap((uid) => reader.stored(PODS, OWNER_INDEX, uid));
}

/**
 * Pods that have the workload, or one of the workloads that it controls, among their owners; else those it selects.
 */
export function storedPodsOf({ reader }: Sources, workload: Workload, within: Within): readonly Stored[] {
  const { namespace, metadataOf } = within;
  const pods = storedPodsOwned(reader, workload, namespace);
  const own = pods.filter((stored) => metadataOf(stored).namespace === namespace);
  const isDirect = mirroredResource(workload.object) !== undefined;
  if (own.length > 0 || isDirect || workload.selector === undefined) return [...new Set(own)];
  return storedPodsSelected(reader, workload.selector, within);
}

/** Pods by namespace and label: what finds pods by labels needs it. */
export const LABEL_INDEX = 'label';

export const byLabel: IndexKeys = ({ metadata: { namespace = '', labels } }) =>
  Object.entries(labels ?? {}).map(([name, value]) => labelKey(namespace, name, value));

function labelKey(namespace: string, name: string, value: string): string {
  return `${namespace}/${name}=${value}`;
}

/** The pods of a namespace with such labels. */
export function storedPodsSelected(
  reader: Reader,
  selector: DeepReadonly<LabelSelector>,
  { namespace, metadataOf }: Within,
): readonly Stored[] {
  return storedPodsLabelled(reader, selector, namespace).filter((stored) =>
    matchesSelector(selector, metadataOf(stored).labels),
  );
}

/** The pods among which those with such labels are: of the labels that all must have, the one that the fewest pods have. */
export function storedPodsLabelled(
  reader: Reader,
  selector: DeepReadonly<LabelSelector>,
  namespace: string,
): readonly Stored[] {
  const wanted = [
    ...Object.entries(selector.matchLabels ?? {}).map(([name, value]) => [labelKey(namespace, name, value)]),
    ...(selector.matchExpressions ?? [])
      .filter(({ operator }) => operator === 'In')
      .map(({ key, values }) => [...new Set(values)].map((value) => labelKey(namespace, key, value))),
  ];
  const sizeOf = (keys: readonly string[]) => keys.reduce((sum, key) => sum + reader.count(PODS, LABEL_INDEX, key), 0);
  const [smallest] = wanted.map((keys) => ({ keys, size: sizeOf(keys) })).sort((a, b) => a.size - b.size);
  if (smallest === undefined) return reader.stored(PODS, NAMESPACE_INDEX, namespace);
  return smallest.keys.flatMap((key) => reader.stored(PODS, LABEL_INDEX, key));
}

/** The uids by which pods are a workload's: of a Deployment those of its ReplicaSets, with or without replicas. */
function ownersOf(reader: Reader, { object, uid, selector }: Workload, namespace: string): readonly string[] {
  const resource = mirroredResource(object);
  if (resource !== undefined && resource !== DEPLOYMENTS) return [uid];
  const sets = replicaSetsOf(reader, uid, namespace).filter(
    ({ metadata }) => resource === undefined || matchesSelector(selector, metadata.labels),
  );
  if (resource === DEPLOYMENTS) return sets.length === 0 ? [uid] : sets.map(({ metadata }) => metadata.uid);
  // Rollouts, UnitedDeployments and the like have their pods through other workloads.
  const between = [STATEFUL_SETS, CLONE_SETS, ADVANCED_STATEFUL_SETS].flatMap((one) => controlled(reader, one, uid));
  const deployments = controlled(reader, DEPLOYMENTS, uid);
  const below = deployments.flatMap(({ metadata }) => replicaSetsOf(reader, metadata.uid, namespace));
  return [uid, ...[...sets, ...between, ...below].map(({ metadata }) => metadata.uid)];
}

/** The ReplicaSets that a workload controls and that are not being deleted. */
export function replicaSetsOf(reader: Reader, uid: string, namespace: string): readonly KubeObject[] {
  return controlled(reader, REPLICA_SETS, uid).filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined,
  );
}

function controlled(reader: Reader, resource: Resource, uid: string): readonly KubeObject[] {
  return reader.indexed(resource, CONTROLLER_INDEX, uid);
}

type WorkloadSpec = { replicas?: number | null; selector?: LabelSelector };

function workloadOf(object: KubeObject, resource: Resource): Workload {
  const { replicas, selector } = (object.spec ?? {}) as DeepReadonly<WorkloadSpec>;
  // The selector of a ReplicationController is a plain map, and not asked for.
  const isSelector = resource !== REPLICATION_CONTROLLERS && selector !== undefined;
  return { object, uid: object.metadata.uid, replicas: replicas ?? 1, ...(isSelector && { selector }) };
}

function workloadOfScale(object: KubeObject): Workload {
  const { replicas = 0 } = (object.spec ?? {}) as { replicas?: number };
  const { selector = '' } = (object.status ?? {}) as { selector?: string };
  const read = selector === '' ? undefined : readSelectorText(selector);
  return { object, uid: object.metadata.uid, replicas, ...(read !== undefined && { selector: read }) };
}

/** A kind without scale may still tell how many pods it wants. */
function workloadOfAnyKind(object: KubeObject): Workload {
  const numbers = [memberOf(object.spec, 'replicas'), memberOf(object.status, 'desiredNumberScheduled')];
  const replicas = numbers.find((number) => Number.isInteger(number)) as number | undefined;
  return { object, uid: object.metadata.uid, replicas };
}

function memberOf(value: unknown, name: string): Json | undefined {
  return isObject(value as Json) ? (value as { [member: string]: Json })[name] : undefined;
}
