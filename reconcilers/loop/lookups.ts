// Objects that no mirror has, such as custom workloads: a snapshot is taken in rounds, and what was missing in one is read
// from the API server for the next.

import type { KubeObject } from '../../kube/objects.ts';
import type { LookUp, Lookup } from '../../kube/reader.ts';

/** A workload above a workload above a pod is found in this many. */
const ROUNDS_MOST = 4;

/** Reads one object from the API server; undefined if there is none of this name or kind. */
export type ReadLive = (lookup: Lookup, signal: AbortSignal) => Promise<KubeObject | undefined>;

/**
 * What `fetch` gives once all that it looks up is known. Errors of reading are thrown as they are; an Error if it
 * asks for more and more.
 */
export async function withLookups<Result>(
  fetch: (lookUp: LookUp) => Result,
  read: ReadLive,
  signal: AbortSignal,
): Promise<Result> {
  const known = new Map<string, KubeObject | undefined>();
  for (let round = 0; round < ROUNDS_MOST; round++) {
    const missing = new Map<string, Lookup>();
    const result = fetch((lookup) => {
      const key = keyOfLookup(lookup);
      if (!known.has(key)) missing.set(key, lookup);
      return known.get(key);
    });
    if (missing.size === 0) return result;
    await Promise.all(
      [...missing].map(async ([key, lookup]) => {
        known.set(key, await read(lookup, signal));
      }),
    );
  }
  throw new Error('more objects had to be looked up than in four rounds');
}

function keyOfLookup({ apiVersion, kind, namespace, name, subresource }: Lookup): string {
  return [apiVersion, kind, namespace, name, subresource ?? ''].join(' ');
}
