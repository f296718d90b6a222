// What keeps an object of each protected kind from being deleted, value by value (deletion-protection.md 4 to 6).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { Deletions, FORBIDDEN, labelled, leaving, PROTECTED } from '../../support/deletions.ts';

const on = await Deletions.start();
const off = await Deletions.start({});
const noPod = await Deletions.start({ ...PROTECTED, PodWebhook: false });
const crdOnly = await Deletions.start({ DeletionProtectionForCRDCascadingGate: true });
const KINDS: [string, string][] = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ReplicaSet'],
  ['apps/v1', 'StatefulSet'],
  ['apps.kruise.io/v1alpha1', 'CloneSet'],
  ['apps.kruise.io/v1beta1', 'CloneSet'],
  ['apps.kruise.io/v1alpha1', 'StatefulSet'],
  ['apps.kruise.io/v1beta1', 'StatefulSet'],
  ['apps.kruise.io/v1alpha1', 'UnitedDeployment'],
  ['apps.kruise.io/v1beta1', 'UnitedDeployment'],
];
describe.each(KINDS)('%s %s', (api, kind) => {
  const v = (d: Deletions, o: JsonObject, parts: JsonObject = {}) => {
    const r = d.hold().delete(o, parts);
    return r.allowed ? 'ok' : `${r.code} ${r.message}`;
  };
  const casc = (n: number) => `403 ${FORBIDDEN}Cascading and replicas ${n}>0`;
  test('values', () => {
    expect(v(on, labelled(api, kind, 'Always', { replicas: 3 }))).toBe(`403 ${FORBIDDEN}Always`);
    expect(v(on, labelled(api, kind, 'Always', {}))).toBe(`403 ${FORBIDDEN}Always`);
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: 1 }))).toBe(casc(1));
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: 2147483647 }))).toBe(casc(2147483647));
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: 0 }))).toBe('ok');
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: null }))).toBe('ok');
    expect(v(on, labelled(api, kind, 'Cascading', {}))).toBe('ok');
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: -1 }))).toBe('ok');
    for (const odd of ['always', 'ALWAYS', 'cascading', '', ' Always', 'Always ', 'true', 'Foo', undefined])
      expect(v(on, labelled(api, kind, odd, { replicas: 3 })), String(odd)).toBe('ok');
    expect(v(on, leaving(labelled(api, kind, 'Always', { replicas: 3 })))).toBe('ok');
    expect(v(on, leaving(labelled(api, kind, 'Cascading', { replicas: 3 })))).toBe('ok');
    expect(v(off, labelled(api, kind, 'Always', { replicas: 3 }))).toBe('ok');
    expect(v(crdOnly, labelled(api, kind, 'Always', { replicas: 3 }))).toBe('ok');
    expect(v(noPod, labelled(api, kind, 'Cascading', { replicas: 3 }))).toBe(casc(3));
  });
  test('requests', () => {
    const o = labelled(api, kind, 'Cascading', { replicas: 2 });
    for (const parts of [
      { dryRun: true },
      { options: { dryRun: ['All'] } },
      { options: { propagationPolicy: 'Orphan' } },
      { options: { propagationPolicy: 'Foreground', gracePeriodSeconds: 0 } },
      { userInfo: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' } },
      { userInfo: { username: 'system:serviceaccount:kruise-system:kruise-manager' } },
      { options: null },
    ])
      expect(v(on, o, parts as JsonObject)).toBe(casc(2));
    expect(v(on, o, { oldObject: null })).toBe('ok');
    const templ = {
      apiVersion: api,
      kind,
      metadata: { name: 'w', namespace: 'n', annotations: { 'policy.kruise.io/delete-protection': 'Always' } },
      spec: { replicas: 2, template: { metadata: { labels: { 'policy.kruise.io/delete-protection': 'Always' } } } },
    };
    expect(v(on, templ)).toBe('ok');
    expect(v(on, { ...o, status: { replicas: 5 }, spec: { replicas: 0 } })).toBe('ok');
  });
  test('undecodable', () => {
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: '2' }))).toMatch(/^400 /);
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: 1.5 }))).toMatch(/^400 /);
    expect(v(on, labelled(api, kind, 'Cascading', { replicas: 4294967296 }))).toMatch(/^400 /);
    expect(v(off, labelled(api, kind, 'Cascading', { replicas: '2' }))).toMatch(/^400 /);
    expect(v(on, { apiVersion: api, kind, metadata: { labels: { a: 1 } } })).toMatch(/^400 /);
    expect(v(on, { apiVersion: api, kind, metadata: { labels: [] as never } })).toMatch(/^400 /);
    expect(v(on, labelled(api, kind, 'Always'), { oldObject: 'x' })).toMatch(/^400 /);
    expect(v(on, labelled(api, kind, 'Always'), { oldObject: [] as never })).toMatch(/^400 /);
  });
});
describe('other kinds:', () => {
  const d = (o: JsonObject, parts: JsonObject = {}, c = on) => {
    const r = c.delete(o, parts);
    return r.allowed ? 'ok' : `${r.code} ${r.message}`;
  };
  test.each([
    ['v1', 'Service'],
    ['networking.k8s.io/v1', 'Ingress'],
    ['networking.k8s.io/v1beta1', 'Ingress'],
  ])('%s %s', (api, kind) => {
    expect(d(labelled(api, kind, 'Always'))).toBe(`403 ${FORBIDDEN}Always`);
    expect(d(labelled(api, kind, 'Cascading', { replicas: 3 }))).toBe('ok');
    expect(d(leaving(labelled(api, kind, 'Always')))).toBe('ok');
    expect(d(labelled(api, kind, 'always'))).toBe('ok');
    expect(d(labelled(api, kind, 'Always'), { operation: 'UPDATE', object: labelled(api, kind, 'Always') })).toBe('ok');
    expect(d(labelled(api, kind, 'Always'), { subResource: 'status' })).toBe('ok');
    expect(d(labelled(api, kind, 'Always'), { dryRun: true })).toBe(`403 ${FORBIDDEN}Always`);
  });
  test('ingress unknown version', () => {
    const kind = { group: 'networking.k8s.io', version: 'v2', kind: 'Ingress' };
    expect(d(labelled('networking.k8s.io/v2', 'Ingress', 'Always'))).toBe('ok');
    expect(
      d(labelled('networking.k8s.io/v1', 'Ingress', 'Always'), {
        kind,
        resource: { group: 'networking.k8s.io', version: 'v2', resource: 'ingresses' },
      }),
    ).toBe('ok');
  });
  test('deployment of another kind', () => {
    expect(
      d(labelled('apps/v1', 'Deployment', 'Always'), { kind: { group: 'apps', version: 'v1', kind: 'Scale' } }),
    ).toBe('ok');
  });
  test('paths when off', () => {
    expect(off.paths()).not.toContain('/validate-service');
    expect(off.paths()).not.toContain('/validate-ingress');
    expect(off.paths()).toContain('/validate-namespace');
    expect(off.paths()).toContain('/validate-apps-deployment');
    expect(on.paths()).toContain('/validate-service');
  });
  test('cloneset unknown version', () => {
    const k = (kind: string, version: string) => ({
      kind: { group: 'apps.kruise.io', version, kind },
      resource: { group: 'apps.kruise.io', version, resource: `${kind.toLowerCase()}s` },
    });
    expect(d(labelled('apps.kruise.io/v1beta1', 'CloneSet', undefined), k('CloneSet', 'v2'))).toBe(
      '400 unsupported version: v2',
    );
    expect(d(labelled('apps.kruise.io/v1beta1', 'UnitedDeployment', undefined), k('UnitedDeployment', 'v3'))).toBe(
      '400 unsupported version: v3',
    );
  });
  const ns = (value: string, name = 'shop') => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'policy.kruise.io/delete-protection': value } },
  });
  const pod = (name: string, phase: string | undefined, metadata: JsonObject = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', ...metadata },
    ...(phase && { status: { phase } }),
  });
  const pvc = (name: string, phase: string, metadata: JsonObject = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'shop', ...metadata },
    status: { phase },
  });
  test.each<[string, JsonObject[], string]>([
    [
      'three active of five',
      [
        pod('a', 'Running'),
        pod('b', 'Pending'),
        pod('c', undefined),
        pod('d', 'Failed'),
        pod('e', 'Running', { deletionTimestamp: 'x' }),
      ],
      `403 ${FORBIDDEN}Cascading and active pods 3>0`,
    ],
    ['bound lower case', [pvc('a', 'bound')], 'ok'],
    ['bound and leaving', [pvc('a', 'Bound', { deletionTimestamp: 'x' })], 'ok'],
    [
      'two bound one pending',
      [pvc('a', 'Bound'), pvc('b', 'Bound'), pvc('c', 'Pending')],
      `403 ${FORBIDDEN}Cascading and "Bound" status pvc 2>0`,
    ],
    ['other namespace', [pod('a', 'Running', { namespace: 'shop2' }), pvc('a', 'Bound', { namespace: 'sho' })], 'ok'],
    [
      'pods with deletionTimestamp null',
      [pod('a', 'Running', { deletionTimestamp: null })],
      `403 ${FORBIDDEN}Cascading and active pods 1>0`,
    ],
  ])('namespace: %s', (_what, objects, expected) => {
    on.hold(...objects);
    expect(d(ns('Cascading'))).toBe(expected);
  });
  test('namespace: subresource finalize', () => {
    on.hold(pod('a', 'Running'));
    expect(d(ns('Always'), { subResource: 'finalize' })).toBe('ok');
  });
  test('namespace off', () => {
    off.hold(pod('a', 'Running'));
    expect(d(ns('Cascading'), {}, off)).toBe('ok');
    expect(d(ns('Always'), {}, off)).toBe('ok');
  });
  test('namespace noPod', () => {
    noPod.hold(pod('a', 'Running'));
    expect(d(ns('Cascading'), {}, noPod)).toBe(`403 ${FORBIDDEN}Cascading and active pods 1>0`);
  });
});
