// Objects in the stores of mirrors, with the indexes of a controller's watches: what is read is unpacked as in a program.
import type { KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_INDEX, controllerKeys, type Reader, type Stored } from '../../kube/reader.ts';
import type { Resource } from '../../kube/resource.ts';
import { Store } from '../../kube/store.ts';
import type { Controller } from '../../reconcilers/loop/controller.ts';

export type Stores = {
  readonly reader: Reader;
  /** Takes an object of a resource that the controller watches. */
  put(object: KubeObject): void;
};

export function storesOf<State>({ watches }: Controller<State>): Stores {
  const stores = new Map<string, Store>();
  for (const { resource, indexes = {} } of watches) {
    stores.set(idOf(resource), new Store({ ...indexes, [CONTROLLER_INDEX]: controllerKeys }, (object) => object));
  }
  const of = (resource: Resource): Store => {
    const store = stores.get(idOf(resource));
    if (store === undefined) throw new Error(`unwatched: ${resource.kind}`);
    return store;
  };
  return {
    put: ({ apiVersion, kind, ...object }) => {
      const watch = watches.find(({ resource }) => resource.kind === kind && apiVersion.startsWith(resource.group));
      if (watch === undefined) throw new Error(`unwatched: ${kind}`);
      of(watch.resource).put({ apiVersion, kind, ...object });
    },
    reader: {
      get: (resource, reference) => of(resource).get(reference),
      list: (resource, namespace) => of(resource).list(namespace),
      indexed: (resource, index, key) => of(resource).indexed(index, key),
      stored: (resource, index, key) => of(resource).stored(index, key),
      followsKind: ({ kind }) => watches.some(({ resource }) => resource.kind === kind),
      count: (resource, index, key) => of(resource).count(index, key),
    },
  };
}

/** The same reader, and how many stored objects it has read since that was asked last. */
export function countingReads(reader: Reader): { readonly reader: Reader; reads(): number } {
  const seen = new WeakSet<Stored>();
  let reads = 0;
  const count = (stored: Stored) => {
    if (seen.has(stored)) return;
    seen.add(stored);
    const read = stored.read.bind(stored);
    stored.read = () => {
      reads++;
      return read();
    };
  };
  const stored: Reader['stored'] = (...asked) => {
    const found = reader.stored(...asked);
    for (const one of found) count(one);
    return found;
  };
  const taken = () => {
    const since = reads;
    reads = 0;
    return since;
  };
  return { reader: { ...reader, stored }, reads: taken };
}

function idOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
