// What is asked of each pod of a spread whenever that is looked at. A spread may have tens of thousands of pods: it is found
// once for each version of a pod, and pods are read again only to see which subset may adopt them.

import type { KubeObject, ObjectMetadata } from '../../kube/objects.ts';
import { remembering, rememberingAbout, type Stored } from '../../kube/reader.ts';
import { conditionOf, isActive, isReady, isTerminating, type Pod } from '../shared/pod.ts';
import { fitOf, type Place } from './fit.ts';
import { type Matched, matchedOf, versionOfPod } from './spread.ts';

export const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** What is found of one version of a pod. Times are Unix time in ms, NaN where none is told. */
export type SpreadPod = {
  /** Names the pod, and selects it. */
  readonly metadata: Pick<ObjectMetadata, 'namespace' | 'name' | 'uid' | 'resourceVersion' | 'labels'>;
  /** The ledger that it is counted in. */
  readonly version: string;
  /** What it tells of its spread. */
  readonly matched: Matched;
  /** Empty while it has none. */
  readonly nodeName: string;
  /** Neither finished nor being deleted. */
  readonly isActive: boolean;
  /** Has the scheduler found no node for it? */
  readonly isUnschedulable: boolean;
  /** What its deletion costs, as its annotation tells. */
  readonly cost: string | undefined;
  readonly phase: string | undefined;
  readonly isReady: boolean;
  readonly readySince: number;
  /** Of the container that was restarted most often. */
  readonly restarts: number;
  readonly createdAt: number;
};

/** What of pods spreads ask again and again. */
export type KnownPods = {
  facts(stored: Stored): SpreadPod;
  /** How well each subset suits the pod, as `fitOf` tells. */
  fit(stored: Stored, place: Place): readonly number[];
};

export function knowingPods(): KnownPods {
  return {
    facts: remembering(factsOf),
    fit: rememberingAbout((stored: Stored, place: Place) => fitOf(stored.read() as Pod, place)),
  };
}

/** Readers give no order; with one, the same cluster gives the same plan. */
export function byName(a: SpreadPod, b: SpreadPod): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function factsOf(object: KubeObject): SpreadPod {
  const pod = object as Pod;
  const { namespace = '', name, uid, resourceVersion, labels = {}, annotations, creationTimestamp } = pod.metadata;
  return {
    metadata: { namespace, name, uid, resourceVersion, labels },
    version: versionOfPod(pod),
    matched: matchedOf(pod),
    nodeName: pod.spec.nodeName ?? '',
    isActive: isActive(pod),
    isUnschedulable: isUnschedulable(pod),
    cost: annotations?.[POD_DELETION_COST],
    phase: pod.status?.phase,
    isReady: isReady(pod),
    readySince: Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? ''),
    restarts: Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount)),
    createdAt: Date.parse(creationTimestamp ?? ''),
  };
}

function isUnschedulable(pod: Pod): boolean {
  const scheduled = conditionOf(pod, 'PodScheduled');
  return (
    !isTerminating(pod) &&
    pod.status?.phase === 'Pending' &&
    (pod.spec.nodeName ?? '') === '' &&
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable'
  );
}
