// The pieces that pods of workloads are made of: owner references, hashes, claims as volumes, members of templates.

import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { fieldError, kindOfJson, type Manifest } from '../component/manifests.ts';
import { contentSuffix, contentUid } from './content.ts';
import { metadataOf, nameOf, textOf } from './resources.ts';

/** Where and when the pod is made. */
export type PodPlace = { namespace: string; nowMs: number };

/** A workload, where it was written, and the path of its object in there (with a dot behind, or empty). */
export type Workload = { object: JsonObject; manifest: Manifest; path: string; place: PodPlace };

export type Labels = Record<string, string>;

/** Adds labels to the metadata of a pod template. */
export function addLabels(template: JsonObject, labels: Labels): void {
  const metadata = metadataOf(template);
  template.metadata = { ...metadata, labels: { ...(isObject(metadata.labels) ? metadata.labels : {}), ...labels } };
}

/** The owner reference that makes an object the controller. */
export function controllerReference(owner: JsonObject): JsonObject {
  return {
    apiVersion: owner.apiVersion ?? '',
    kind: owner.kind ?? '',
    name: nameOf(owner),
    uid: metadataOf(owner).uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The object as an API server would have it: with namespace, a name and a UID. */
export function stored(object: JsonObject, { namespace }: PodPlace): JsonObject {
  const metadata = metadataOf(object);
  const name = textOf(metadata.name) || `${textOf(metadata.generateName)}${contentSuffix(5, object)}`;
  const uid = textOf(metadata.uid) || contentUid(object.apiVersion ?? null, object.kind ?? null, namespace, name);
  return { ...object, metadata: { ...metadata, name, namespace, uid } };
}

/** The label by which a daemon set knows its pods' revision. */
export function revisionLabels(workload: Workload): Labels {
  return { 'controller-revision-hash': revisionHash(workload) };
}

/** Ten characters that stand for the template. */
export function revisionHash(workload: Workload): string {
  return contentSuffix(10, objectAt(workload.object, 'spec').template ?? null);
}

/** The annotation with the time of the last change of the lifecycle state. */
export function lifecycleTimestamp({ place }: Workload): Labels {
  return { 'lifecycle.apps.kruise.io/timestamp': `${new Date(place.nowMs).toISOString().slice(0, 19)}Z` };
}

/** The readiness gates with one more, unless it is there. */
export function withReadinessGate(gates: Json | undefined, conditionType: string): Json[] {
  const present = Array.isArray(gates) ? gates : [];
  const has = present.some((gate) => isObject(gate) && gate.conditionType === conditionType);
  return has ? present : [...present, { conditionType }];
}

/** The volumes of a pod with those of its claims, which come first and replace volumes of their names. */
export function claimVolumes(podSpec: JsonObject, templates: Json | undefined, podName: string): JsonObject {
  if (!Array.isArray(templates) || templates.length === 0) return {};
  const names = templates.map((template) => (isObject(template) ? nameOf(template) : ''));
  const claims = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${podName}`, readOnly: false },
  }));
  const own = Array.isArray(podSpec.volumes) ? podSpec.volumes : [];
  return { volumes: [...claims, ...own.filter((volume) => !isObject(volume) || !names.includes(textOf(volume.name)))] };
}

/** The object at a field path without indices. Throws InputError if there is none. */
export function required({ object, manifest, path }: Workload, field: string): JsonObject {
  const value = field.split('.').reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), object);
  if (isObject(value)) return value;
  const found = value === undefined ? 'required' : `expected an object, got ${kindOfJson(value)}`;
  throw fieldError(manifest, `${path}${field}`, found);
}

/** The object that the names lead to, or an empty one. */
export function objectAt(object: JsonObject, ...names: readonly string[]): JsonObject {
  let at = object;
  for (const name of names) {
    const next = at[name];
    if (!isObject(next)) return {};
    at = next;
  }
  return at;
}

/** A number as text; undefined for anything else. */
export function textOfNumber(value: Json | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : undefined;
}
