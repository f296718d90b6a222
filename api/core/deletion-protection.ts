// The label that protects workloads from deletion (deletion-protection 1, 5, 6). Users match on the texts.
import { DELETE_PROTECTION, PROTECT_ALWAYS, PROTECT_CASCADING } from '../names.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/**
 * Why a workload, as it is stored, must not be deleted now; undefined if it may be. `Always` protects whatever it holds,
 * `Cascading` while replicas are wanted; any other value protects nothing, and neither does any on an object that is
 * being deleted already.
 */
export function deletionRefusal(object: JsonObject): string | undefined {
  const { metadata, spec } = object;
  if (!isObject(metadata) || (metadata.deletionTimestamp ?? null) !== null) return undefined;
  const value = protectionOf(object);
  const text = `forbidden by ResourcesProtectionDeletion for ${DELETE_PROTECTION}=${String(value)}`;
  if (value === PROTECT_ALWAYS) return text;
  const replicas = isObject(spec) ? spec.replicas : undefined;
  const isNeeded = value === PROTECT_CASCADING && typeof replicas === 'number' && replicas > 0;
  return isNeeded ? `${text} and replicas ${replicas}>0` : undefined;
}

/** What is to be said about a label whose value protects nothing, since it is none of the two (deletion-protection D1). */
export function protectionWarning(object: JsonObject): string | undefined {
  const value = protectionOf(object);
  if (typeof value !== 'string' || value === PROTECT_ALWAYS || value === PROTECT_CASCADING) return undefined;
  return `the value of label ${DELETE_PROTECTION} protects nothing: ${value}`;
}

function protectionOf({ metadata }: JsonObject): Json | undefined {
  const labels = isObject(metadata) ? metadata.labels : undefined;
  return isObject(labels) ? labels[DELETE_PROTECTION] : undefined;
}
