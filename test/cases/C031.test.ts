// C031: a CRD was removed, and all its objects and tenants with it (cruise-automation/k-rail PR 98,
// kubesphere/kubesphere#3772, projectcapsule/capsule#1181, openkruise/kruise PR #1365).
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { Deletions, FORBIDDEN, PROTECTED } from '../support/deletions.ts';
import { fieldCase } from '../support/field-case.ts';

const { objects, request } = fieldCase('C031');
const { oldObject, ...parts } = request;
const definition = (oldObject ?? objects.find(({ kind }) => kind === 'CustomResourceDefinition')) as JsonObject;
const tenants = objects.filter(({ kind }) => kind === 'Tenant');
const leaving = tenants.filter(({ metadata }) => isObject(metadata) && metadata.deletionTimestamp !== undefined);

describe('the definition', async () => {
  const deletions = await Deletions.start();

  test('stays for its live objects, of all namespaces', () => {
    const verdict = deletions.hold(...objects).delete(definition, parts);
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}Cascading and active CRs 2>0` });
  });

  test.each([
    ['objects that are leaving', leaving],
    ['no objects', []],
  ])('goes with %s', (_what, cluster) => {
    expect(deletions.hold(...cluster).delete(definition, parts)).toMatchObject({ allowed: true });
  });

  test('stays without any object if it is labelled Always', () => {
    const metadata = definition.metadata as JsonObject;
    const always = {
      ...definition,
      metadata: { ...metadata, labels: { 'policy.kruise.io/delete-protection': 'Always' } },
    };
    expect(deletions.hold().delete(always, parts)).toMatchObject({ allowed: false, message: `${FORBIDDEN}Always` });
  });

  test('stays for 20,000 objects, of which no more are counted than are told', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      apiVersion: 'platform.example.com/v1',
      kind: 'Tenant',
      metadata: { name: `tenant-${i}`, namespace: 't1' },
    }));
    const { message } = deletions.hold(...many).delete(definition, parts);
    expect(message).toBe(`${FORBIDDEN}Cascading and active CRs 500>0`);
  });
});

test('without its own gate the definition stays whatever it holds, and the gate is named', async () => {
  const gates = { ...PROTECTED, DeletionProtectionForCRDCascadingGate: false };
  const verdict = (await Deletions.start(gates)).hold().delete(definition, parts);
  expect(verdict).toMatchObject({
    allowed: false,
    code: 403,
    message: expect.stringContaining('DeletionProtectionForCRDCascadingGate'),
  });
});
