// Every object of the cluster that was handed in, once: what validation looks up, and what policies ask. Groups and
// kinds matter, versions do not.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import type { FactText } from './fact.ts';
import { type Kept, objectOf } from './kept.ts';
import type { FactAnswer, ObjectReference, Question } from './policies.ts';

const encoder = new TextEncoder();

type Count = Extract<Question, { count: unknown }>['count'];

/** What counts ask stands beside, so that none parses anything. */
type Held = { readonly as: Kept; readonly isLive: boolean; readonly phase: string };

/** What `count` questions count. */
const CONDITIONS: Readonly<Record<Count['where'], (object: Held) => boolean>> = {
  active: ({ isLive, phase }) => isLive && phase !== 'Succeeded' && phase !== 'Failed',
  bound: ({ isLive, phase }) => isLive && phase === 'Bound',
  live: ({ isLive }) => isLive,
};

export class Objects {
  // By kind, by namespace, by name.
  private readonly byKind = new Map<string, Map<string, Map<string, Held>>>();

  /** Adds the object that `reference` names, or replaces it. */
  put(reference: ObjectReference, object: JsonObject): void {
    this.hold(reference, object, object);
  }

  /** As `put`, but keeps the text only, which takes less memory: for objects that are rarely looked up. */
  putText(reference: ObjectReference, object: JsonObject, text: string): void {
    this.hold(reference, object, text);
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
    const held = this.held(group, kind, namespace, name);
    return held && objectOf(held.as);
  }

  /** The objects of a kind in a namespace, in the order in which they came. */
  list(group: string, kind: string, namespace: string): readonly JsonObject[] {
    return [...(this.byKind.get(`${group}/${kind}`)?.get(namespaceKey(namespace))?.values() ?? [])].map(({ as }) =>
      objectOf(as),
    );
  }

  /** What a policy asks, as far as the objects here tell: an object that is not here does not exist. */
  answer(question: Question): FactAnswer | FactText {
    if ('get' in question) {
      const { apiVersion, kind, namespace = '', name } = question.get;
      const held = this.held(parseApiVersion(apiVersion).group, kind, namespace, name);
      return typeof held?.as === 'string' ? { text: encoder.encode(held.as) } : { answer: held?.as ?? null };
    }
    const { limit, where } = question.count;
    const names: string[] = [];
    for (const [name, held] of this.each(question.count)) {
      if (names.length === limit) break;
      if (CONDITIONS[where](held)) names.push(name);
    }
    return { answer: { count: names.length, names } };
  }

  private hold(reference: ObjectReference, object: JsonObject, as: Kept): void {
    const namespaces = entryOf(this.byKind, keyOf(reference), () => new Map<string, Map<string, Held>>());
    const objects = entryOf(namespaces, namespaceKey(reference.namespace), () => new Map<string, Held>());
    objects.set(reference.name, { as, isLive: isLive(object), phase: phaseOf(object) });
  }

  private held(group: string, kind: string, namespace: string, name: string): Held | undefined {
    return this.byKind.get(`${group}/${kind}`)?.get(namespaceKey(namespace))?.get(name);
  }

  /** Objects with their names, of one namespace or of all. */
  private *each({ apiVersion, kind, namespace }: Count): Generator<[string, Held]> {
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

function phaseOf({ status }: JsonObject): string {
  return isObject(status) && typeof status.phase === 'string' ? status.phase : '';
}
