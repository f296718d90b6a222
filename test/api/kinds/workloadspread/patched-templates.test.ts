// What patches of subsets are held against: the template of exactly the workload that is named (workloadspread.md 2.3).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { fieldErrorsOf } from '../../../support/compare/field-errors.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const admission = await KindAdmission.start();
const template = (spec: JsonObject = {}) => ({
  metadata: { labels: { app: 'a' } },
  spec: {
    containers: [{ name: 'main', image: 'i:1', env: [{ name: 'A', value: '1' }], ...(spec.container as JsonObject) }],
    ...(spec.more as JsonObject),
  },
});
const work = (apiVersion: string, kind: string, spec: JsonObject = {}, t = template()) => ({
  apiVersion,
  kind,
  metadata: { name: 'c', namespace: 'n', uid: 'u' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'a' } }, template: t, ...spec },
});
const ws = (target: [string, string], patch: unknown) => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name: 'w', namespace: 'n' },
  spec: {
    targetRef: { apiVersion: target[0], kind: target[1], name: 'c' },
    subsets: [{ name: 'a', patch: patch as JsonObject }],
  },
});
const K = 'apps.kruise.io/v1beta1';
const P = 'spec.subsets[0].patch';
const main = (more: JsonObject) => ({ spec: { containers: [{ name: 'main', ...more }] } });
test.each<[string, JsonObject[], [string, string], unknown, string[]]>([
  [
    'pull policy on a Deployment',
    [work('apps/v1', 'Deployment')],
    ['apps/v1', 'Deployment'],
    main({ imagePullPolicy: 'Often' }),
    [`${P}.containers[0].imagePullPolicy: Unsupported value`],
  ],
  [
    'Job',
    [work('batch/v1', 'Job', {}, template({ more: { restartPolicy: 'Never' } }))],
    ['batch/v1', 'Job'],
    main({ imagePullPolicy: 'Often' }),
    [`${P}.containers[0].imagePullPolicy: Unsupported value`],
  ],
  [
    'ReplicaSet',
    [work('apps/v1', 'ReplicaSet')],
    ['apps/v1', 'ReplicaSet'],
    { spec: { restartPolicy: 'Sometimes' } },
    [`${P}.restartPolicy: Unsupported value`],
  ],
  [
    'new container without image',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { containers: [{ name: 'x' }] } },
    [`${P}.containers[0].image: Required value`],
  ],
  [
    'undeclared mount',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    [`${P}.containers[0].volumeMounts[0].name: Not found`],
  ],
  [
    'mount of a claim of a CloneSet',
    [work(K, 'CloneSet', { volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: {} }] })],
    [K, 'CloneSet'],
    main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    [],
  ],
  [
    'mount of a claim of a StatefulSet',
    [work('apps/v1', 'StatefulSet', { volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: {} }] })],
    ['apps/v1', 'StatefulSet'],
    main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    [],
  ],
  [
    'mount of a claim of an Advanced StatefulSet',
    [work(K, 'StatefulSet', { volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: {} }] })],
    [K, 'StatefulSet'],
    main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    [],
  ],
  [
    'Advanced StatefulSet, native of that name',
    [work('apps/v1', 'StatefulSet')],
    [K, 'StatefulSet'],
    main({ imagePullPolicy: 'Often' }),
    [],
  ],
  [
    'StatefulSet, advanced of that name',
    [work(K, 'StatefulSet')],
    ['apps/v1', 'StatefulSet'],
    main({ imagePullPolicy: 'Often' }),
    [],
  ],
  [
    'v1alpha1 target',
    [work(K, 'CloneSet')],
    ['apps.kruise.io/v1alpha1', 'CloneSet'],
    main({ imagePullPolicy: 'Often' }),
    [`${P}.containers[0].imagePullPolicy: Unsupported value`],
  ],
  [
    'no key',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { containers: [{ image: 'x' }] } },
    [`${P}: Invalid value`],
  ],
  ['labels only', [work(K, 'CloneSet')], [K, 'CloneSet'], { metadata: { labels: { 'not ok!': 'x y' } } }, []],
  [
    'bad toleration',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { tolerations: [{ operator: 'Equal', value: 'x' }] } },
    [`${P}.tolerations[0].operator: Invalid value`],
  ],
  [
    'request over limit',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    main({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    [`${P}.containers[0].resources.requests: Invalid value`],
  ],
  [
    'priority class name',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { priorityClassName: 'Low_1' } },
    [`${P}.priorityClassName: Invalid value`],
  ],
  [
    'all containers deleted',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { containers: [{ name: 'main', $patch: 'delete' }] } },
    [`${P}.containers: Required value`],
  ],
  [
    'topology',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 0, whenUnsatisfiable: 'DoNotSchedule' }] } },
    [`${P}.topologySpreadConstraints[0].maxSkew: Invalid value`],
  ],
  ['empty patch', [work(K, 'CloneSet')], [K, 'CloneSet'], {}, []],
  ['text', [work(K, 'CloneSet')], [K, 'CloneSet'], 'x', [`${P}: Invalid value`]],
  [
    'env type',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    main({ env: [{ name: 'A', value: 1 }] }),
    [`${P}: Invalid value`],
  ],
  [
    'active deadline',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { activeDeadlineSeconds: 0 } },
    [`${P}.activeDeadlineSeconds: Invalid value`],
  ],
  [
    'two subsets of errors',
    [work(K, 'CloneSet')],
    [K, 'CloneSet'],
    { spec: { dnsPolicy: 'Foo', hostAliases: [{ ip: 'x' }] } },
    [`${P}.dnsPolicy: Unsupported value`, `${P}.hostAliases[0].ip: Invalid value`],
  ],
])('a patch: %s', (_what, objects, target, patch, expected) => {
  admission.hold(...objects);
  const v = admission.validate(ws(target, patch));
  expect((v.allowed ? [] : fieldErrorsOf(v.message ?? '')).sort()).toEqual(expected.sort());
});
