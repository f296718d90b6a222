// An object as it is kept: its text, or the object itself where others keep that anyway.

import { isObject, type Json, type JsonObject, parseJson } from '../api/core/json.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';

/** JSON text, or an object that nobody changes any more: then its text is what JSON.stringify makes of it. */
export type Kept = string | JsonObject;

/** The text. */
export function textOf(kept: Kept): string {
  return typeof kept === 'string' ? kept : JSON.stringify(kept);
}

/** The object, which is not to be changed. */
export function objectOf(kept: Kept): JsonObject {
  return typeof kept === 'string' ? (parseJson(kept) as JsonObject) : kept;
}

/** Which object: its group, not its version, as in the module. */
export function keyOf(kept: Kept): string {
  const { apiVersion, kind, metadata } = objectOf(kept);
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return [parseApiVersion(apiVersion).group, kind, namespace, name].map(wordOf).join('/');
}

/** The module takes what is no text for none. */
function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
