// What a ControllerRevision records of a workload, its pod template, and how it is called. Running pods carry these names, so
// they must come out the same as ever (cloneset 3.7, advanced-statefulset 3.5).
import { encode, encodeSorted } from './encode.ts';
import { revisionHash, revisionName } from './hashes.ts';
import type { Json, JsonObject } from './json.ts';
import { PodTemplateSpec } from './pod.ts';

/** The exact text of `data`: the template as Go writes it, keys sorted on every level. */
export function templateRevisionData(template: PodTemplateSpec | undefined): string {
  const typed = JSON.parse(encode(PodTemplateSpec, template as Json | undefined)) as JsonObject;
  return encodeSorted({ spec: { template: { ...typed, $patch: 'replace' } } });
}

/**
 * Hash and name of the revision of a workload with that name. The collision count is that of the status: null or absent
 * counts as 0, which is part of the hash.
 */
export function templateRevisionIdentity(
  parentName: string,
  template: PodTemplateSpec | undefined,
  collisionCount = 0,
): { hash: string; name: string } {
  const hash = revisionHash(templateRevisionData(template), collisionCount);
  return { hash, name: revisionName(parentName, hash) };
}
