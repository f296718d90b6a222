// C018: one pod can be let go although its budget is used up (openkruise/kruise PR 777).
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Protection, statusOf } from '../support/protection.ts';

const { objects, request } = fieldCase('C018');
const pub = objects[0] as JsonObject;
const pod = request.oldObject as JsonObject;
const cluster = (await Protection.start()).hold(...objects);

function annotated(annotations: JsonObject): JsonObject {
  return { ...pod, metadata: { ...(isObject(pod.metadata) ? pod.metadata : {}), annotations } };
}

const related = { 'pub.kruise.io/related-pub': 'game-pub', 'kruise.io/related-pub': 'game-pub' };
const denied = { allowed: false, code: 403, reason: 'Forbidden' };

test('the pod goes as it was asked for', () => {
  expect(cluster.review(request, pod)).toMatchObject({ allowed: true });
  expect(statusOf(cluster, pub)).toEqual(pub.status);
});

describe('the annotation', () => {
  test.each(['true', '1', 't', 'T', 'TRUE', 'True'])('lets the pod go: %j', (value) => {
    const oldObject = annotated({ ...related, 'pub.kruise.io/no-protect': value });
    expect(cluster.review({ ...request, oldObject }, pod)).toMatchObject({ allowed: true });
  });

  test.each(['', 'false', '0', 'yes', 'on', 'tRUE'])('says nothing: %j', (value) => {
    const oldObject = annotated({ ...related, 'pub.kruise.io/no-protect': value });
    expect(cluster.review({ ...request, oldObject }, pod)).toMatchObject(denied);
  });
});

test.each<[string, JsonObject, JsonObject]>([
  ['without the annotation', { oldObject: annotated(related) }, denied],
  ['with the legacy annotation only', { oldObject: annotated({ 'kruise.io/related-pub': 'game-pub' }) }, denied],
  ['of no budget', { oldObject: annotated({}) }, { allowed: true }],
  [
    'of which only a sub-resource is deleted',
    { oldObject: annotated(related), subResource: 'status' },
    { allowed: true },
  ],
  ['that is not told', { oldObject: null }, { allowed: true }],
])('a pod %s', (_what, parts, expected) => {
  expect(cluster.review({ ...request, ...parts }, pod)).toMatchObject(expected);
  expect(statusOf(cluster, pub)).toEqual(pub.status);
});
