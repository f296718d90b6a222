// The label that protects workloads from deletion (deletion-protection 1, 5, 6). Users match on the texts.
import { DELETE_PROTECTION, PROTECT_ALWAYS, PROTECT_CASCADING } from '../names.ts';
import { isObject, type JsonObject } from './json.ts';

/**
 * Why a workload, as it is stored, must not be deleted now; undefined if it may be. `Always` protects whatever it holds,
 * `Cascading` while replicas are wanted; any other value protects nothing, and neither does any on an object that is
 * being deleted already.
 */
export function deletionRefusal({ metadata, spec }: JsonObject): string | undefined {
  if (!isObject(metadata) || (metadata.deletionTimestamp ?? null) !== null) return undefined;
  const value = isObject(metadata.labels) ? metadata.labels[DELETE_PROTECTION] : undefined;
  const text = `forbidden by ResourcesProtectionDeletion for ${DELETE_PROTECTION}=${String(value)}`;
  if (value === PROTECT_ALWAYS) return text;
  const replicas = isObject(spec) ? spec.replicas : undefined;
  const isNeeded = value === PROTECT_CASCADING && typeof replicas === 'number' && replicas > 0;
  return isNeeded ? `${text} and replicas ${replicas}>0` : undefined;
}
