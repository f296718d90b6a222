// What the sub-commands ask of pods.

import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { kindNameOf, metadataOf, textOf } from './resources.ts';
import { objectAt } from './workload-parts.ts';

/** The owner that controls a pod, as its reference names it. */
export type OwnerName = { apiVersion: string; kind: string; name: string };

export function controllerOf(pod: JsonObject): OwnerName | undefined {
  const { ownerReferences } = metadataOf(pod);
  const owner = Array.isArray(ownerReferences)
    ? ownerReferences.find((one) => isObject(one) && one.controller === true)
    : undefined;
  if (!isObject(owner)) return undefined;
  return { apiVersion: textOf(owner.apiVersion), kind: textOf(owner.kind), name: textOf(owner.name) };
}

export function isPod(object: JsonObject): boolean {
  const { group, kind } = kindNameOf(object);
  return group === '' && kind === 'Pod';
}

/** Is it neither finished nor being deleted? */
export function isActive(pod: JsonObject): boolean {
  const { phase } = objectAt(pod, 'status');
  return phase !== 'Succeeded' && phase !== 'Failed' && (metadataOf(pod).deletionTimestamp ?? null) === null;
}

/** Does it have the condition Ready? */
export function isReady(pod: JsonObject): boolean {
  const { conditions } = objectAt(pod, 'status');
  const isTrue = (one: Json): boolean => isObject(one) && one.type === 'Ready' && one.status === 'True';
  return Array.isArray(conditions) && conditions.some(isTrue);
}
