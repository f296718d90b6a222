// The objects of a fake API server: stored by resource, with resourceVersions, pages and a history for watches.

import { isObject, type JsonObject } from '../../api/core/json.ts';

/** What a URL names. `collection` is the path of the resource without namespace: `/api/v1/pods`. */
export type Target = {
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
};

export type WatchEvent = { readonly type: string; readonly object: JsonObject };
/** A refusal, to be sent as a Status. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

type Stored = { readonly collection: string; readonly version: number; readonly event: WatchEvent };

export class FakeObjects {
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  readonly #history: Stored[] = [];
  readonly #listeners = new Set<(collection: string, event: WatchEvent) => void>();
  #version = 100;
  #compactedTo = 0;
  #uids = 0;

  /** The resourceVersion of the last change. */
  get version(): number {
    return this.#version;
  }

  /** Called at each change; returns what ends that. */
  onChange(listener: (collection: string, event: WatchEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What happened so far is forgotten: older resourceVersions and continue tokens are expired. */
  compact(): void {
    this.#compactedTo = this.#version;
    this.#history.length = 0;
  }

  get({ collection, namespace, name }: Target): JsonObject {
    const object = this.#of(collection).get(keyOf(namespace, name));
    if (object === undefined) throw new Refusal(404, 'NotFound', `${collection} ${JSON.stringify(name)} not found`);
    return object;
  }

  /** A page; a continue token holds the version of the first page and the last key. */
  list({ collection, namespace }: Target, limit: number, token: string): JsonObject {
    const [version = '', after = ''] = token === '' ? [String(this.#version)] : token.split(' ');
    if (token !== '' && Number(version) < this.#compactedTo)
      throw expired('The provided continue parameter is too old');
    const prefix = namespace === '' ? '' : `${namespace}/`;
    const keys = [...this.#of(collection).keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = limit > 0 ? keys.slice(0, limit) : keys;
    const metadata: JsonObject = { resourceVersion: version };
    if (page.length < keys.length) metadata.continue = `${version} ${page.at(-1)}`;
    return { metadata, items: page.flatMap((key) => this.#of(collection).get(key) ?? []) };
  }

  /** Changes of a collection after a version. */
  since(collection: string, version: number): WatchEvent[] {
    if (version < this.#compactedTo) throw expired(`too old resource version: ${version} (${this.#compactedTo})`);
    const changes = this.#history.filter((stored) => stored.collection === collection && stored.version > version);
    return changes.map(({ event }) => event);
  }

  create({ collection, namespace }: Target, object: JsonObject): JsonObject {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const name = String(metadata.name ?? `${metadata.generateName ?? 'x-'}${++this.#uids}`);
    const key = keyOf(namespace, name);
    if (this.#of(collection).has(key))
      throw new Refusal(409, 'AlreadyExists', `${JSON.stringify(name)} already exists`);
    const named = { ...metadata, name, uid: `uid-${++this.#uids}`, ...(namespace === '' ? {} : { namespace }) };
    return this.#store(collection, key, 'ADDED', { ...object, metadata: named });
  }

  /** Replaces an object, or its status alone. */
  update(target: Target, object: JsonObject): JsonObject {
    const old = this.get(target);
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const current = metadataOf(old);
    for (const member of ['resourceVersion', 'uid']) {
      if (metadata[member] === undefined || metadata[member] === current[member]) continue;
      throw new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${JSON.stringify(target.name)}`);
    }
    const { collection, namespace, name, subresource } = target;
    const changed = subresource === 'status' ? { ...old, status: object.status ?? {} } : object;
    const kept = { ...metadataOf(changed), uid: current.uid ?? '', name };
    return this.#store(collection, keyOf(namespace, name), 'MODIFIED', { ...changed, metadata: kept });
  }

  delete(target: Target, preconditions: JsonObject = {}): JsonObject {
    const old = this.get(target);
    for (const member of ['resourceVersion', 'uid']) {
      if (preconditions[member] === undefined || preconditions[member] === metadataOf(old)[member]) continue;
      throw new Refusal(409, 'Conflict', `Precondition failed: ${member === 'uid' ? 'UID' : member} in precondition`);
    }
    const { collection, namespace, name } = target;
    const gone = this.#store(collection, keyOf(namespace, name), 'DELETED', old);
    this.#of(collection).delete(keyOf(namespace, name));
    return gone;
  }

  #store(collection: string, key: string, type: string, given: JsonObject): JsonObject {
    const version = ++this.#version;
    const object = { ...given, metadata: { ...metadataOf(given), resourceVersion: String(version) } };
    this.#of(collection).set(key, object);
    const event = { type, object };
    this.#history.push({ collection, version, event });
    for (const listener of this.#listeners) listener(collection, event);
    return object;
  }

  #of(collection: string): Map<string, JsonObject> {
    const known = this.#objects.get(collection) ?? new Map<string, JsonObject>();
    this.#objects.set(collection, known);
    return known;
  }
}

/** The parts of a path of the API, or undefined for another one. */
export function targetOf(path: string): Target | undefined {
  const pattern =
    /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
  const match = pattern.exec(path);
  if (match === null) return undefined;
  const [, root = '', namespace = '', plural = '', name = '', subresource = ''] = match;
  return { collection: `${root}/${plural}`, namespace, name, subresource };
}

function expired(message: string): Refusal {
  return new Refusal(410, 'Expired', message);
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
