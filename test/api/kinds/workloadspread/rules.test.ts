// Rules for WorkloadSpreads, value by value (workloadspread.md 2).
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { configuration } from '../../../support/builders/policies.ts';
import { fieldErrorsOf } from '../../../support/compare/field-errors.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const admission = await KindAdmission.start();
const errorsIn = (object: JsonObject) => {
  const v = admission.validate(object);
  return v.allowed ? [] : v.code === 400 ? fieldErrorsOf(v.message ?? '') : [`${v.code} ${v.message}`];
};
const wl = (name: string) => ({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name });
const ws = (spec: JsonObject, metadata: JsonObject = {}, api = 'v1beta1') => ({
  apiVersion: `apps.kruise.io/${api}`,
  kind: 'WorkloadSpread',
  metadata: { name: 'w', namespace: 'n', ...metadata },
  spec: { targetRef: wl('c'), ...spec },
});
const sub = (...maxes: Json[]) => ({
  subsets: maxes.map((m, i) => ({ name: `s${i}`, ...(m !== null && { maxReplicas: m }) })),
});
const one = (more: JsonObject) => ({ subsets: [{ name: 'a', ...more }] });
const short = (e: string[]) => e.map((x) => x.replace(/^([^:]+: [A-Za-z ]+).*/, '$1'));

