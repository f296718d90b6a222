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
  /** As `indexed`, without reading any of them. */
  stored(resource: Resource, index: string, key: string): readonly Stored[];
  /** How many they are. */
  count(resource: Resource, index: string, key: string): number;
  /** Is every change of such objects seen? The version does not matter. */
  followsKind(kind: KindReference): boolean;
};

/** A kind, as owners and targets name it; what they leave out names none. */
export type KindReference = { readonly apiVersion?: string | undefined; readonly kind?: string | undefined };

/**
 * One version of an object, as it is kept: the same one as long as the object does not change, so that what was found out
 * about the object can be kept with it. It can be read even after the object has changed or is gone.
 */
export type Stored = { read(): KubeObject; [found: symbol]: unknown };

/** What `find` finds out about an object, pure; it is asked once for each version of the object. */
export function remembering<Found>(find: (object: KubeObject) => Found): (stored: Stored) => Found {
  // A member of the object itself: for tens of thousands of objects that costs half of what a WeakMap does.
  const key = Symbol('found');
  return (stored) => {
    const known = stored[key] as { readonly found: Found } | undefined;
    if (known !== undefined) return known.found;
    const found = find(stored.read());
    stored[key] = { found };
    return found;
  };
}

/** Another object that something found out depends on: its name, and what changes when it has to be found out again. */
export type About = { readonly name: string; readonly version: string };

/** As `remembering`, for what depends on another object too. What was found for its former versions is forgotten. */
export function rememberingAbout<Found, Other extends About>(
  find: (stored: Stored, about: Other) => Found,
): (stored: Stored, about: Other) => Found {
  const key = Symbol('found');
  return (stored, about) => {
    const byName = (stored[key] ?? new Map()) as Map<string, { readonly version: string; readonly found: Found }>;
    stored[key] = byName;
    const known = byName.get(about.name);
    if (known?.version === about.version) return known.found;
    const found = find(stored, about);
    byName.set(about.name, { version: about.version, found });
    return found;
  };
}

/** A resource has not been read completely yet; whoever asks must wait for it. */
export class NotSyncedError extends Error {
  override readonly name = 'NotSyncedError';
}

/** Gives the keys of an object in an index; pure. */
export type IndexKeys = (object: KubeObject) => readonly string[];

/** Objects by their namespace: every mirror has this index. */
export const NAMESPACE_INDEX = '';

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
