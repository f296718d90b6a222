// What a ControllerRevision records of a SidecarSet, and how it is called (sidecarset 8.1).
import { encode, encodeSorted } from '../../core/encode.ts';
import { revisionHash, revisionName } from '../../core/hashes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Field } from '../../core/schema.ts';
import { type SidecarSet, SidecarSet as schema } from './schema.ts';

const recorded = ['containers', 'imagePullSecrets', 'initContainers', 'patchPodMetadata', 'volumes'] as const;

/** The exact text of `data`; absent members are null, keys sorted on every level. */
export function revisionData(sidecarSet: SidecarSet): string {
  const spec: JsonObject = { $patch: 'replace' };
  for (const name of recorded) spec[name] = typedValue(name, sidecarSet);
  return encodeSorted({ spec });
}

/**
 * Hash and name of the revision. The collision count is that of the status: null or absent counts as 0, which is part
 * of the hash.
 */
export function revisionIdentity(sidecarSet: SidecarSet, collisionCount = 0): { hash: string; name: string } {
  const hash = revisionHash(revisionData(sidecarSet), collisionCount);
  return { hash, name: revisionName(sidecarSet.metadata?.name ?? '', hash) };
}

// As the Go implementation sees it after writing and reading again: typed zero values present, empty lists gone.
function typedValue(name: (typeof recorded)[number], sidecarSet: SidecarSet): Json {
  const value = sidecarSet.spec?.[name];
  if (value === undefined || value.length === 0) return null;
  const field = (schema.fields.spec.schema.fields as { [name: string]: Field })[name] as Field;
  return JSON.parse(encode(field.schema, value as Json)) as Json;
}
