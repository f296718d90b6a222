// Objects of our kinds that are read in another version than the one that programs speak, and converted here: the API
// server answers for none of a kind as long as one of them cannot be converted by a webhook.

import type { JsonObject } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import type { KubeObject } from './objects.ts';
import type { Resource } from './resource.ts';

/** The same resource in all versions in which its objects may be stored, its own first. */
export function versionsOf(resource: Resource): readonly Resource[] {
  const versions = findKind(resource.group, resource.kind)?.versions ?? [];
  const others = versions.filter((version) => version !== resource.version);
  return [resource, ...others.map((version) => ({ ...resource, version }))];
}

/** An object of our kinds in a version, or why it cannot be said in it. As it is, where it has that version or is another's. */
export function inVersion(object: KubeObject, version: string): KubeObject | string {
  const source = parseApiVersion(object.apiVersion);
  if (source.version === version) return object;
  const kind = findKind(source.group, object.kind);
  if (kind === undefined) return object;
  const given = object as unknown as JsonObject;
  const fault = kind.decode(given, source.version).errors[0] ?? kind.inexpressible?.(given, version);
  return fault ?? (kind.convert(given, version) as unknown as KubeObject);
}
