// C029: a namespace with data volumes but no running pods could be deleted (openkruise/kruise#1223, PR #1228).
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { Deletions, FORBIDDEN, leaving, PROTECTED } from '../support/deletions.ts';
import { fieldCase } from '../support/field-case.ts';

const { objects, request } = fieldCase('C029');
const { oldObject, ...parts } = request;
const ledger = oldObject as JsonObject;

function named(name: string): JsonObject {
  const found = objects.find(({ metadata }) => isObject(metadata) && metadata.name === name);
  if (found === undefined) throw new Error(`the case has no ${name}`);
  return found;
}

function labelled(value: string): JsonObject {
  const metadata = ledger.metadata as JsonObject;
  return { ...ledger, metadata: { ...metadata, labels: { 'policy.kruise.io/delete-protection': value } } };
}

const running: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'ledger' },
  status: { phase: 'Running' },
};

describe('the namespace', async () => {
  const deletions = await Deletions.start();

  test.each<[string, JsonObject[], JsonObject, string]>([
    ['stays for its bound claim', objects, ledger, 'Cascading and "Bound" status pvc 1>0'],
    ['stays for a running pod, which is told first', [...objects, running], ledger, 'Cascading and active pods 1>0'],
    ['stays empty if it is labelled Always', [], labelled('Always'), 'Always'],
  ])('%s', (_what, cluster, object, reason) => {
    const verdict = deletions.hold(...cluster).delete(object, parts);
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}${reason}` });
  });

  test.each<[string, JsonObject[], JsonObject]>([
    ['that only the pending claim is left in', [named('data-1')], ledger],
    ['whose bound claim is leaving', [leaving(named('data-0'))], ledger],
    ['that is leaving itself', objects, leaving(ledger)],
  ])('%s goes', (_what, cluster, object) => {
    expect(deletions.hold(...cluster).delete(object, parts)).toMatchObject({ allowed: true });
  });

  test('with the label in small letters goes, and the label is told to protect nothing', () => {
    const { allowed, warnings } = deletions.hold(...objects).delete(labelled('cascading'), parts);
    expect([allowed, warnings]).toEqual([true, [expect.stringContaining('protects nothing: cascading')]]);
  });

  test('stays in a dry run as well', () => {
    expect(deletions.hold(...objects).delete(ledger, { ...parts, dryRun: true })).toMatchObject({ code: 403 });
  });
});

test('without the gate the namespace goes', async () => {
  const deletions = (await Deletions.start({ ...PROTECTED, ResourcesDeletionProtection: false })).hold(...objects);
  expect(deletions.delete(ledger, parts)).toMatchObject({ allowed: true });
});