describe('a spread', () => {
  test.each<[string, JsonObject, string[]]>([
    ['none', { subsets: [] }, ['spec.subsets: Required value']],
    ['null', { subsets: null }, ['spec.subsets: Required value']],
    [
      'names',
      { subsets: [{ name: '' }, { name: 'b' }, { name: 'b' }, { name: '' }] },
      [
        'spec.subsets[0].name: Invalid value',
        'spec.subsets[2].name: Invalid value',
        'spec.subsets[3].name: Invalid value',
      ],
    ],
    ['type mix after nil', sub(null, 3, '50%'), ['spec.subsets[2].maxReplicas: Invalid value']],
    ['type mix string first', sub('50%', null, 3), ['spec.subsets[2].maxReplicas: Invalid value']],
    ['ints any sum', sub(100, 200, 300), []],
    ['percent equals 100 with open', sub('50%', '50%', null), []],
    ['percent 100 closed', sub('50%', '50%'), []],
    ['percent 101', sub('50%', '51%', null), ['spec.subsets[1].maxReplicas: Invalid value']],
    ['single percent < 100', sub('50%'), ['spec.subsets[0].maxReplicas: Invalid value']],
    ['single percent 100', sub('100%'), []],
    [
      'percent with open in the middle, closed last',
      sub('50%', null, '20%'),
      ['spec.subsets[0].maxReplicas: Invalid value'],
    ],
    ['over 100 alone', sub('101%', null), ['spec.subsets[0].maxReplicas: Invalid value']],
    ['0%', sub('0%'), ['spec.subsets[0].maxReplicas: Invalid value']],
    ['0', sub(0), []],
    ['text', sub('abc', null), ['spec.subsets[0].maxReplicas: Invalid value']],
    ['empty text', sub('', null), ['spec.subsets[0].maxReplicas: Invalid value']],
    ['just %', sub('%', null), ['spec.subsets[0].maxReplicas: Invalid value']],
    [
      'stop at first bad, then schedule',
      { ...sub(-1, -2), scheduleStrategy: { type: 'Foo' } },
      ['spec.subsets[0].maxReplicas: Invalid value', 'spec.scheduleStrategy.type: Invalid value'],
    ],
    [
      'sts percent',
      { targetRef: { ...wl('c'), kind: 'StatefulSet' }, ...sub('50%', null) },
      ['spec.subsets[0].maxReplicas: Invalid value'],
    ],
    ['sts ints', { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'x' }, ...sub(5, null) }, []],
    [
      'adaptive with Fixed',
      { ...sub(1, null), scheduleStrategy: { type: 'Fixed', adaptive: {} } },
      ['spec.scheduleStrategy.type: Invalid value'],
    ],
    [
      'adaptive with empty',
      { ...sub(1, null), scheduleStrategy: { adaptive: { rescheduleCriticalSeconds: 5 } } },
      ['spec.scheduleStrategy.type: Invalid value'],
    ],
    ['Adaptive without adaptive', { ...sub(1, 2), scheduleStrategy: { type: 'Adaptive' } }, []],
    [
      'last closed',
      { ...sub(1, 2), scheduleStrategy: { type: 'Adaptive', adaptive: {} } },
      ['spec.scheduleStrategy.adaptive: Invalid value'],
    ],
    ['one closed', { ...sub(1), scheduleStrategy: { type: 'Adaptive', adaptive: {} } }, []],
    [
      '2: 295',
      { ...sub(1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 295 } } },
      [],
    ],
    [
      '2: 296',
      { ...sub(1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 296 } } },
      ['spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid value'],
    ],
    [
      '4: 98',
      { ...sub(1, 1, 1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 98 } } },
      [],
    ],
    [
      '4: 99',
      { ...sub(1, 1, 1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 99 } } },
      ['spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid value'],
    ],
    [
      '6: 59',
      {
        ...sub(1, 1, 1, 1, 1, null),
        scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 59 } },
      },
      [],
    ],
    [
      'negative',
      { ...sub(1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: -1 } } },
      ['spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid value'],
    ],
    [
      'zero',
      { ...sub(1, null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 0 } } },
      [],
    ],
    [
      '1: max',
      { ...sub(null), scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 2147483647 } } },
      [],
    ],
    [
      'wrong everything',
      { ...sub(1, 2), scheduleStrategy: { type: 'Fixed', adaptive: { rescheduleCriticalSeconds: 999 } } },
      [
        'spec.scheduleStrategy.type: Invalid value',
        'spec.scheduleStrategy.adaptive: Invalid value',
        'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid value',
      ],
    ],
    [
      'filter operator',
      { ...sub(null), targetFilter: { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } },
      ['spec.targetFilter: Invalid value'],
    ],
    ['filter empty', { ...sub(null), targetFilter: {} }, []],
    [
      'filter bad value',
      { ...sub(null), targetFilter: { selector: { matchLabels: { a: 'x y' } } } },
      ['spec.targetFilter: Invalid value'],
    ],
    [
      'Gt two',
      one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values: Required value'],
    ],
    [
      'Gt none',
      one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'Lt' }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values: Required value'],
    ],
    ['Gt text', one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] } }), []],
    [
      'In none',
      one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values: Required value'],
    ],
    [
      'Exists values',
      one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values: Forbidden'],
    ],
    [
      'strict value',
      one({ requiredNodeSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b c'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values[0]: Invalid value'],
    ],
    ['empty term', one({ requiredNodeSelector: {} }), []],
    [
      'fields',
      one({ requiredNodeSelector: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] } }),
      [],
    ],
    [
      'fields two',
      one({ requiredNodeSelector: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchFields[0].values: Required value'],
    ],
    [
      'fields key',
      one({ requiredNodeSelector: { matchFields: [{ key: 'metadata.namespace', operator: 'In', values: ['n1'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchFields[0].key: Invalid value'],
    ],
    [
      'fields name',
      one({ requiredNodeSelector: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['N_1'] }] } }),
      ['spec.subsets[0].requiredNodeSelector.matchFields[0].values[0]: Invalid value'],
    ],
    [
      'weights',
      one({
        preferredNodeSelector: [
          { weight: 0, preference: {} },
          { weight: 101, preference: {} },
          { weight: 100, preference: {} },
        ],
      }),
      [
        'spec.subsets[0].preferredNodeSelector[0].weight: Invalid value',
        'spec.subsets[0].preferredNodeSelector[1].weight: Invalid value',
      ],
    ],
    [
      'preferred value free',
      one({
        preferredNodeSelector: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } },
        ],
      }),
      [],
    ],
    [
      'preferred op',
      one({
        preferredNodeSelector: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } },
        ],
      }),
      ['spec.subsets[0].preferredNodeSelector[0].preference.matchExpressions[0].operator: Invalid value'],
    ],
    [
      'toleration: empty key Equal',
      one({ tolerations: [{ operator: 'Equal', value: 'x' }] }),
      ['spec.subsets[0].tolerations[0].operator: Invalid value'],
    ],
    ['toleration: empty key Exists', one({ tolerations: [{ operator: 'Exists' }] }), []],
    [
      'toleration: seconds',
      one({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] }),
      ['spec.subsets[0].tolerations[0].effect: Invalid value'],
    ],
    [
      'toleration: exists value',
      one({ tolerations: [{ key: 'a', operator: 'Exists', value: 'v' }] }),
      ['spec.subsets[0].tolerations[0].operator: Invalid value'],
    ],
    [
      'toleration: effect',
      one({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] }),
      ['spec.subsets[0].tolerations[0].effect: Unsupported value'],
    ],
    [
      'toleration: op',
      one({ tolerations: [{ key: 'a', operator: 'Like' }] }),
      ['spec.subsets[0].tolerations[0].operator: Unsupported value'],
    ],
    [
      'toleration: value',
      one({ tolerations: [{ key: 'a', value: 'x y' }] }),
      ['spec.subsets[0].tolerations[0].operator: Invalid value'],
    ],
    [
      'toleration: key',
      one({ tolerations: [{ key: 'a b', operator: 'Exists' }] }),
      ['spec.subsets[0].tolerations[0].key: Invalid value'],
    ],
    ['patch without workload', one({ patch: { spec: { containers: 'x' } } }), []],
  ])('%s', (_what, spec, expected) => {
    admission.hold();
    expect(short(errorsIn(ws(spec)))).toEqual(expected);
  });
  test('targets', () => {
    admission.hold();
    const t = (apiVersion: string, kind: string) =>
      short(errorsIn(ws({ targetRef: { apiVersion, kind, name: 'x' }, ...sub(null) })));
    for (const [a, k] of [
      ['apps/v1', 'Deployment'],
      ['apps/v1beta1', 'ReplicaSet'],
      ['batch/v1', 'Job'],
      ['apps/v1', 'StatefulSet'],
      ['apps.kruise.io/v1alpha1', 'StatefulSet'],
      ['apps.kruise.io/v1', 'CloneSet'],
    ] as const)
      expect(t(a, k), k).toEqual([]);
    for (const [a, k] of [
      ['extensions/v1beta1', 'Deployment'],
      ['v1', 'ReplicaSet'],
      ['batch.x/v1', 'Job'],
      ['x/v1', 'StatefulSet'],
      ['apps/v1', 'CloneSet'],
      ['v1', 'ReplicationController'],
      ['apps.kruise.io/v1beta1', 'DaemonSet'],
      ['apps.kruise.io/v1beta1', 'UnitedDeployment'],
      ['apps/v1', 'deployment'],
    ] as const)
      expect(t(a, k), k).toEqual(['spec.targetRef: Invalid value']);
    admission.hold(
      configuration({
        WorkloadSpread_Watch_Custom_Workload_WhiteList:
          '{"workloads":[{"Group":"x.io","Kind":"T","subResources":[{"Group":"y.io","Kind":"U"}]}]}',
      }),
    );
    expect(t('x.io/v9', 'T')).toEqual([]);
    expect(t('y.io/v1', 'U')).toEqual(['spec.targetRef: Invalid value']);
    admission.hold(configuration({ WorkloadSpread_Watch_Custom_Workload_WhiteList: '{' }));
    expect(t('x.io/v9', 'T')).toEqual(['spec.targetRef: Internal error']);
  });
  test('conflict with a terminating one, filter does not matter', () => {
    admission.hold(
      ws(
        { ...sub(null), targetFilter: { selector: { matchLabels: { a: 'b' } } } },
        { name: 'o', deletionTimestamp: '2026-07-01T00:00:00Z' },
      ),
    );
    expect(short(errorsIn(ws(sub(null))))).toEqual(['spec.targetRef: Invalid value']);
    admission.hold(ws(sub(null), { name: 'o', namespace: 'm' }));
    expect(errorsIn(ws(sub(null)))).toEqual([]);
  });
});
