// Objects as an API server keeps them, for what reads and writes single ones: resourceVersions, conflicts, and a count of
// writes that changed something.

import type { JsonObject } from '../../api/core/json.ts';
import { StatusError } from '../../component/errors.ts';
import { type KubeObject, keyOf, type ObjectReference } from '../../kube/objects.ts';
import type { Resource } from '../../kube/resource.ts';

export class ObjectStore {
  readonly #objects = new Map<string, KubeObject>();
  #version = 4710;
  /** Writes that changed an object. */
  writes = 0;
  /** Rejects, or changes the store, before a request is carried out. */
  before: (verb: 'get' | 'create' | 'update', resource: Resource, name: string) => void | Promise<void> = () =>
    undefined;
  /** What the server makes of an object that is written. */
  admit: (object: KubeObject) => KubeObject = (object) => object;

  /** Puts an object there as somebody else would: it counts as no write. */
  put(resource: Resource, object: JsonObject): KubeObject {
    return this.#keep(resource, object as unknown as KubeObject);
  }

  /** The object, for a test to look at. */
  object<T = JsonObject>(resource: Resource, reference: ObjectReference): T | undefined {
    return structuredClone(this.#objects.get(place(resource, reference))) as T | undefined;
  }

  remove(resource: Resource, reference: ObjectReference): void {
    this.#objects.delete(place(resource, reference));
  }

  async get(resource: Resource, reference: ObjectReference): Promise<KubeObject> {
    await this.before('get', resource, reference.name);
    const object = this.#objects.get(place(resource, reference));
    if (object === undefined) throw notFound(resource, reference);
    return structuredClone(object);
  }

  async create(resource: Resource, object: JsonObject): Promise<KubeObject> {
    const created = object as unknown as KubeObject;
    await this.before('create', resource, created.metadata.name);
    if (this.#objects.has(place(resource, created.metadata))) {
      throw new StatusError(409, 'AlreadyExists', `${resource.plural} "${created.metadata.name}" already exists`);
    }
    this.writes++;
    return structuredClone(this.#keep(resource, created));
  }

  async update(resource: Resource, object: JsonObject): Promise<KubeObject> {
    const wanted = object as unknown as KubeObject;
    await this.before('update', resource, wanted.metadata.name);
    const present = this.#objects.get(place(resource, wanted.metadata));
    if (present === undefined) throw notFound(resource, wanted.metadata);
    if (wanted.metadata.resourceVersion !== present.metadata.resourceVersion) {
      throw new StatusError(
        409,
        'Conflict',
        `${resource.plural} "${wanted.metadata.name}": the object has been modified`,
      );
    }
    const admitted = this.admit(wanted);
    if (JSON.stringify(admitted) === JSON.stringify(present)) return structuredClone(present);
    this.writes++;
    return structuredClone(this.#keep(resource, admitted));
  }

  #keep(resource: Resource, object: KubeObject): KubeObject {
    const resourceVersion = String(++this.#version);
    const kept = { ...structuredClone(object), metadata: { ...structuredClone(object.metadata), resourceVersion } };
    this.#objects.set(place(resource, object.metadata), kept);
    return kept;
  }
}

function place({ group, plural }: Resource, reference: ObjectReference): string {
  return `${plural}.${group}/${keyOf(reference)}`;
}

function notFound({ plural }: Resource, { name }: ObjectReference): StatusError {
  return new StatusError(404, 'NotFound', `${plural} "${name}" not found`);
}
