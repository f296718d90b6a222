// What differs between two states of the objects, and taking such a difference over as a whole or not at all.

import { type Json, type JsonObject, parseJson } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import type { Evaluator, ObjectReference } from '../evaluation.ts';

/** One object as it is kept: compact text, and where it was written. */
export type KeptObject = { reference: ObjectReference; text: string; file: string; line: number };

/** Objects by key. */
export type ObjectSet = ReadonlyMap<string, KeptObject>;

/** A difference; `set` holds what is new or other. It can be sent to another thread. */
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
  return { set, remove };
}

/**
 * Applies a difference. When one object is refused everything before it is taken back, so that the evaluator is as it
 * was, and the error names the object's file. No review can be answered in between. `before` is the state so far.
 */
export function applyChange(evaluator: Evaluator, change: ObjectChange, before: ObjectSet): void {
  for (const reference of change.remove) evaluator.remove(reference);
  let done = 0;
  try {
    for (const kept of change.set) {
      evaluator.apply(parseJson(kept.text) as JsonObject);
      done++;
    }
  } catch (error) {
    takeBack(evaluator, { set: change.set.slice(0, done), remove: change.remove }, before);
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

function takeBack(evaluator: Evaluator, change: ObjectChange, before: ObjectSet): void {
  for (const { reference } of change.set) if (!before.has(objectKey(reference))) evaluator.remove(reference);
  for (const { reference } of change.set) restore(evaluator, reference, before);
  for (const reference of change.remove) restore(evaluator, reference, before);
}

function restore(evaluator: Evaluator, reference: ObjectReference, before: ObjectSet): void {
  const kept = before.get(objectKey(reference));
  if (kept !== undefined) evaluator.apply(parseJson(kept.text) as JsonObject);
}
