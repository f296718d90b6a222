// An object as it is kept: the text that was given, or the object itself where others keep that anyway.

import { type JsonObject, parseJson } from '../api/core/json.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import { textOf } from './fact.ts';

/** JSON text in UTF-8, or an object that nobody changes any more: then its text is what JSON.stringify makes of it. */
export type Kept = Uint8Array | JsonObject;

const encoder = new TextEncoder();

/** The text. */
export function bytesOf(kept: Kept): Uint8Array {
  return kept instanceof Uint8Array ? kept : encoder.encode(JSON.stringify(kept));
}

/** The object, which is not to be changed. */
export function objectOf(kept: Kept): JsonObject {
  return kept instanceof Uint8Array ? (parseJson(textOf(kept)) as JsonObject) : kept;
}

/** Which object: its group, not its version, as in the module. */
export function keyOf(kept: Kept): string {
  const object = kept instanceof Uint8Array ? JSON.parse(textOf(kept)) : kept;
  const { apiVersion, kind, metadata } = object as Identified;
  return `${parseApiVersion(apiVersion).group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

type Identified = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } };
