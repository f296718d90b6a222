// What the types of a kind say of an object: wrong types, and members that they do not know.

import { type DecodeError, decode } from '../api/core/decode.ts';
import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import type { VersionDescription } from '../api/kinds/kind.ts';
import { parseFieldPath } from '../component/field-path.ts';

export type TypedForm = {
  errors: readonly DecodeError[];
  /** Members that are not known. Pod templates keep theirs: a newer Kubernetes may know them; elsewhere they go. */
  unknown: readonly { path: string; isKept: boolean }[];
};

/** Reads an object by the schema of its version. */
export function typedForm({ schema }: VersionDescription, object: JsonObject): TypedForm {
  const { value, errors, unknown } = decode(schema, object);
  return { errors, unknown: unknown.map((path) => ({ path, isKept: isThere(value as Json, path) })) };
}

function isThere(value: Json, path: string): boolean {
  let at: Json | undefined = value;
  for (const segment of parseFieldPath(path)) {
    if (Array.isArray(at) && typeof segment === 'number') at = at[segment];
    else if (isObject(at) && Object.hasOwn(at, String(segment))) at = at[String(segment)];
    else return false;
  }
  return at !== undefined;
}
