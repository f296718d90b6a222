// Deletion of workloads, Services and Ingresses (deletion-protection.md 4 to 6, 10).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { Deletions, FORBIDDEN, labelled, leaving, PROTECTED } from '../../support/deletions.ts';

const BUILT_IN = ['Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ['apps/v1', kind] as const);
const KRUISE = ['CloneSet', 'StatefulSet', 'UnitedDeployment'].flatMap((kind) =>
  ['v1alpha1', 'v1beta1'].map((version) => [`apps.kruise.io/${version}`, kind] as const),
);

describe.each([...BUILT_IN, ...KRUISE])('a %s %s', async (apiVersion, kind) => {
  const deletions = await Deletions.start();
  const one = (value: string | undefined, replicas?: unknown): JsonObject =>
    labelled(apiVersion, kind, value, (replicas === undefined ? {} : { replicas }) as JsonObject);

  test.each([
    ['labelled Always', 'Always', 3],
    ['labelled Always without replicas', 'Always', 0],
    ['labelled Always and never defaulted', 'Always', undefined],
  ])('%s stays', (_what, value, replicas) => {
    const verdict = deletions.delete(one(value, replicas));
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}Always` });
    expect(verdict).not.toHaveProperty('reason');
  });

  test.each([1, 3, 2147483647])('labelled Cascading stays with %d replicas', (replicas) => {
    expect(deletions.delete(one('Cascading', replicas))).toMatchObject({
      allowed: false,
      code: 403,
      message: `${FORBIDDEN}Cascading and replicas ${replicas}>0`,
    });
  });

  test.each([
    ['labelled Cascading without replicas', one('Cascading', 0)],
    ['labelled Cascading and never defaulted', one('Cascading')],
    ['labelled Cascading with less than none', one('Cascading', -1)],
    ['without the label', one(undefined, 3)],
    ['with the label in small letters', one('always', 3)],
    ['with an empty label', one('', 3)],
    ['that is leaving already', leaving(one('Always', 3))],
    ['that is leaving already, labelled Cascading', leaving(one('Cascading', 3))],
  ])('%s goes', (_what, object) => {
    expect(deletions.delete(object)).toMatchObject({ allowed: true });
  });

  test.each<[string, JsonObject]>([
    ['in a dry run', { dryRun: true, options: { dryRun: ['All'] } }],
    ['when its pods are to stay', { options: { propagationPolicy: 'Orphan' } }],
    [
      'for the garbage collector',
      { userInfo: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' } },
    ],
  ])('labelled Cascading with replicas stays %s', (_what, parts) => {
    expect(deletions.delete(one('Cascading', 2), parts)).toMatchObject({ allowed: false, code: 403 });
  });

  test.each<[string, JsonObject]>([
    ['of which only a sub-resource is deleted', { subResource: 'scale' }],
    ['that comes without its old object', { oldObject: null }],
  ])('labelled Always goes %s', (_what, parts) => {
    expect(deletions.delete(one('Always', 2), parts)).toMatchObject({ allowed: true });
  });

  test.each<[unknown, string]>([
    ['two', 'string'],
    [1.5, 'number 1.5'],
    [2147483648, 'number 2147483648'],
    [[1], 'array'],
    [true, 'bool'],
  ])('with replicas %o cannot be read', (replicas, got) => {
    expect(deletions.delete(one('Always', replicas))).toMatchObject({
      allowed: false,
      code: 400,
      message: `json: cannot unmarshal ${got} into Go struct field ${kind}Spec.spec.replicas of type int32`,
    });
  });
});

describe('a label that protects nothing is told to whoever deletes the object', async () => {
  const deletions = await Deletions.start();

  test.each([
    [labelled('apps/v1', 'Deployment', 'always'), 'always'],
    [labelled('apps.kruise.io/v1beta1', 'CloneSet', ''), ''],
    [labelled('v1', 'Service', 'Cascading'), 'Cascading'],
  ])('%#', (object, value) => {
    const { allowed, warnings = [] } = deletions.delete(object);
    expect([allowed, warnings.length]).toEqual([true, 1]);
    expect(warnings[0]).toContain('policy.kruise.io/delete-protection');
    expect(warnings[0]).toContain(value);
  });
});

describe.each([
  ['v1', 'Service'],
  ['networking.k8s.io/v1', 'Ingress'],
  ['networking.k8s.io/v1beta1', 'Ingress'],
])('a %s %s', async (apiVersion, kind) => {
  const deletions = await Deletions.start();

  test('stays with Always', () => {
    const verdict = deletions.delete(labelled(apiVersion, kind, 'Always'));
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}Always` });
  });

  test.each([
    ['with Cascading', labelled(apiVersion, kind, 'Cascading')],
    ['without a label', labelled(apiVersion, kind, undefined)],
    ['once it is leaving', leaving(labelled(apiVersion, kind, 'Always'))],
  ])('goes %s', (_what, object) => {
    expect(deletions.delete(object)).toMatchObject({ allowed: true });
  });
});

