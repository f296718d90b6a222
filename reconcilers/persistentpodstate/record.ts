// Records where the pods of a workload are, once they are ready there, and drops the records of pods that will not come
// back (persistentpodstate 3.2).

import { equalJson, type Json } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { Plan } from '../../kube/plan.ts';
import { CONTROLLER_INDEX } from '../../kube/reader.ts';
import { NODES, PODS } from '../../kube/resource.ts';
import { isActive, isReady, type Pod } from '../shared/pod.ts';
import { statusUpdate } from '../shared/status.ts';
import {
  findWorkload,
  mirroredResource,
  type Sources,
  type Workload,
  type WorkloadReference,
} from '../shared/workloads.ts';
import { POD_STATES, type PodState, type Record, type Status } from './objects.ts';

export type RecordState = {
  readonly type: 'record';
  readonly podState: PodState;
  /** Undefined when it is gone or going. */
  readonly workload: Workload | undefined;
  /** Its pods that are neither finished nor going. */
  readonly pods: readonly Pod[];
  /** The nodes of these pods, by name. */
  readonly nodes: ReadonlyMap<string, KubeObject>;
};

export function fetchRecord(sources: Sources, podState: PodState): RecordState {
  const { namespace = '' } = podState.metadata;
  const found = workloadOf(sources, podState.spec?.targetRef ?? {}, namespace);
  const workload = found?.object.metadata.deletionTimestamp === undefined ? found : undefined;
  const isScaledDown = workload === undefined || (workload.replicas ?? 0) === 0;
  const owned = isScaledDown ? [] : (sources.reader.indexed(PODS, CONTROLLER_INDEX, workload.uid) as readonly Pod[]);
  const pods = owned.filter((pod) => pod.metadata.namespace === namespace && isActive(pod));
  const names = new Set(pods.map(({ spec }) => spec.nodeName ?? ''));
  const nodes = [...names].flatMap((name) => (name === '' ? [] : (sources.reader.get(NODES, { name }) ?? [])));
  return { type: 'record', podState, workload, pods, nodes: new Map(nodes.map((node) => [node.metadata.name, node])) };
}

/** Of a kind that no mirror has, the object itself tells more than its scale: that it is going, and its ordinals. */
function workloadOf(sources: Sources, target: WorkloadReference, namespace: string): Workload | undefined {
  const found = findWorkload(sources, target, namespace);
  const { apiVersion = '', kind = '', name = '' } = target;
  if (found === undefined || mirroredResource(target) !== undefined) return found;
  const object = sources.lookUp({ apiVersion, kind, namespace, name });
  return object === undefined ? found : { ...found, object };
}

export function planRecord(state: RecordState): Plan {
  const { podState } = state;
  const { generation = 0 } = podState.metadata;
  const records = state.workload === undefined ? {} : recordsOf(state, state.workload);
  const status: Status = {
    observedGeneration: generation,
    ...(Object.keys(records).length > 0 && { podStates: records }),
  };
  const { podStates = {}, observedGeneration } = podState.status ?? {};
  const isSame = observedGeneration === generation && equalJson(podStates as Json, records as Json);
  return { groups: [], ...(!isSame && { status: statusUpdate(POD_STATES, podState, status) }) };
}

type Records = { readonly [pod: string]: Record };

function recordsOf({ podState, pods, nodes }: RecordState, workload: Workload): Records {
  const {
    requiredPersistentTopology,
    preferredPersistentTopology = [],
    persistentPodAnnotations = [],
  } = podState.spec ?? {};
  const preferred = preferredPersistentTopology.flatMap(({ preference }) => preference.keys ?? []);
  const labels = new Set([...(requiredPersistentTopology?.keys ?? []), ...preferred]);
  const annotations = new Set(persistentPodAnnotations.map(({ key }) => key));
  const records = new Map(Object.entries(podState.status?.podStates ?? {}));
  for (const pod of pods) {
    const { nodeName = '' } = pod.spec;
    const node = nodes.get(nodeName);
    const old = records.get(pod.metadata.name);
    // Without its node, or while it is not ready, a pod keeps the record that it has.
    if (!isReady(pod) || nodeName === '' || node === undefined || isCurrent(old, nodeName, labels, annotations))
      continue;
    records.set(pod.metadata.name, {
      nodeName,
      ...picked('nodeTopologyLabels', labels, node.metadata.labels),
      ...picked('annotations', annotations, pod.metadata.annotations),
    });
  }
  const isKept = podState.spec?.persistentPodStateRetentionPolicy === 'WhenDeleted';
  const active = new Set(pods.map(({ metadata }) => metadata.name));
  const kept = [...records].filter(([name]) => isKept || active.has(name) || isInRange(name, workload));
  return Object.fromEntries(kept);
}

/** Of the same node, with all that is to be recorded: what the node's labels are by now does not matter. */
function isCurrent(record: Record | undefined, nodeName: string, labels: Keys, annotations: Keys): boolean {
  return (
    record?.nodeName === nodeName &&
    hasKeys(record.nodeTopologyLabels, labels) &&
    hasKeys(record.annotations, annotations)
  );
}

type Keys = ReadonlySet<string>;

function hasKeys(values: { readonly [key: string]: string } = {}, keys: Keys): boolean {
  const present = Object.keys(values);
  return present.length === keys.size && present.every((key) => keys.has(key));
}

function picked<Member extends string>(
  member: Member,
  keys: ReadonlySet<string>,
  values: { readonly [key: string]: string } = {},
): { [Name in Member]?: { [key: string]: string } } {
  const found = [...keys].sort().flatMap((key) => (Object.hasOwn(values, key) ? [[key, values[key] ?? '']] : []));
  return found.length > 0
    ? ({ [member]: Object.fromEntries(found) } as { [Name in Member]: { [key: string]: string } })
    : {};
}

/** May the workload have a pod of this name? Names without a number are always kept. */
function isInRange(name: string, { object, replicas = 0 }: Workload): boolean {
  const digits = /-(\d+)$/.exec(name)?.[1];
  if (digits === undefined) return true;
  const { ordinals, reserveOrdinals } = (object.spec ?? {}) as {
    ordinals?: { start?: unknown };
    reserveOrdinals?: unknown;
  };
  const start = typeof ordinals?.start === 'number' ? ordinals.start : 0;
  const ordinal = Number(digits);
  const reserved = rangesIn(reserveOrdinals);
  if (ordinal < start || reserved.some(({ from, to }) => ordinal >= from && ordinal <= to)) return false;
  return ordinal - start - reservedBetween(reserved, start, ordinal) < replicas;
}

type Range = { readonly from: number; readonly to: number };

/** Numbers, and ranges such as `3-5`; a list with anything else has none. */
function rangesIn(list: unknown): readonly Range[] {
  const ranges = Array.isArray(list) ? list.map((item) => /^(\d+)(?:-(\d+))?$/.exec(String(item))) : [];
  if (ranges.includes(null)) return [];
  return ranges.map((range) => ({ from: Number(range?.[1]), to: Number(range?.[2] ?? range?.[1]) }));
}

/** How many ordinals from `start` up to, and without, `end` are reserved; each once, however often it is listed. */
function reservedBetween(ranges: readonly Range[], start: number, end: number): number {
  let count = 0;
  let next = start;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const [first, last] = [Math.max(from, next), Math.min(to, end - 1)];
    if (last < first) continue;
    count += last - first + 1;
    next = last + 1;
  }
  return count;
}
