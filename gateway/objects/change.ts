// What differs between two states of the objects, and taking such a difference over as a whole or not at all.

import { type Json, type JsonObject, parseJson } from '../../api/core/json.ts';
import { inApplyOrder } from '../../api/kinds/apply-order.ts';
import { InputError } from '../../component/errors.ts';
import type { Evaluator, ObjectReference } from '../evaluation.ts';

/** One object as it is kept: compact text, and where it was written. */
export type KeptObject = { reference: ObjectReference; text: string; file: string; line: number };

/** Objects by key. */
export type ObjectSet = ReadonlyMap<string, KeptObject>;

/** A difference; `set` holds what is new or other, in the order in which it is applied. It can be sent to another thread. */
export type ObjectChange = { set: readonly KeptObject[]; remove: readonly ObjectReference[] };

/** Names an object regardless of the version it is written in. */
export function objectKey({ apiVersion, kind, namespace = '', name }: ObjectReference): string {
  const slash = apiVersion.indexOf('/');
  return JSON.stringify([slash < 0 ? '' : apiVersion.slice(0, slash), kind, namespace, name]);
}

/** The reference of an object that has apiVersion, kind and metadata.name. */
export function referenceOf(object: JsonObject): ObjectReference {
  const { apiVersion, kind } = object;
  const metadata = object.metadata as JsonObject;
  const reference = { apiVersion: text(apiVersion), kind: text(kind), name: text(metadata.name) };
  const namespace = text(metadata.namespace);
  return namespace === '' ? reference : { ...reference, namespace };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** What leads from one state to another. */
export function difference(from: ObjectSet, to: ObjectSet): ObjectChange {
  const set = [...to].filter(([key, object]) => from.get(key)?.text !== object.text).map(([, object]) => object);
  const remove = [...from].filter(([key]) => !to.has(key)).map(([, object]) => object.reference);
  return { set: inOrder(set), remove };
}

function inOrder(objects: readonly KeptObject[]): KeptObject[] {
  // Only a SidecarSet says more of its place than its kind.
  return inApplyOrder(objects, (kept) => (isSidecarSet(kept) ? objectOf(kept) : { kind: kept.reference.kind }));
}

function isSidecarSet({ reference }: KeptObject): boolean {
  return reference.kind === 'SidecarSet';
}

function objectOf({ text }: KeptObject): JsonObject {
  return parseJson(text) as JsonObject;
}

/**
 * Applies a difference. When one object is refused everything before it is taken back, so that the evaluator is as it
 * was, and the error names the object's file. No review can be answered in between. `before` is the state so far.
 */
export function applyChange(evaluator: Evaluator, change: ObjectChange, before: ObjectSet): void {
  for (const reference of change.remove) evaluator.remove(reference);
  withdraw(evaluator, change.set);
  let done = 0;
  try {
    for (const kept of change.set) {
      evaluator.apply(objectOf(kept));
      done++;
    }
  } catch (error) {
    takeBack(evaluator, change, before);
    throw error instanceof InputError ? new RefusedObject(error, change.set[done] as KeptObject) : error;
  }
}

/** An object was refused by the evaluator. */
export class RefusedObject extends Error {
  readonly refusal: InputError;
  readonly object: KeptObject;

  constructor(refusal: InputError, object: KeptObject) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.object = object;
  }
}

// SidecarSets are held against each other: what moves from one to another must not meet its own past.
function withdraw(evaluator: Evaluator, changed: readonly KeptObject[]): void {
  for (const { reference } of changed.filter(isSidecarSet)) evaluator.remove(reference);
}

function takeBack(evaluator: Evaluator, change: ObjectChange, before: ObjectSet): void {
  withdraw(evaluator, change.set);
  const changed = change.set.map(({ reference }) => reference);
  for (const reference of changed) if (!before.has(objectKey(reference))) evaluator.remove(reference);
  const earlier = [...changed, ...change.remove].flatMap((reference) => before.get(objectKey(reference)) ?? []);
  for (const kept of inOrder(earlier)) evaluator.apply(objectOf(kept));
}
