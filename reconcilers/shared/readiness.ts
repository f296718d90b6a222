// Objections to a pod being ready: each is a claim in the message of the condition KruisePodReady, which is True only
// while there are none (podreadiness 3).

import { isObject, type Json, type JsonObject, readJson } from '../../api/core/json.ts';
import { KRUISE_POD_READY } from '../../api/names.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { closingGate, writeConditions } from './conditions.ts';
import { conditionOf, hasReadinessGate, type Pod, type PodCondition, timestamp } from './pod.ts';

/** Who objects, and for which reason. */
export type NotReadyClaim = { readonly userAgent: string; readonly key: string };

/** Makes the pod not ready; undefined if it is for this claim already, or does not wait for the condition at all. */
export function claimNotReady(pod: Pod, claim: NotReadyClaim, now: number): PlannedEffect | undefined {
  const claims = claimsOf(pod);
  const isClaimed = claims.some((other) => isSameClaim(other, claim));
  if (!hasReadinessGate(pod, KRUISE_POD_READY) || (isClaimed && !isTrue(pod))) return undefined;
  const claimed = isClaimed ? claims : [...claims, claim];
  return writeConditions(pod, closingGate(pod, conditionWith(claimed, now), now));
}

/** Takes the claim back; undefined if there is no such claim. The kubelet makes the pod ready again after the last one. */
export function releaseNotReady(pod: Pod, claim: NotReadyClaim, now: number): PlannedEffect | undefined {
  const claims = claimsOf(pod);
  const others = claims.filter((other) => !isSameClaim(other, claim));
  if (!hasReadinessGate(pod, KRUISE_POD_READY) || others.length === claims.length) return undefined;
  return writeConditions(pod, [conditionWith(others, now)]);
}

/** The claims in the message; none if it cannot be read. */
export function claimsOf(pod: Pod): readonly NotReadyClaim[] {
  const claims = readJson(conditionOf(pod, KRUISE_POD_READY)?.message ?? '[]');
  // Compatibility: whoever wrote something else into the message has no claim.
  return Array.isArray(claims) ? claims.filter(isClaim) : [];
}

function isClaim(value: Json): value is JsonObject & NotReadyClaim {
  return isObject(value) && typeof value.userAgent === 'string' && typeof value.key === 'string';
}

function isSameClaim(a: NotReadyClaim, b: NotReadyClaim): boolean {
  return a.userAgent === b.userAgent && a.key === b.key;
}

function isTrue(pod: Pod): boolean {
  return conditionOf(pod, KRUISE_POD_READY)?.status === 'True';
}

function conditionWith(claims: readonly NotReadyClaim[], now: number): PodCondition {
  const sorted = claims
    .map(({ userAgent, key }) => ({ userAgent, key }))
    .sort((a, b) => compare(a.userAgent, b.userAgent) || compare(a.key, b.key));
  return {
    type: KRUISE_POD_READY,
    status: claims.length === 0 ? 'True' : 'False',
    message: escaped(JSON.stringify(sorted)),
    lastTransitionTime: timestamp(now),
  };
}

/** As Go writes JSON: other readers compare the text. */
function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
