// The difference between the metadata of two pod templates as a strategic merge patch of a pod (inplace-update 2.4).

import { equalJson, isObject, type Json, type JsonObject } from '../../../api/core/json.ts';

/** Empty if there is no difference. What the template does not name stays as the pod has it. */
export function metadataPatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of namesOf(before, after)) {
    const [old, now] = [before[name] ?? null, after[name] ?? null];
    if (equalJson(old, now)) continue;
    if (name === 'finalizers') Object.assign(patch, finalizersPatch(old, now));
    else if (isObject(old) || isObject(now))
      patch[name] = membersPatch(isObject(old) ? old : {}, isObject(now) ? now : {});
    else patch[name] = now;
  }
  return Object.keys(patch).length === 0 ? {} : { metadata: patch };
}

function membersPatch(before: JsonObject, after: JsonObject): JsonObject {
  const changed = namesOf(before, after).filter((name) => !equalJson(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

// Pods have finalizers that no template names, so single ones are added and taken away.
function finalizersPatch(before: Json, after: Json): JsonObject {
  const [old, now] = [before, after].map((list) => (Array.isArray(list) ? list : [])) as [Json[], Json[]];
  const added = now.filter((one) => !old.includes(one));
  const gone = old.filter((one) => !now.includes(one));
  return {
    ...(gone.length > 0 && { '$deleteFromPrimitiveList/finalizers': gone }),
    ...(now.length > 0 && { '$setElementOrder/finalizers': now }),
    ...(added.length > 0 && { finalizers: added }),
  };
}

function namesOf(a: JsonObject, b: JsonObject): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
