// The object that a namespace gets, and whether the one that is there is as it should be (resourcedistribution 3.3, 3.4).

import { encodeSorted } from '../../api/core/encode.ts';
import { equalJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { sha256Hex } from '../../api/core/sha256.ts';
import { controllerOf, type KubeObject, type OwnerReference } from '../../kube/objects.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import { DISTRIBUTIONS, type Distributed, type Distribution } from './state.ts';

const HASH = 'kruise.io/resourcedistribution.resource.hashcode';
const FROM = 'kruise.io/resourcedistribution.resource.from';

/** Does the distribution control the object? By uid, where both have one. */
export function isOwnCopy(copy: KubeObject, { metadata, kind }: Distribution): boolean {
  const owner = controllerOf(copy);
  if (owner === undefined) return false;
  if (owner.uid !== '' && metadata.uid !== '') return owner.uid === metadata.uid;
  return owner.kind === kind && owner.name === metadata.name;
}

/** The object for a namespace. Of one that is there already, what others have put into its metadata stays. */
export function copyFor(
  namespace: string,
  { object, name }: Distributed,
  distribution: Distribution,
  present?: KubeObject,
): JsonObject {
  const { metadata } = object as { metadata: JsonObject };
  const old = present?.metadata;
  const finalizers = [...new Set([...(old?.finalizers ?? []), ...stringsIn(metadata.finalizers)])].sort();
  const labels = { ...old?.labels, ...textsIn(metadata.labels) };
  const annotations = {
    ...old?.annotations,
    ...textsIn(metadata.annotations),
    [HASH]: sha256Hex(encodeSorted(object)),
    [FROM]: distribution.metadata.name,
  };
  return {
    ...object,
    metadata: {
      name,
      namespace,
      ...(old !== undefined && { uid: old.uid, resourceVersion: old.resourceVersion }),
      ...(Object.keys(labels).length > 0 && { labels }),
      annotations,
      ...(finalizers.length > 0 && { finalizers }),
      ownerReferences: ownersOf(metadata, old?.ownerReferences ?? [], distribution),
    },
  };
}

function ownersOf(given: JsonObject, present: readonly OwnerReference[], { metadata }: Distribution): JsonObject[] {
  const own = {
    apiVersion: apiVersionOf(DISTRIBUTIONS),
    kind: DISTRIBUTIONS.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const listed = Array.isArray(given.ownerReferences) ? given.ownerReferences.filter(isObject) : [];
  const others = [...listed, ...(present as readonly JsonObject[])].filter(({ uid }) => uid !== metadata.uid);
  const byUid = new Map(others.map((other) => [String(other.uid), other]));
  return [...byUid.values(), own];
}

/** Is everything in the object that the resource says? */
export function isUpToDate(copy: KubeObject, wanted: JsonObject): boolean {
  const { labels, annotations } = wanted.metadata as JsonObject;
  return (
    equalJson(contentOf(copy as unknown as JsonObject), contentOf(wanted)) &&
    hasAll(copy.metadata.labels, textsIn(labels)) &&
    hasAll(copy.metadata.annotations, textsIn(annotations))
  );
}

/** May an update not make it right? Then it has to be made anew. */
export function isFixed(copy: KubeObject, wanted: JsonObject): boolean {
  const content = contentOf(wanted);
  const isOtherType = copy.kind === 'Secret' && content.type !== contentOf(copy as unknown as JsonObject).type;
  return isOtherType || (copy.immutable === true && !equalJson(contentOf(copy as unknown as JsonObject), content));
}

/** All but the metadata, as the API server stores it. */
function contentOf({ metadata: _metadata, status: _status, ...rest }: JsonObject): JsonObject {
  const { data, binaryData, stringData, ...content } = rest;
  const isSecret = content.kind === 'Secret';
  const encoded = isSecret
    ? Object.entries(textsIn(stringData)).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    : [];
  return {
    ...content,
    ...(isSecret && { type: typeof content.type === 'string' && content.type !== '' ? content.type : 'Opaque' }),
    data: { ...textsIn(data), ...Object.fromEntries(encoded) },
    binaryData: textsIn(binaryData),
  };
}

function hasAll(present: { readonly [key: string]: string } = {}, wanted: { [key: string]: string }): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(present, key) && present[key] === value);
}

function textsIn(value: Json | undefined): { [key: string]: string } {
  return isObject(value) ? (value as { [key: string]: string }) : {};
}

function stringsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
