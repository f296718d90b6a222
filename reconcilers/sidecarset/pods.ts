// What is asked of each pod of a SidecarSet whenever that is looked at. A SidecarSet may have tens of thousands of pods: it is
// found once for each version of a pod and of the SidecarSet, and pods are read again only to be written.

import { matchesSelector, selectorFault } from '../../api/core/selector.ts';
import type { SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../api/names.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { About, Stored } from '../../kube/reader.ts';
import { type ContainerStatus, conditionOf, isActive, type Pod, statusOf } from '../shared/pod.ts';
import { upgradableByName } from './condition.ts';
import { isTakenOver } from './hot-upgrade.ts';
import { recordedHash, recordedRevision, wasUpgraded } from './records.ts';
import { areSidecarsIn, isConsistent, isReadyWith, type Sidecar, sidecarsOf } from './sidecars.ts';

const NONE: readonly string[] = [];

/** What is found of one version of a pod, for one version of a SidecarSet. */
export type SidecarPod = {
  readonly stored: Stored;
  readonly namespace: string;
  /** Active, selected, and with the sidecars of today: only such pods count. */
  readonly isOfSet: boolean;
  readonly isUpdated: boolean;
  /** Ready, and no container that was replaced runs any more. */
  readonly isServing: boolean;
  /** Likewise, and its sidecars run what they shall run. */
  readonly isReady: boolean;
  /** Have the new containers of a hot upgrade taken over, while old ones still run? */
  readonly isTakenOver: boolean;
  /** More than images differs. */
  readonly isBarred: boolean;
  /** Not back yet from the upgrade before. */
  readonly isOnTheWay: boolean;
  /** Does the update strategy select it? */
  readonly isSelected: boolean;
  readonly wasUpgraded: boolean;
  /** What its condition says of the SidecarSet. */
  readonly said: boolean | undefined;
  /** SidecarSets that its condition names. */
  readonly named: readonly string[];
  /** The revision that it has. */
  readonly revision: string;
  /** The pod as far as its place in the order depends on it; undefined of pods that are ordered in no way. */
  readonly place: Pod | undefined;
};

/** A SidecarSet as its pods are looked at. */
export type SetOfPods = About & {
  readonly set: SidecarSet;
  readonly hash: string;
  readonly hashWithoutImage: string;
  readonly sidecars: readonly Sidecar[];
  /** Names of the containers in pods, sorted. */
  readonly containers: readonly string[];
};

/** `version` changes whenever something changes that is asked of pods. */
export function setOfPods({ metadata }: KubeObject, set: SidecarSet): SetOfPods {
  const { name, uid, generation, annotations = {} } = metadata;
  const sidecars = sidecarsOf(set);
  const hash = annotations[SIDECARSET_HASH] ?? '';
  const hashWithoutImage = annotations[SIDECARSET_HASH_WITHOUT_IMAGE] ?? '';
  return {
    name,
    version: [uid, generation, hash, hashWithoutImage].join(' '),
    set,
    hash,
    hashWithoutImage,
    sidecars,
    containers: sidecars.flatMap((sidecar) => sidecar.containers).sort(),
  };
}

/** Pure; reads the whole pod. */
export function sidecarPod(stored: Stored, about: SetOfPods): SidecarPod {
  const pod = stored.read() as Pod;
  const { name, set, sidecars, containers } = about;
  const { selector, updateStrategy = {} } = set.spec ?? {};
  const { labels, namespace = '' } = pod.metadata;
  const isUpdated = recordedHash(pod, SIDECARSET_HASH, name) === about.hash;
  const isServing = isReadyWith(pod, sidecars);
  const said = upgradableByName(pod);
  const isOrdered = !isUpdated || (updateStrategy.scatterStrategy ?? []).length > 0;
  return {
    stored,
    namespace,
    isOfSet: isActive(pod) && matchesSelector(selector, labels) && areSidecarsIn(pod, sidecars),
    isUpdated,
    isServing,
    isReady: isServing && isConsistent(pod, name, containers),
    isTakenOver: isTakenOver(pod, name, sidecars),
    isBarred: recordedHash(pod, SIDECARSET_HASH_WITHOUT_IMAGE, name) !== about.hashWithoutImage,
    isOnTheWay: containers.some((one) => statusOf(pod, one)?.ready === true && !isConsistent(pod, name, [one])),
    isSelected: isSelected(labels, updateStrategy.selector),
    wasUpgraded: wasUpgraded(pod, name),
    said: said.get(name),
    named: said.size === 0 ? NONE : [...said.keys()],
    revision: recordedRevision(pod, name),
    place: isOrdered ? placeOf(pod) : undefined,
  };
}

/** The pods themselves. Readers give no order; with one, the same cluster gives the same plan. */
export function readPods(pods: readonly SidecarPod[]): readonly Pod[] {
  return pods.map(({ stored }) => stored.read() as Pod).sort(byKey);
}

function byKey(a: Pod, b: Pod): number {
  const [x, y] = [a, b].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) as [string, string];
  return x < y ? -1 : x > y ? 1 : 0;
}

type UpdateSelector = NonNullable<NonNullable<SidecarSet['spec']>['updateStrategy']>['selector'];

function isSelected(labels: KubeObject['metadata']['labels'], selector: UpdateSelector): boolean {
  if (selector === undefined) return true;
  return selectorFault(selector) === undefined && matchesSelector(selector, labels);
}

/** No more of the pod than the order asks for, a tenth of it: it is kept for tens of thousands. */
function placeOf({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { namespace = '', name, uid, resourceVersion, labels, creationTimestamp } = metadata;
  const restarts = (all: readonly ContainerStatus[] | undefined) =>
    (all ?? []).map((one) => ({ name: one.name, restartCount: one.restartCount ?? 0 }));
  const ready = status === undefined ? undefined : conditionOf({ status } as Pod, 'Ready');
  return {
    apiVersion,
    kind,
    metadata: {
      namespace,
      name,
      uid,
      resourceVersion,
      ...(labels && { labels }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: {
      nodeName: spec.nodeName ?? '',
      containers: [],
      initContainers: (spec.initContainers ?? []).map(({ name: container, restartPolicy = '' }) => ({
        name: container,
        restartPolicy,
      })),
    },
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      ...(ready && { conditions: [ready] }),
      containerStatuses: restarts(status?.containerStatuses),
      initContainerStatuses: restarts(status?.initContainerStatuses),
    },
  };
}
