// Deletion of Namespaces: what of their content keeps them (deletion-protection.md 5, 5.1, 10).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { type FactAnswer, Policies } from '../../../evaluator/policies.ts';
import { readVerdict } from '../../support/answer.ts';
import { Deletions, FORBIDDEN, leaving } from '../../support/deletions.ts';

function namespaceWith(value: string | undefined): JsonObject {
  const labels = value === undefined ? {} : { 'policy.kruise.io/delete-protection': value };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } };
}

function content(kind: string, name: string, phase: string, namespace = 'shop'): JsonObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace }, status: { phase } };
}
const pod = (name: string, phase: string, namespace?: string) => content('Pod', name, phase, namespace);
const claim = (name: string, phase: string, namespace?: string) =>
  content('PersistentVolumeClaim', name, phase, namespace);

describe('a namespace labelled Cascading', async () => {
  const deletions = await Deletions.start();
  const judge = (...objects: JsonObject[]) => deletions.hold(...objects).delete(namespaceWith('Cascading'));

  test.each<[string, JsonObject[], string]>([
    ['a running pod', [pod('a', 'Running')], 'active pods 1>0'],
    ['a pending pod', [pod('a', 'Pending')], 'active pods 1>0'],
    [
      'a pod whose phase is not known',
      [pod('a', 'Unknown'), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b', namespace: 'shop' } }],
      'active pods 2>0',
    ],
    ['pods and claims: pods are told', [claim('c', 'Bound'), pod('a', 'Pending')], 'active pods 1>0'],
    [
      'finished pods and a bound claim',
      [pod('a', 'Succeeded'), pod('b', 'Failed'), claim('c', 'Bound')],
      '"Bound" status pvc 1>0',
    ],
    ['two bound claims', [claim('c', 'Bound'), claim('d', 'Bound'), claim('e', 'Pending')], '"Bound" status pvc 2>0'],
  ])('stays with %s', (_what, objects, reason) => {
    const verdict = judge(...objects);
    expect(verdict).toMatchObject({ allowed: false, code: 403, message: `${FORBIDDEN}Cascading and ${reason}` });
    expect(verdict).not.toHaveProperty('reason');
  });

  test.each<[string, JsonObject[]]>([
    ['nothing', []],
    ['finished pods', [pod('a', 'Succeeded'), pod('b', 'Failed')]],
    ['a pod that is leaving', [leaving(pod('a', 'Running'))]],
    [
      'claims that are not bound or are leaving',
      [claim('c', 'Pending'), claim('d', 'Lost'), leaving(claim('e', 'Bound'))],
    ],
    ['pods and claims of other namespaces', [pod('a', 'Running', 'other'), claim('c', 'Bound', 'other')]],
    [
      'other things',
      [
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'shop' } },
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd', namespace: 'shop' },
          spec: { replicas: 0 },
        },
      ],
    ],
  ])('goes with %s', (_what, objects) => {
    expect(judge(...objects)).toMatchObject({ allowed: true });
  });

  test('counts so many pods and no more', () => {
    const many = Array.from({ length: 700 }, (_, i) => pod(`p${i}`, 'Running'));
    expect(judge(...many)).toMatchObject({ message: `${FORBIDDEN}Cascading and active pods 500>0` });
  });
});

describe('a namespace with running pods', async () => {
  const deletions = (await Deletions.start()).hold(pod('a', 'Running'));

  test.each<[string, JsonObject]>([
    ['without a label', namespaceWith(undefined)],
    ['with a label in small letters', namespaceWith('cascading')],
    ['that is leaving', leaving(namespaceWith('Cascading'))],
    ['that is leaving, labelled Always', leaving(namespaceWith('Always'))],
  ])('goes %s', (_what, namespace) => {
    expect(deletions.delete(namespace)).toMatchObject({ allowed: true });
  });
});

test('an empty namespace stays with Always', async () => {
  expect((await Deletions.start()).delete(namespaceWith('Always'))).toMatchObject({
    allowed: false,
    code: 403,
    message: `${FORBIDDEN}Always`,
  });
});

test('without the gate every namespace goes', async () => {
  const deletions = (await Deletions.start({})).hold(pod('a', 'Running'));
  expect(deletions.delete(namespaceWith('Always'))).toMatchObject({ allowed: true });
});

describe('a host that cannot count, or answers with no count,', async () => {
  const policies = await Policies.load();
  policies.configure({ gates: new Map([['ResourcesDeletionProtection', true]]), systemNamespace: 'kruise-system' });
  const request: JsonObject = {
    uid: 'u',
    kind: { group: '', version: 'v1', kind: 'Namespace' },
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    operation: 'DELETE',
    oldObject: namespaceWith('Cascading'),
  };
  const body = new TextEncoder().encode(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
  );

  test.each<[string, string, string, FactAnswer, string]>([
    ['pods', 'Pod', 'pods', { error: 'timed out' }, 'timed out'],
    ['claims', 'PersistentVolumeClaim', 'pvc', { error: 'timed out' }, 'timed out'],
    ['pods', 'Pod', 'pods', { answer: null }, 'the answer is no count'],
    ['claims', 'PersistentVolumeClaim', 'pvc', { answer: { count: '0' } }, 'the answer is no count'],
  ])('keeps the namespace: %s', (_what, failing, list, answer, error) => {
    const bytes = policies.review('/validate-namespace', body, 0, {
      answer: (question) =>
        'count' in question && question.count.kind === failing ? answer : { answer: { count: 0, names: [] } },
      commit: () => ({ error: 'nothing is written here' }),
    });
    expect(readVerdict(request, bytes)).toMatchObject({
      allowed: false,
      code: 403,
      message: `forbidden by ResourcesProtectionDeletion for list ${list} error: ${error}`,
    });
  });
});
