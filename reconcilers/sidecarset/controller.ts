// What the controller of SidecarSets watches, and which SidecarSets a change concerns (sidecarset 7.1).

import { equalJson, type Json } from '../../api/core/json.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../api/names.ts';
import { controllerOf, type KubeObject, type ObjectReference } from '../../kube/objects.ts';
import { type Reader, rememberingAbout } from '../../kube/reader.ts';
import { CONTROLLER_REVISIONS, NAMESPACES, PODS } from '../../kube/resource.ts';
import type { Change, Controller } from '../loop/controller.ts';
import { isReady, type Pod } from '../shared/pod.ts';
import { planSidecarSet } from './plan.ts';
import { sidecarPod } from './pods.ts';
import { injectedSets } from './records.ts';
import { revisionKeys } from './revisions.ts';
import { fetchState, findPods, INJECTED_INDEX, REVISION_INDEX, SIDECAR_SETS, type State } from './state.ts';

/** `systemNamespace` is where the revisions are kept. */
export function sidecarSetController({ systemNamespace }: { systemNamespace: string }): Controller<State> {
  const known = rememberingAbout(sidecarPod);
  return {
    name: 'sidecarset-controller',
    workers: { flag: 'sidecarset-workers', default: 3 },
    watches: [
      { resource: SIDECAR_SETS, keys: keysOfSet },
      {
        resource: PODS,
        keys: keysOfPod,
        indexes: { [INJECTED_INDEX]: ({ metadata }) => injectedSets(metadata.annotations) },
      },
      { resource: NAMESPACES, keys: keysOfNamespace },
      {
        resource: CONTROLLER_REVISIONS,
        namespace: systemNamespace,
        keys: keysOfRevision,
        indexes: { [REVISION_INDEX]: revisionKeys(systemNamespace) },
      },
    ],
    prepare: (reader, key) => findPods({ reader, systemNamespace, known }, key),
    fetch: (reader, key) => fetchState({ reader, systemNamespace, known }, key),
    plan: planSidecarSet,
  };
}

// The status is our own writing. Hashes may change without the spec, when whoever computes them does.
function keysOfSet({ old, new: set }: Change): readonly ObjectReference[] {
  if (set === undefined) return [];
  const isSame =
    old !== undefined &&
    old.metadata.uid === set.metadata.uid &&
    old.metadata.generation === set.metadata.generation &&
    [SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE].every((name) => annotation(old, name) === annotation(set, name));
  return isSame ? [] : [{ name: set.metadata.name }];
}

function keysOfPod({ old, new: pod }: Change): readonly ObjectReference[] {
  if (old !== undefined && pod !== undefined && !hasChanged(old as Pod, pod as Pod)) return [];
  const names = [old, pod].flatMap((one) => injectedSets(one?.metadata.annotations));
  return [...new Set(names)].map((name) => ({ name }));
}

// Of a pod only these count: what selects it, whether it lives and is ready, and its containers and records.
function hasChanged(old: Pod, pod: Pod): boolean {
  if (injectedSets(old.metadata.annotations).length + injectedSets(pod.metadata.annotations).length === 0) return false;
  return (
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    old.status?.phase !== pod.status?.phase ||
    isReady(old) !== isReady(pod) ||
    !equalJson(old.metadata.labels as Json, pod.metadata.labels as Json) ||
    !equalJson(old.metadata.annotations as Json, pod.metadata.annotations as Json) ||
    imagesOf(old) !== imagesOf(pod)
  );
}

function imagesOf({ spec, status }: Pod): string {
  const running = (status?.containerStatuses ?? []).map(({ name, image, imageID, ready }) => [
    name,
    image,
    imageID,
    ready,
  ]);
  return JSON.stringify([spec.containers.map(({ name, image }) => [name, image]), running]);
}

// Labels decide which SidecarSets the pods of a namespace belong to. A new namespace has no pods yet.
function keysOfNamespace({ old, new: namespace }: Change, reader: Reader): readonly ObjectReference[] {
  if (old === undefined || namespace === undefined) return [];
  if (equalJson(old.metadata.labels as Json, namespace.metadata.labels as Json)) return [];
  return reader
    .list(SIDECAR_SETS)
    .filter(({ spec }) => (spec as { namespaceSelector?: unknown } | undefined)?.namespaceSelector !== undefined)
    .map(({ metadata }) => ({ name: metadata.name }));
}

function keysOfRevision({ old, new: revision }: Change): readonly ObjectReference[] {
  const owner = controllerOf((revision ?? old) as KubeObject);
  return owner?.kind === SIDECAR_SETS.kind ? [{ name: owner.name }] : [];
}

function annotation(object: KubeObject, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}
