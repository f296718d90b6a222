// Every object of the cluster that was handed in, once: what validation looks up, and what policies ask. Groups and
// kinds matter, versions do not.

import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import type { FactAnswer, ObjectReference, Question } from './policies.ts';

type Count = Extract<Question, { count: unknown }>['count'];

/** What `count` questions count. */
const CONDITIONS: Readonly<Record<Count['where'], (object: JsonObject) => boolean>> = {
  active: (pod) => isLive(pod) && !['Succeeded', 'Failed'].includes(String(phaseOf(pod))),
  bound: (claim) => isLive(claim) && phaseOf(claim) === 'Bound',
  live: isLive,
};

export class Objects {
  // By kind, by namespace, by name.
  private readonly byKind = new Map<string, Map<string, Map<string, JsonObject>>>();

  /** Adds the object that `reference` names, or replaces it. */
  put(reference: ObjectReference, object: JsonObject): void {
    const namespaces = entryOf(this.byKind, keyOf(reference), () => new Map<string, Map<string, JsonObject>>());
    const objects = entryOf(namespaces, namespaceKey(reference.namespace), () => new Map<string, JsonObject>());
    objects.set(reference.name, object);
  }

  /** Forgets an object, if it is there. */
  delete(reference: ObjectReference): void {
    const kind = keyOf(reference);
    const namespace = namespaceKey(reference.namespace);
    const namespaces = this.byKind.get(kind);
    const objects = namespaces?.get(namespace);
    objects?.delete(reference.name);
    if (objects?.size === 0) namespaces?.delete(namespace);
    if (namespaces?.size === 0) this.byKind.delete(kind);
  }

  /** One object. */
  find(group: string, kind: string, namespace: string, name: string): JsonObject | undefined {
    return this.byKind.get(`${group}/${kind}`)?.get(namespaceKey(namespace))?.get(name);
  }

  /** The objects of a kind in a namespace, in the order in which they came. */
  list(group: string, kind: string, namespace: string): readonly JsonObject[] {
    return [...(this.byKind.get(`${group}/${kind}`)?.get(namespaceKey(namespace))?.values() ?? [])];
  }

  /** What a policy asks, as far as the objects here tell: an object that is not here does not exist. */
  answer(question: Question): FactAnswer {
    if ('get' in question) {
      const { apiVersion, kind, namespace = '', name } = question.get;
      return { answer: this.find(parseApiVersion(apiVersion).group, kind, namespace, name) ?? null };
    }
    const { limit, where } = question.count;
    const names: string[] = [];
    for (const [name, object] of this.each(question.count)) {
      if (names.length === limit) break;
      if (CONDITIONS[where](object)) names.push(name);
    }
    return { answer: { count: names.length, names } };
  }

  /** Objects with their names, of one namespace or of all. */
  private *each({ apiVersion, kind, namespace }: Count): Generator<[string, JsonObject]> {
    const namespaces = this.byKind.get(keyOf({ apiVersion, kind }));
    if (namespace !== undefined) yield* namespaces?.get(namespaceKey(namespace)) ?? [];
    else for (const objects of namespaces?.values() ?? []) yield* objects;
  }
}

function keyOf({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}

/** Objects of namespaces that name none are of the default one; those of no namespace stand at the same place. */
function namespaceKey(namespace = ''): string {
  return namespace || 'default';
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}

function isLive({ metadata }: JsonObject): boolean {
  return !isObject(metadata) || (metadata.deletionTimestamp ?? null) === null;
}

function phaseOf({ status }: JsonObject): Json | undefined {
  return isObject(status) ? status.phase : undefined;
}
