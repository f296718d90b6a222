// What controllers see of a simulated cluster: caches by resource, which lag behind until a change is delivered.

import { groupOf } from '../../../api/core/references.ts';
import { type KubeObject, keyOf } from '../../../kube/objects.ts';
import {
  CONTROLLER_INDEX,
  controllerKeys,
  type IndexKeys,
  NAMESPACE_INDEX,
  type Reader,
} from '../../../kube/reader.ts';
import type { Resource } from '../../../kube/resource.ts';
import { readable } from '../../../reconcilers/readable.ts';
import { storedIn } from '../stored.ts';
import type { WorldChange } from './objects.ts';

/** The cache of one resource. */
export type Cache = {
  readonly resource: Resource;
  readonly objects: Map<string, KubeObject>;
  /** Changes that were not delivered yet, the oldest first. */
  readonly pending: WorldChange[];
  version: number;
  readonly indexes: Map<string, IndexKeys>;
};

export class Caches {
  readonly #caches = new Map<string, Cache>();

  readonly reader: Reader = {
    ...storedIn((resource, index, key) => this.reader.indexed(resource, index, key)),
    followsKind: ({ apiVersion = '', kind }) =>
      [...this.#caches.values()].some(
        ({ resource }) => resource.kind === kind && resource.group === groupOf(apiVersion),
      ),
    get: (resource, reference) => this.of(resource).objects.get(keyOf(reference)),
    list: (resource, namespace) => {
      const all = [...this.of(resource).objects.values()];
      return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
    },
    indexed: (resource, index, key) => {
      const { indexes, objects } = this.of(resource);
      const keys = indexes.get(index);
      if (keys === undefined) throw new Error(`${resource.plural} have no index ${index}`);
      return [...objects.values()].filter((object) => keys(object).includes(key));
    },
  };

  /** Throws when another index of the resource has the name of one of these. */
  follow(resource: Resource, indexes: Readonly<Record<string, IndexKeys>>): void {
    const id = idOf(resource);
    const known = this.#caches.get(id) ?? { resource, objects: new Map(), pending: [], version: 0, indexes: new Map() };
    known.indexes.set(CONTROLLER_INDEX, controllerKeys);
    known.indexes.set(NAMESPACE_INDEX, ({ metadata }) => [metadata.namespace ?? '']);
    for (const [name, keys] of Object.entries(indexes)) {
      const other = known.indexes.get(name);
      if (other !== undefined && other !== keys)
        throw new Error(`two indexes of ${resource.plural} are called ${name}`);
      known.indexes.set(name, keys);
    }
    this.#caches.set(id, known);
  }

  /** Undefined if nobody follows the resource. */
  find(resource: Resource): Cache | undefined {
    return this.#caches.get(idOf(resource));
  }

  of(resource: Resource): Cache {
    const cache = this.find(resource);
    if (cache === undefined) throw new Error(`${resource.plural} are watched by nobody`);
    return cache;
  }

  /** Those that have something to be delivered. */
  lagging(): readonly Cache[] {
    return [...this.#caches.values()].filter(({ pending }) => pending.length > 0);
  }
}

/** Takes the oldest change over; undefined if there is none. Objects are as mirrors give them to controllers. */
export function deliver(cache: Cache): { old: KubeObject | undefined; new: KubeObject | undefined } | undefined {
  const change = cache.pending.shift();
  if (change === undefined) return undefined;
  const [old, next] = [change.old, change.new].map((object) => (object === undefined ? undefined : asRead(object)));
  const key = keyOf((next ?? old ?? { metadata: { name: '' } }).metadata);
  if (next === undefined) cache.objects.delete(key);
  else cache.objects.set(key, next);
  cache.version = change.version;
  return { old, new: next };
}

function asRead(object: KubeObject): KubeObject {
  const read = readable(object);
  if (typeof read === 'string') throw new Error(`${object.kind} ${keyOf(object.metadata)}: ${read}`);
  return read;
}

function idOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
