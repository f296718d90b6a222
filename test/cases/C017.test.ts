// C017: a pod that is not available does not hold up the drain of its node (kubernetes/kubernetes#72320).
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Protection, statusOf } from '../support/protection.ts';

const { objects, request } = fieldCase('C017');
const [pub, pod] = objects as [JsonObject, JsonObject];
const cluster = await Protection.start();

function having(status: JsonObject, metadata: JsonObject = {}): JsonObject {
  const own = isObject(pod.metadata) ? pod.metadata : {};
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  return { ...pod, metadata: { ...own, ...metadata }, status: { ...(pod.status as JsonObject), ...ready, ...status } };
}

const labels = { 'unavailable-pod.kruise.io/x': 'y' };

test.each<[string, JsonObject[], { allowed: boolean; code?: number }]>([
  ['crashes again and again', [pub, pod], { allowed: true }],
  ['is ready', [pub, having({})], { allowed: false, code: 403 }],
  ['is pending', [pub, having({ phase: 'Pending' })], { allowed: true }],
  ['is terminating', [pub, having({}, { deletionTimestamp: '2026-07-02T08:00:00Z' })], { allowed: true }],
  ['is declared unavailable', [pub, having({}, { labels })], { allowed: true }],
  ['does not exist', [pub], { allowed: false, code: 400 }],
  ['has lost its budget', [having({})], { allowed: true }],
])('the eviction of a pod that %s', (_what, held, expected) => {
  cluster.hold(...held);
  expect(cluster.review(request, pod)).toMatchObject(expected);
  if (held.includes(pub)) expect(statusOf(cluster, pub)).toEqual(pub.status);
});
