// Writes what decisions change into objects that are held here, as an API server would.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import type { Objects } from './objects.ts';
import type { Effect } from './policies.ts';

/**
 * Writes all effects, or nothing when one of the objects is gone or another by now. `apply` hands each new object to the
 * policies.
 */
export function commitTo(
  objects: Objects,
  effects: readonly Effect[],
  apply: (object: JsonObject) => void,
): 'done' | 'conflict' {
  const written: [Effect, JsonObject][] = [];
  for (const effect of effects) {
    const { apiVersion, kind, namespace = '', name } = effect;
    const object = objects.find(parseApiVersion(apiVersion).group, kind, namespace, name);
    const metadata = isObject(object?.metadata) ? object.metadata : {};
    const isSame = (metadata.uid ?? '') === effect.uid && (metadata.resourceVersion ?? '') === effect.resourceVersion;
    if (object === undefined || !isSame) return 'conflict';
    const resourceVersion = nextVersion(effect.resourceVersion);
    written.push([effect, { ...object, metadata: { ...metadata, resourceVersion }, status: effect.status }]);
  }
  for (const [effect, object] of written) {
    apply(object);
    objects.put(effect, object);
  }
  return 'done';
}

/** Another version than the one given: the next number, where it is one. */
function nextVersion(version: string): string {
  return /^\d{1,18}$/.test(version) ? String(BigInt(version) + 1n) : `${version}1`;
}