test('an Ingress of a version that is not known goes, whatever its label says', async () => {
  const deletions = await Deletions.start();
  expect(deletions.delete(labelled('networking.k8s.io/v2', 'Ingress', 'Always'))).toMatchObject({ allowed: true });
});

describe('a request that is not what its path is for', async () => {
  const deletions = await Deletions.start();
  const deployment = labelled('apps/v1', 'Deployment', 'Always');

  test('goes if it is of another kind', () => {
    const kind = { group: 'apps', version: 'v1', kind: 'DaemonSet' };
    expect(deletions.delete(deployment, { kind })).toMatchObject({ allowed: true });
  });

  test('goes if it is an update', () => {
    expect(deletions.delete(deployment, { operation: 'UPDATE', object: deployment })).toMatchObject({ allowed: true });
  });

  test.each(['CloneSet', 'UnitedDeployment'])('is refused for a version of %s that is none', (kind) => {
    expect(deletions.delete(labelled('apps.kruise.io/v2', kind, undefined))).toMatchObject({
      allowed: false,
      code: 400,
      message: 'unsupported version: v2',
    });
  });

  test('is refused if the old object is none', () => {
    expect(deletions.delete(deployment, { oldObject: 'web' })).toMatchObject({ allowed: false, code: 400 });
  });

  test.each<[string, JsonObject, string]>([
    [
      'metadata',
      { metadata: [] as unknown as JsonObject },
      'array into Go struct field Deployment.metadata of type v1.ObjectMeta',
    ],
    [
      'labels',
      { metadata: { labels: 'x' } },
      'string into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'a label',
      { metadata: { labels: { a: 1 } } },
      'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    ['spec', { spec: 'x' }, 'string into Go struct field Deployment.spec of type DeploymentSpec'],
  ])('is refused if %s cannot be read', (_what, part, message) => {
    expect(deletions.delete(deployment, { oldObject: { ...deployment, ...part } })).toMatchObject({
      allowed: false,
      code: 400,
      message: `json: cannot unmarshal ${message}`,
    });
  });
});

describe('without the gate', async () => {
  const deletions = await Deletions.start({ ResourcesDeletionProtection: false });

  test.each([...BUILT_IN, ...KRUISE])('a %s %s goes', (apiVersion, kind) => {
    expect(deletions.delete(labelled(apiVersion, kind, 'Always', { replicas: 3 }))).toMatchObject({ allowed: true });
  });

  test('what cannot be read is refused all the same', () => {
    const broken = labelled('apps/v1', 'Deployment', 'Always', { replicas: 'two' });
    expect(deletions.delete(broken)).toMatchObject({ allowed: false, code: 400 });
  });

  test('the paths of Services and Ingresses are not served, the others are', () => {
    expect(deletions.paths()).not.toContain('/validate-service');
    expect(deletions.paths()).not.toContain('/validate-ingress');
    expect(deletions.paths()).toContain('/validate-apps-deployment');
  });
});

test('the gate of the pod webhook does not matter', async () => {
  const deletions = await Deletions.start({ ...PROTECTED, PodWebhook: false });
  expect(deletions.delete(labelled('apps/v1', 'Deployment', 'Always'))).toMatchObject({ allowed: false, code: 403 });
  expect(deletions.paths()).toContain('/validate-service');
});
