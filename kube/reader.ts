// What controllers read: the mirrors of a cluster, or a simulated cluster in tests.

import { controllerOf, type KubeObject, type ObjectReference } from './objects.ts';
import type { Resource } from './resource.ts';

/**
 * Reads from memory only. All objects are in the version of the resource that is asked for and must not be written to.
 * A resource that nobody watches is an error; one that is not read completely yet throws NotSyncedError.
 */
export type Reader = {
  get(resource: Resource, reference: ObjectReference): KubeObject | undefined;
  /** All objects, or those of one namespace, in no order. */
  list(resource: Resource, namespace?: string): readonly KubeObject[];
  /** The objects for which the index of this name gives the key. */
  indexed(resource: Resource, index: string, key: string): readonly KubeObject[];
};

/** A resource has not been read completely yet; whoever asks must wait for it. */
export class NotSyncedError extends Error {
  override readonly name = 'NotSyncedError';
}

/** Gives the keys of an object in an index; pure. */
export type IndexKeys = (object: KubeObject) => readonly string[];

/** Objects by the uid of the owner that controls them: every mirror has this index. */
export const CONTROLLER_INDEX = 'controller';

export const controllerKeys: IndexKeys = (object) => {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
};

/** Names an object, or its scale, of a kind that a program need not know beforehand. */
export type Lookup = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: 'scale';
};

/**
 * Reads what no mirror has. Undefined if there is no such object (or no such kind, or no scale), and also while it is not
 * known yet: whoever called is called again then, and what it made of this answer does not count.
 */
export type LookUp = (lookup: Lookup) => KubeObject | undefined;
