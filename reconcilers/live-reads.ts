// Reads from the API server what controllers look up and no mirror has.

import { StatusError } from '../component/errors.ts';
import type { Client } from '../kube/client.ts';
import type { Discovery } from '../kube/discovery.ts';
import type { ReadLive } from './loop/lookups.ts';

/** Reads one object, or its scale; undefined if there is none, or no such kind. */
export function liveReads(client: Client, discovery: Discovery): ReadLive {
  return async ({ apiVersion, kind, namespace, name, subresource }, signal) => {
    const resource = await discovery.find(apiVersion, kind);
    if (resource === undefined) return undefined;
    try {
      return await client.get(resource, { namespace, name, subresource }, { signal });
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  };
}
