// Rules for PodUnavailableBudgets, value by value, and the whole table of selectors that overlap (podunavailablebudget.md 1.7
// and 1.8).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { fieldErrorsOf } from '../../../support/compare/field-errors.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const admission = await KindAdmission.start({ PodUnavailableBudgetUpdateGate: true });
const selector = { matchLabels: { app: 'a' } };
const TOTAL = 'pub.kruise.io/protect-total-replicas';
const OPS = 'kruise.io/pub-protect-operations';
const pub = (spec: JsonObject, metadata: JsonObject = {}, api = 'v1beta1') => ({
  apiVersion: `policy.kruise.io/${api}`,
  kind: 'PodUnavailableBudget',
  metadata: { name: 'p', namespace: 'n', ...metadata },
  spec,
});
const errorsIn = (object: JsonObject, old?: JsonObject) => {
  const v = admission.validate(object, old);
  return v.allowed ? [] : v.code === 400 ? fieldErrorsOf(v.message ?? '') : [`${v.code} ${v.message}`];
};
const A = `metadata.annotations[${TOTAL}]: Invalid value`;

describe('a budget', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['annotation alone', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '3' } }, []],
    ['negative annotation', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '-3' } }, []],
    ['plus', { selector, maxUnavailable: 1, protectTotalReplicas: 5 }, { annotations: { [TOTAL]: '+5' } }, [A]],
    ['plus alone', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '+5' } }, []],
    ['minus zero', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '-0' } }, []],
    [
      'max',
      { selector, maxUnavailable: 1, protectTotalReplicas: 2147483647 },
      { annotations: { [TOTAL]: '2147483647' } },
      [],
    ],
    ['min', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '-2147483648' } }, []],
    ['below', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '-2147483649' } }, [A]],
    ['blank', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: ' 5' } }, [A]],
    ['hex', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '0x5' } }, [A]],
    ['underscore', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '1_0' } }, [A]],
    ['exponent', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '1e1' } }, [A]],
    ['leading zeros alone', { selector, maxUnavailable: 1 }, { annotations: { [TOTAL]: '0005' } }, []],
    [
      'target incomplete and malformed',
      { targetRef: { apiVersion: 'a/b/c', kind: '', name: 'x' }, maxUnavailable: 1 },
      {},
      ['spec.targetRef: Invalid value', 'spec.targetRef: Invalid value'],
    ],
    ['target empty', { targetRef: {}, maxUnavailable: 1 }, {}, ['spec.targetRef: Invalid value']],
    [
      'target no apiVersion',
      { targetRef: { kind: 'K', name: 'x' }, maxUnavailable: 1 },
      {},
      ['spec.targetRef: Invalid value'],
    ],
    [
      'target core',
      { targetRef: { apiVersion: 'v1', kind: 'ReplicationController', name: 'x' }, maxUnavailable: 1 },
      {},
      [],
    ],
    ['target any kind', { targetRef: { apiVersion: 'x.y/v1', kind: 'Zzz', name: 'x' }, maxUnavailable: 1 }, {}, []],
    [
      'empty selector and target',
      { selector: {}, targetRef: { apiVersion: 'v1', kind: 'R', name: 'x' }, maxUnavailable: 1 },
      {},
      ['spec.selector, targetRef: Required value'],
    ],
    [
      'selector null, no target',
      { selector: null, maxUnavailable: 1 },
      {},
      ['spec.selector, targetRef: Required value'],
    ],
    [
      'bad operator',
      { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchExpressions[0].operator: Invalid value', 'spec.selector: Invalid value'],
    ],
    [
      'In without values',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchExpressions[0].values: Required value', 'spec.selector: Invalid value'],
    ],
    [
      'Exists with values',
      { selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchExpressions[0].values: Forbidden', 'spec.selector: Invalid value'],
    ],
    [
      'bad label value',
      { selector: { matchLabels: { a: 'x y' } }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchLabels: Invalid value', 'spec.selector: Invalid value'],
    ],
    [
      'bad label key',
      { selector: { matchLabels: { 'a b': 'x' } }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchLabels: Invalid value', 'spec.selector: Invalid value'],
    ],
    [
      'bad expression key',
      { selector: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchExpressions[0].key: Invalid value', 'spec.selector: Invalid value'],
    ],
    [
      'bad expression value',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x y'] }] }, maxUnavailable: 1 },
      {},
      ['spec.selector.matchExpressions[0].values[0]: Invalid value', 'spec.selector: Invalid value'],
    ],
    ['no budget', { selector }, {}, ['spec.maxUnavailable, minAvailable: Required value']],
    [
      'both, one bad',
      { selector, maxUnavailable: '5', minAvailable: 1 },
      {},
      ['spec.maxUnavailable, minAvailable: Required value'],
    ],
    ['leading zero percent', { selector, maxUnavailable: '05%' }, {}, []],
    ['percent with plus', { selector, maxUnavailable: '+5%' }, {}, ['spec.maxUnavailable: Invalid value']],
    ['only percent sign', { selector, maxUnavailable: '%' }, {}, ['spec.maxUnavailable: Invalid value']],
    ['decimal percent', { selector, minAvailable: '5.5%' }, {}, ['spec.minAvailable: Invalid value']],
    ['negative percent', { selector, minAvailable: '-5%' }, {}, ['spec.minAvailable: Invalid value']],
    ['empty string', { selector, minAvailable: '' }, {}, ['spec.minAvailable: Invalid value']],
    ['blank percent', { selector, minAvailable: '5 %' }, {}, ['spec.minAvailable: Invalid value']],
    ['two signs', { selector, minAvailable: '5%%' }, {}, ['spec.minAvailable: Invalid value']],
    ['huge percent', { selector, minAvailable: '99999999999999999999%' }, {}, ['spec.minAvailable: Invalid value']],
    ['100%', { selector, minAvailable: '100%' }, {}, []],
    ['000100%', { selector, minAvailable: '000100%' }, {}, []],
    ['int max', { selector, minAvailable: 2147483647 }, {}, []],
    ['negative min', { selector, minAvailable: -1 }, {}, ['spec.minAvailable: Invalid value']],
    [
      'ops',
      { selector, maxUnavailable: 1, protectOperations: ['DELETE', 'X', 'RESIZE', ''] },
      {},
      ['spec.protectOperations[1]: Unsupported value', 'spec.protectOperations[3]: Unsupported value'],
    ],
    ['ops twice', { selector, maxUnavailable: 1, protectOperations: ['DELETE', 'DELETE'] }, {}, []],
    [
      'ignored bad',
      { selector, maxUnavailable: 1, ignoredPodSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
      {},
      ['spec.ignoredPodSelector.matchExpressions[0].operator: Invalid value'],
    ],
    [
      'ignored empty lists',
      { selector, maxUnavailable: 1, ignoredPodSelector: { matchLabels: {}, matchExpressions: [] } },
      {},
      ['spec.ignoredPodSelector: Invalid value'],
    ],
    ['ignored null', { selector, maxUnavailable: 1, ignoredPodSelector: null }, {}, []],
    [
      'all at once',
      { maxUnavailable: -1, minAvailable: -1, protectOperations: ['q'], ignoredPodSelector: {} },
      { annotations: { [TOTAL]: 'x' } },
      [
        A,
        'spec.selector, targetRef: Required value',
        'spec.maxUnavailable, minAvailable: Required value',
        'spec.protectOperations[0]: Unsupported value',
        'spec.ignoredPodSelector: Invalid value',
      ],
    ],
    ['ops annotation anything', { selector, maxUnavailable: 1 }, { annotations: { [OPS]: 'foo,,' } }, []],
  ])('%s', (_what, spec, metadata, expected) => {
    admission.hold();
    expect(errorsIn(pub(spec, metadata)).map((x) => x.replace(/^([^:]+: [A-Za-z ]+).*/, '$1'))).toEqual(expected);
  });
  test.each<[string, JsonObject, boolean]>([
    ['ops', { [OPS]: ' DELETE , RESIZE,' }, true],
    ['ops lower', { [OPS]: 'delete' }, false],
    ['ops only commas', { [OPS]: ' , ,' }, true],
    ['total empty', { [TOTAL]: '' }, false],
    ['total', { [TOTAL]: '7' }, true],
    ['total 007', { [TOTAL]: '007' }, false],
    ['total x', { [TOTAL]: 'x' }, false],
    ['total +7', { [TOTAL]: '+7' }, false],
  ])('v1alpha1 %s', (_what, annotations, ok) => {
    admission.hold();
    const v = admission.validate(pub({ selector, maxUnavailable: 1 }, { annotations }, 'v1alpha1'));
    expect([v.allowed, v.code]).toEqual(ok ? [true, 200] : [false, 400]);
  });
  const E = (key: string, operator: string, ...values: string[]) => ({
    key,
    operator,
    ...(values.length && { values }),
  });
  const X = (...matchExpressions: JsonObject[]) => ({ matchExpressions });
  const L = (matchLabels: Record<string, string>) => ({ matchLabels });
  test.each<[JsonObject, JsonObject, boolean]>([
    [X(E('k', 'In', 'a')), X(E('k', 'In', 'a', 'b')), true],
    [X(E('k', 'In', 'a')), X(E('k', 'In', 'b')), false],
    [X(E('k', 'In', 'a', 'b')), X(E('k', 'NotIn', 'a')), true],
    [X(E('k', 'In', 'a')), X(E('k', 'NotIn', 'a', 'b')), false],
    [X(E('k', 'In', 'a')), X(E('k', 'Exists')), true],
    [X(E('k', 'In', 'a')), X(E('k', 'DoesNotExist')), false],
    [X(E('k', 'NotIn', 'a')), X(E('k', 'In', 'b')), true],
    [X(E('k', 'NotIn', 'a', 'b')), X(E('k', 'In', 'b')), false],
    [X(E('k', 'NotIn', 'a')), X(E('k', 'NotIn', 'b')), true],
    [X(E('k', 'NotIn', 'a')), X(E('k', 'Exists')), true],
    [X(E('k', 'NotIn', 'a')), X(E('k', 'DoesNotExist')), true],
    [X(E('k', 'Exists')), X(E('k', 'In', 'a')), true],
    [X(E('k', 'Exists')), X(E('k', 'NotIn', 'a')), true],
    [X(E('k', 'Exists')), X(E('k', 'Exists')), true],
    [X(E('k', 'Exists')), X(E('k', 'DoesNotExist')), false],
    [X(E('k', 'DoesNotExist')), X(E('k', 'In', 'a')), false],
    [X(E('k', 'DoesNotExist')), X(E('k', 'NotIn', 'a')), true],
    [X(E('k', 'DoesNotExist')), X(E('k', 'Exists')), false],
    [X(E('k', 'DoesNotExist')), X(E('k', 'DoesNotExist')), true],
    [L({ k: 'a' }), X(E('k', 'NotIn', 'b')), true],
    [L({ k: 'a' }), L({ k: 'a' }), true],
    [L({ k: 'a' }), L({ k: 'b' }), false],
    [L({ k: 'a' }), L({ j: 'a' }), false],
    [L({ k: 'a', j: 'b' }), L({ j: 'b', k: 'a' }), true],
    [L({ k: 'a', j: 'b' }), L({ j: 'c', k: 'a' }), false],
    [L({ k: 'a', j: 'b' }), X(E('j', 'Exists'), E('k', 'Exists')), true],
    [X(E('k', 'In', 'x'), E('k', 'In', 'a')), L({ k: 'a' }), true],
    [X(E('k', 'In', 'a'), E('k', 'In', 'x')), L({ k: 'a' }), false],
    [{ ...L({ k: 'z' }), ...X(E('k', 'In', 'a')) }, L({ k: 'a' }), false],
    [{ ...L({ k: 'a' }), ...X(E('k', 'In', 'z')) }, L({ k: 'a' }), true],
  ])('overlap %j %j %s', (a, b, conflict) => {
    admission.hold(pub({ selector: b, maxUnavailable: 1 }, { name: 'other' }));
    expect(errorsIn(pub({ selector: a, maxUnavailable: 1 })).length > 0).toBe(conflict);
  });
  const tr = (apiVersion: string, kind: string, name: string) => ({
    targetRef: { apiVersion, kind, name },
    maxUnavailable: 1,
  });
  test('conflicts by target', () => {
    admission.hold(pub(tr('apps/v1', 'Deployment', 'w'), { name: 'other' }));
    expect(errorsIn(pub(tr('apps/v1beta2', 'Deployment', 'w')))[0]).toMatch(/^spec.targetReference: Invalid/);
    expect(errorsIn(pub(tr('apps/v1', 'Deployment', 'w2')))).toEqual([]);
    expect(errorsIn(pub(tr('apps/v1', 'StatefulSet', 'w')))).toEqual([]);
    expect(errorsIn(pub(tr('extensions/v1beta1', 'Deployment', 'w')))).toEqual([]);
    expect(errorsIn(pub({ selector, maxUnavailable: 1 }))).toEqual([]);
    const m = admission.validate(pub(tr('apps/v1', 'Deployment', 'w'))).message;
    expect(m).toContain('other');
  });
  test('updates', () => {
    admission.hold();
    const old = pub({ selector, maxUnavailable: 1 }, { resourceVersion: '1' });
    expect(
      errorsIn(
        pub(
          {
            selector,
            minAvailable: '3%',
            protectOperations: ['EVICT'],
            protectTotalReplicas: 4,
            ignoredPodSelector: { matchLabels: { z: 'y' } },
          },
          { resourceVersion: '1' },
        ),
        old,
      ),
    ).toEqual([]);
    expect(errorsIn(pub({ selector: L({ app: 'b' }), maxUnavailable: 1 }, { resourceVersion: '1' }), old)).toEqual([
      'spec.selector, targetRef: Required value',
    ]);
    const t = (v: string) => pub(tr(`apps.kruise.io/${v}`, 'CloneSet', 'x'), { resourceVersion: '1' });
    expect(errorsIn(t('v1beta1'), t('v1alpha1'))).toEqual(['spec.selector, targetRef: Required value']);
    expect(errorsIn(t('v1beta1'), old)).toEqual(['spec.selector, targetRef: Required value']);
  });
});
