// C032: workloads with live replicas were deleted in bulk (openkruise/kruise PR #608).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Deletions, labelled, leaving } from '../support/deletions.ts';

describe.each([
  ['apps/v1', 'Deployment'],
  ['apps.kruise.io/v1beta1', 'CloneSet'],
])('a %s %s labelled Cascading', async (apiVersion, kind) => {
  const deletions = await Deletions.start();
  const one = (replicas: number): JsonObject => labelled(apiVersion, kind, 'Cascading', { replicas });

  test.each<[string, JsonObject, JsonObject]>([
    ['with replicas', one(2), {}],
    ['with replicas, in a dry run', one(2), { dryRun: true }],
    ['with replicas, when its pods are to stay', one(2), { options: { propagationPolicy: 'Orphan' } }],
  ])('stays %s', (_what, object, parts) => {
    expect(deletions.delete(object, parts)).toMatchObject({ allowed: false, code: 403 });
  });

  test.each<[string, JsonObject]>([
    ['scaled to none', one(0)],
    ['once it is leaving', leaving(one(2))],
    ['without its label', labelled(apiVersion, kind, undefined, { replicas: 2 })],
  ])('goes %s', (_what, object) => {
    expect(deletions.delete(object)).toMatchObject({ allowed: true });
  });

  test('is judged by itself when many are deleted', () => {
    const many = [one(2), one(0), labelled(apiVersion, kind, undefined, { replicas: 2 })];
    expect(many.map((object) => deletions.delete(object).allowed)).toEqual([false, true, true]);
  });
});
