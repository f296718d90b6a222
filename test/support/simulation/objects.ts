// The objects of a simulated cluster, with the API server's rules for writes: resourceVersions and conflicts, uids,
// generations, status kept apart, finalizers, and what goes with its owner.

import { equalJson, isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { strategicMerge } from '../../../api/core/strategic-merge.ts';
import { StatusError } from '../../../component/errors.ts';
import { type KubeObject, keyOf, type ObjectReference } from '../../../kube/objects.ts';
import { apiVersionOf, PODS, type Resource } from '../../../kube/resource.ts';

/** A change as a watch would bring it; `version` orders all changes. */
export type WorldChange = {
  readonly resource: Resource;
  readonly old: KubeObject | undefined;
  readonly new: KubeObject | undefined;
  readonly version: number;
};

export type PatchParts = {
  readonly patch: JsonObject;
  readonly patchType: 'merge' | 'strategic';
  readonly subresource?: string | undefined;
};

/** A write is refused with StatusError as the API server refuses it. Objects that were given out never change. */
export class SimulatedObjects {
  readonly #now: () => number;
  readonly #objects = new Map<string, { resource: Resource; byKey: Map<string, KubeObject> }>();
  readonly #listeners = new Set<(change: WorldChange) => void>();
  #version = 1000;
  #uids = 0;

  /** `now` is Unix time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  onChange(listener: (change: WorldChange) => void): void {
    this.#listeners.add(listener);
  }

  get(resource: Resource, reference: ObjectReference): KubeObject | undefined {
    return this.#of(resource).get(keyOf(reference));
  }

  list(resource: Resource, namespace?: string): readonly KubeObject[] {
    const all = [...this.#of(resource).values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** The object of any resource with this apiVersion, kind and name. */
  find(apiVersion: string, kind: string, reference: ObjectReference): KubeObject | undefined {
    for (const { resource } of this.#objects.values()) {
      if (resource.kind === kind && apiVersionOf(resource) === apiVersion) return this.get(resource, reference);
    }
    return undefined;
  }

  create(resource: Resource, object: JsonObject): KubeObject {
    const given = metadataOf(object);
    const uid = `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, '0')}`;
    const name = given.name ?? `${String(given.generateName ?? '')}${(0x10000 + this.#uids).toString(36)}`;
    const reference = { name: String(name), namespace: namespaceOf(resource, given) };
    if (this.get(resource, reference) !== undefined) throw alreadyExists(resource, reference);
    const { resourceVersion: _, ...rest } = given;
    const metadata = {
      ...rest,
      name: reference.name,
      ...(reference.namespace === undefined ? {} : { namespace: reference.namespace }),
      uid,
      generation: 1,
      creationTimestamp: timestamp(this.#now()),
    };
    const pending = resource.plural === 'pods' && !hasPhase(object) ? { status: { phase: 'Pending' } } : {};
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return this.#write(resource, { ...object, ...type, metadata, ...pending });
  }

  /** Replaces the object, or its status alone. */
  update(resource: Resource, object: JsonObject, subresource?: string): KubeObject {
    const given = metadataOf(object);
    const reference = { name: String(given.name), namespace: namespaceOf(resource, given) };
    const current = this.#require(resource, reference);
    requirePreconditions(resource, current, given);
    return this.#replace(resource, current, { object, subresource });
  }

  patch(resource: Resource, reference: ObjectReference, { patch, patchType, subresource }: PatchParts): KubeObject {
    const current = this.#require(resource, reference);
    requirePreconditions(resource, current, metadataOf(patch));
    const object = structuredClone(current) as unknown as JsonObject;
    const patched = patchType === 'merge' ? mergePatch(object, patch) : strategicPatch(resource, object, patch);
    return this.#replace(resource, current, { object: patched as JsonObject, subresource });
  }

  /** Deletes at once, or marks what has finalizers and pods that run, as the API server does. */
  delete(resource: Resource, reference: ObjectReference, uid?: string): void {
    const current = this.#require(resource, reference);
    if (uid !== undefined && current.metadata.uid !== uid) throw conflict(resource, reference, 'the uid is another');
    const waits = (current.metadata.finalizers ?? []).length > 0 || (resource.plural === 'pods' && isStarted(current));
    if (!waits) this.#remove(resource, current);
    if (!waits || current.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = timestamp(this.#now());
    const metadata = { ...current.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 };
    this.#write(resource, { ...current, metadata } as unknown as JsonObject);
  }

  /** The kubelet has ended a pod that was deleted. */
  finishDeletion(resource: Resource, reference: ObjectReference): void {
    const current = this.#require(resource, reference);
    if ((current.metadata.finalizers ?? []).length === 0) this.#remove(resource, current);
  }

  #replace(resource: Resource, current: KubeObject, write: { object: JsonObject; subresource: string | undefined }) {
    const { object, subresource } = write;
    const before = current as unknown as JsonObject;
    const given = metadataOf(object);
    const { uid, name, namespace, creationTimestamp, generation, deletionTimestamp, resourceVersion } =
      metadataOf(before);
    const fixed = { uid, name, namespace, creationTimestamp, generation, deletionTimestamp, resourceVersion };
    const metadata = withoutUndefined({ ...(subresource === undefined ? given : metadataOf(before)), ...fixed });
    let next: JsonObject;
    if (subresource === 'status')
      next = { ...before, status: object.status ?? {}, metadata: withMarks(metadata, given) };
    else if (subresource !== undefined) next = { ...before, spec: object.spec ?? {}, metadata };
    else next = { ...object, metadata, ...(before.status === undefined ? {} : { status: before.status }) };
    if (equalJson(next, before)) return current;
    if (!equalJson(next.spec ?? null, before.spec ?? null)) {
      next = { ...next, metadata: { ...metadataOf(next), generation: Number(generation) + 1 } };
    }
    const written = this.#write(resource, next);
    if (deletionTimestamp !== undefined && (written.metadata.finalizers ?? []).length === 0 && !isStarted(written)) {
      this.#remove(resource, written);
    }
    return written;
  }

  #write(resource: Resource, object: JsonObject): KubeObject {
    const metadata = { ...metadataOf(object), resourceVersion: String(++this.#version) };
    const written = deepFreeze(JSON.parse(JSON.stringify({ ...object, metadata }))) as unknown as KubeObject;
    const key = keyOf(written.metadata);
    const old = this.#of(resource).get(key);
    this.#of(resource).set(key, written);
    this.#tell({ resource, old, new: written, version: this.#version });
    return written;
  }

  #remove(resource: Resource, object: KubeObject): void {
    this.#of(resource).delete(keyOf(object.metadata));
    this.#tell({ resource, old: object, new: undefined, version: ++this.#version });
    for (const { resource: other, byKey } of [...this.#objects.values()]) {
      for (const { metadata } of [...byKey.values()]) {
        const owners = metadata.ownerReferences ?? [];
        const isOrphan = owners.length > 0 && owners.every(({ uid }) => uid === object.metadata.uid);
        if (isOrphan && byKey.has(keyOf(metadata))) this.delete(other, metadata);
      }
    }
  }

  #tell(change: WorldChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #require(resource: Resource, reference: ObjectReference): KubeObject {
    const found = this.get(resource, reference);
    if (found !== undefined) return found;
    throw new StatusError(404, 'NotFound', `${resource.plural} ${JSON.stringify(reference.name)} not found`);
  }

  #of(resource: Resource): Map<string, KubeObject> {
    const id = `${resource.group}/${resource.plural}`;
    const known = this.#objects.get(id);
    if (known !== undefined) return known.byKey;
    const byKey = new Map<string, KubeObject>();
    this.#objects.set(id, { resource, byKey });
    return byKey;
  }
}

/** Unix time as objects have it. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function namespaceOf({ namespaced }: Resource, { namespace }: JsonObject): string | undefined {
  return namespaced ? String(namespace ?? 'default') : undefined;
}

function hasPhase({ status }: JsonObject): boolean {
  return isObject(status) && status.phase !== undefined;
}

function isStarted({ spec, status }: KubeObject): boolean {
  const { nodeName } = (spec ?? {}) as JsonObject;
  const { phase } = (status ?? {}) as JsonObject;
  return nodeName !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

function requirePreconditions(resource: Resource, { metadata }: KubeObject, given: JsonObject): void {
  for (const member of ['uid', 'resourceVersion'] as const) {
    if (given[member] === undefined || given[member] === metadata[member]) continue;
    throw conflict(resource, metadata, `the object has been modified: ${member} is ${metadata[member]}`);
  }
}

function conflict({ plural }: Resource, { name }: ObjectReference, why: string): StatusError {
  return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${plural} ${JSON.stringify(name)}: ${why}`);
}

function alreadyExists({ plural }: Resource, { name }: ObjectReference): StatusError {
  return new StatusError(409, 'AlreadyExists', `${plural} ${JSON.stringify(name)} already exists`);
}

// Labels and annotations may be changed with the status too.
function withMarks(metadata: JsonObject, { labels, annotations }: JsonObject): JsonObject {
  return withoutUndefined({ ...metadata, labels, annotations });
}

function withoutUndefined(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;
}

// RFC 7396.
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function strategicPatch(resource: Resource, object: JsonObject, patch: JsonObject): JsonObject {
  if (resource.plural !== PODS.plural) {
    throw new StatusError(415, 'UnsupportedMediaType', `${resource.plural} are not patched strategically here`);
  }
  const { status, ...rest } = patch;
  const { status: oldStatus, ...old } = object;
  const merged = strategicMerge(PodTemplateSpec, old, rest);
  if (!isObject(status)) return { ...merged, ...(oldStatus === undefined ? {} : { status: oldStatus }) };
  return { ...merged, status: mergeStatus(isObject(oldStatus) ? oldStatus : {}, status) };
}

function mergeStatus(old: JsonObject, patch: JsonObject): JsonObject {
  const { conditions, ...rest } = patch;
  const merged = mergePatch(old, rest) as JsonObject;
  if (!Array.isArray(conditions)) return merged;
  const present = Array.isArray(old.conditions) ? [...old.conditions] : [];
  for (const condition of conditions) {
    if (!isObject(condition)) continue;
    const at = present.findIndex((one) => isObject(one) && one.type === condition.type);
    if (condition.$patch === 'delete') present.splice(at, at < 0 ? 0 : 1);
    else if (at < 0) present.push(condition);
    else present[at] = mergePatch(present[at], condition);
  }
  return { ...merged, conditions: present };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
