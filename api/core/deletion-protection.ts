// The label that protects workloads from deletion (deletion-protection 1). The policies decide what it means.
import { DELETE_PROTECTION, PROTECT_ALWAYS, PROTECT_CASCADING } from '../names.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

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
