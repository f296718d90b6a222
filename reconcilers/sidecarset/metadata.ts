// Annotations that a SidecarSet puts on pods, at an upgrade by the rules of the injection (sidecarset 5.6).

import { compareBytewise } from '../../api/core/encode.ts';
import { isObject, type Json, type JsonObject, parseVerbatim, setMember } from '../../api/core/json.ts';
import type { SidecarSet } from '../../api/kinds/sidecarset/schema.ts';

type Items = NonNullable<SidecarSet['spec']>['patchPodMetadata'];
type Annotations = Readonly<Record<string, string>>;

/** Annotations to be set on a pod that has these; a text says which of them cannot be merged, and why. */
export function patchedAnnotations(items: Items, own: Annotations): ReadonlyMap<string, string> | string {
  const patched = new Map<string, string>();
  for (const { annotations = {}, patchPolicy = 'Retain' } of items ?? []) {
    for (const [name, value] of Object.entries(annotations)) {
      const before = patched.get(name) ?? (Object.hasOwn(own, name) ? own[name] : undefined);
      if (patchPolicy === 'Overwrite' || (patchPolicy === 'Retain' && before === undefined)) patched.set(name, value);
      if (patchPolicy !== 'MergePatchJson') continue;
      const merged = mergeText(before ?? '', value);
      if (typeof merged === 'string') patched.set(name, merged);
      else return `annotation ${name}: ${merged.fault}`;
    }
  }
  return patched;
}

/** A JSON merge patch (RFC 7386) of a text by a text; what is not touched keeps its writing. */
function mergeText(before: string, patch: string): string | { fault: string } {
  if (before === '') return patch;
  const value = parsed(before);
  const change = parsed(patch);
  const isPatch = isObject(change) || Array.isArray(change);
  // Where nothing stood the injection put the text as it is: what cannot be merged with itself stays.
  if (before === patch && !isPatch) return patch;
  if (value === undefined || value === null) return { fault: 'its value is no JSON' };
  if (!isPatch) return { fault: 'the patch is neither a JSON object nor a list' };
  return JSON.stringify(merge(value, change)).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function parsed(text: string): Json | undefined {
  try {
    return parseVerbatim(text);
  } catch {
    // The caller says whose text it is.
    return undefined;
  }
}

function merge(value: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  if (!isObject(value)) return withoutNulls(patch);
  const names = [...new Set([...Object.keys(value), ...Object.keys(patch)])].sort(compareBytewise);
  const merged: JsonObject = {};
  for (const name of names) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    const change = Object.hasOwn(patch, name) ? patch[name] : undefined;
    if (change === undefined) setMember(merged, name, own as Json);
    else if (change === null) continue;
    else setMember(merged, name, own === undefined || own === null ? withoutNulls(change) : merge(own, change));
  }
  return merged;
}

/** Also of what stands in lists. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name of Object.keys(value).sort(compareBytewise)) {
    const member = value[name] as Json;
    if (member !== null) setMember(kept, name, withoutNulls(member));
  }
  return kept;
}
