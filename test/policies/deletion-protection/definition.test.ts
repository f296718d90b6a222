// Deletion of CustomResourceDefinitions: while objects of them live (deletion-protection.md 5.2, 10).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { type Facts, Policies, type Question } from '../../../evaluator/policies.ts';
import { readVerdict } from '../../support/answer.ts';
import { Deletions, FORBIDDEN, leaving, PROTECTED } from '../../support/deletions.ts';

type Version = { name: string; served: boolean; storage: boolean };
const V1: Version = { name: 'v1', served: true, storage: true };

function definition(value: string | undefined, versions: Version[] = [V1], api = 'v1'): JsonObject {
  const labels = value === undefined ? {} : { 'policy.kruise.io/delete-protection': value };
  const names = { kind: 'Tenant', listKind: 'TenantList', plural: 'tenants', singular: 'tenant' };
  return {
    apiVersion: `apiextensions.k8s.io/${api}`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tenants.example.com', labels },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  };
}

function tenant(name: string, namespace: string, version = 'v1'): JsonObject {
  return { apiVersion: `example.com/${version}`, kind: 'Tenant', metadata: { name, namespace } };
}

describe('a definition labelled Cascading', async () => {
  const deletions = await Deletions.start();
  const judge = (...objects: JsonObject[]) => deletions.hold(...objects).delete(definition('Cascading'));

  test.each<[string, JsonObject[], number]>([
    ['one object', [tenant('a', 'x')], 1],
    ['objects in two namespaces', [tenant('a', 'x'), tenant('a', 'y')], 2],
    ['objects of two versions', [tenant('a', 'x', 'v1'), tenant('b', 'x', 'v2')], 2],
    ['a live object beside one that is leaving', [tenant('a', 'x'), leaving(tenant('b', 'x'))], 1],
  ])('stays with %s', (_what, objects, count) => {
    const verdict = judge(...objects);
    expect(verdict).toMatchObject({
      allowed: false,
      code: 403,
      message: `${FORBIDDEN}Cascading and active CRs ${count}>0`,
    });
    expect(verdict).not.toHaveProperty('reason');
  });

  test.each<[string, JsonObject[]]>([
    ['no object', []],
    ['objects that are leaving', [leaving(tenant('a', 'x'))]],
    [
      'objects of other kinds and groups',
      [
        { ...tenant('a', 'x'), kind: 'Owner' },
        { ...tenant('a', 'x'), apiVersion: 'example.org/v1' },
      ],
    ],
  ])('goes with %s', (_what, objects) => {
    expect(judge(...objects)).toMatchObject({ allowed: true });
  });
});

describe('a definition with an object', async () => {
  const deletions = (await Deletions.start()).hold(tenant('a', 'x'));

  test.each<[string, JsonObject]>([
    ['without a label', definition(undefined)],
    ['with another label', definition('Protected')],
    ['that is leaving', leaving(definition('Cascading'))],
    ['of an API that is not known', definition('Always', [V1], 'v2')],
  ])('goes %s', (_what, object) => {
    expect(deletions.delete(object)).toMatchObject({ allowed: true });
  });

  test.each(['v1', 'v1beta1'])('stays with Always in %s', (api) => {
    const verdict = deletions.delete(definition('Always', [V1], api));
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}Always` });
  });
});

describe('objects are counted', async () => {
  const policies = await Policies.load();
  policies.configure({ gates: new Map(Object.entries(PROTECTED)), systemNamespace: 'kruise-system' });
  const judge = (object: JsonObject, answer: Facts) => {
    const request: JsonObject = {
      uid: 'u',
      kind: { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
      operation: 'DELETE',
      oldObject: object,
    };
    const review = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    const commit = () => ({ error: 'nothing is written here' });
    const cluster = { answer, commit };
    return readVerdict(
      request,
      policies.review('/validate-customresourcedefinition', new TextEncoder().encode(review), 0, cluster),
    );
  };

  test.each<[string, Version[], string]>([
    [
      'in the version in which they are stored',
      [
        { name: 'v1', served: true, storage: false },
        { name: 'v2', served: true, storage: true },
      ],
      'v2',
    ],
    [
      'in another if that is not served',
      [
        { name: 'v2', served: false, storage: true },
        { name: 'v1', served: true, storage: false },
      ],
      'v1',
    ],
  ])('%s, in all namespaces, up to a bound', (_what, versions, version) => {
    const asked: Question[] = [];
    const verdict = judge(definition('Cascading', versions), (question) => {
      asked.push(question);
      return { answer: { count: 0, names: [] } };
    });
    expect(verdict.allowed).toBe(true);
    expect(asked).toEqual([
      { count: { apiVersion: `example.com/${version}`, kind: 'Tenant', where: 'live', limit: 500 } },
    ]);
  });

  test('and a host that cannot do so keeps the definition', () => {
    expect(judge(definition('Cascading'), () => ({ error: 'forbidden' }))).toMatchObject({
      allowed: false,
      code: 403,
      message: 'failed to list CRs of example.com/v1, Kind=TenantList: forbidden',
    });
  });

  test.each<[string, Version[]]>([
    ['no version', []],
    ['no served version', [{ name: 'v1', served: false, storage: true }]],
  ])('not at all with %s, and the definition stays', (_what, versions) => {
    const verdict = judge(definition('Cascading', versions), () => {
      throw new Error('nothing is asked');
    });
    expect(verdict).toMatchObject({
      allowed: false,
      code: 403,
      message: expect.stringContaining('failed to list CRs'),
    });
  });
});

describe('without the gate of definitions', async () => {
  const deletions = await Deletions.start({ ...PROTECTED, DeletionProtectionForCRDCascadingGate: false });

  test('Cascading keeps every definition and says what to do', () => {
    const { allowed, code, message } = deletions.delete(definition('Cascading'));
    expect([allowed, code]).toEqual([false, 403]);
    expect(message).toMatch(/DeletionProtectionForCRDCascadingGate.*enable it or change the label/);
  });

  test('Always keeps it as ever', () => {
    expect(deletions.delete(definition('Always'))).toMatchObject({ message: `${FORBIDDEN}Always` });
  });
});

test('without the main gate every definition goes', async () => {
  const deletions = await Deletions.start({ DeletionProtectionForCRDCascadingGate: true });
  expect(deletions.hold(tenant('a', 'x')).delete(definition('Cascading'))).toMatchObject({ allowed: true });
});
