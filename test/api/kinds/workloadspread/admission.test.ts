// Acceptance cases 2 to 8 of workloadspread.md, and the rules behind them (2.1, 2.2).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

type Spec = { [member: string]: Json };

const cloneSet = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'c1' };
const spread = (spec: Spec, metadata: JsonObject = {}, version = 'v1beta1'): JsonObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'WorkloadSpread',
  metadata: { name: 'w', namespace: 'n', resourceVersion: '1', ...metadata },
  spec: { targetRef: cloneSet, subsets: [{ name: 'a' }], ...spec },
});
/** Subsets a, b, c, ... with these numbers; null is no limit. */
const subsets = (...amounts: Json[]): Json[] =>
  amounts.map((maxReplicas, index) => ({ name: 'abcdef'.charAt(index), ...(maxReplicas !== null && { maxReplicas }) }));

/** What is told about creating, or updating, the object; 'allowed' if nothing is. */
function told(object: JsonObject, old?: JsonObject, ...others: JsonObject[]): string {
  const { allowed, code, message } = admission.hold(...others).validate(object, old);
  return allowed ? 'allowed' : `${code} ${message}`;
}
/** Path and kind of the only error, or what is told. */
function toldAt(object: JsonObject): string {
  return /^400 (spec[^ ]*: [A-Z][a-z]+)/.exec(told(object))?.[1] ?? told(object);
}

describe('the numbers of the subsets', () => {
  test.each<[string, Json[], string]>([
    ['percentages above 100 (2)', ['40%', '70%'], 'spec.subsets[1].maxReplicas: Invalid'],
    ['percentages below 100 without an open end (3)', ['40%', '20%', '20%'], 'spec.subsets[0].maxReplicas: Invalid'],
    ['percentages below 100 with an open end (3)', ['40%', '20%', null], 'allowed'],
    ['percentages of 100 (3)', ['30%', '70%'], 'allowed'],
    ['a number and a percentage (4)', [3, '50%'], 'spec.subsets[1].maxReplicas: Invalid'],
    ['a negative number', [-1, null], 'spec.subsets[0].maxReplicas: Invalid'],
    ['a broken percentage', ['50.2%', null], 'spec.subsets[0].maxReplicas: Invalid'],
    ['a negative percentage', ['-1%', null], 'spec.subsets[0].maxReplicas: Invalid'],
    ['a text without %', ['30', null], 'spec.subsets[0].maxReplicas: Invalid'],
    ['nothing at all', [0, null], 'allowed'],
    ['no percent at all', ['0%', null], 'allowed'],
    ['one subset with a limit', [5], 'allowed'],
  ])('%s', (_what, amounts, answer) => {
    expect(toldAt(spread({ subsets: subsets(...amounts) }))).toBe(answer);
  });

  test('of a StatefulSet are no percentages (4)', () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's' };
    expect(toldAt(spread({ targetRef, subsets: subsets('50%', null) }))).toBe('spec.subsets[0].maxReplicas: Invalid');
    expect(told(spread({ targetRef, subsets: subsets(2, null) }))).toBe('allowed');
  });

  test('without % stay where they are stored', () => {
    const old = spread({ subsets: subsets('30', null) });
    const scheduleStrategy = { type: 'Fixed' };
    expect(told(spread({ subsets: subsets('30', null), scheduleStrategy }), old)).toBe('allowed');
    expect(toldAt(spread({ subsets: subsets('31', null) }))).toBe('spec.subsets[0].maxReplicas: Invalid');
  });

  test('end the validation of subsets where they are wrong', () => {
    const odd = [{ name: '' }, { name: 'b', maxReplicas: -1 }, { name: '' }];
    expect(told(spread({ subsets: odd }))).toBe(
      '400 [spec.subsets[0].name: Invalid value: "", spec.subsets[1].maxReplicas: Invalid value: -1: maxReplicas is not valid for subset]',
    );
  });
});

describe('adaptive scheduling (5)', () => {
  const adaptive = (seconds: number | null, type = 'Adaptive'): Spec => ({
    scheduleStrategy: { type, adaptive: seconds === null ? {} : { rescheduleCriticalSeconds: seconds } },
  });

  test.each<[number, number, string]>([
    [1, 2147483647, 'allowed'],
    [2, 295, 'allowed'],
    [2, 296, 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid'],
    [3, 147, 'allowed'],
    [3, 148, 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid'],
    [4, 98, 'allowed'],
    [6, 59, 'allowed'],
    [6, 60, 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid'],
    [2, -1, 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid'],
  ])('%i subsets with %i seconds', (count, seconds, answer) => {
    const some = subsets(...Array.from({ length: count - 1 }, () => 1), null);
    expect(toldAt(spread({ subsets: some, ...adaptive(seconds) }))).toBe(answer);
  });

  test('needs its type and an open end', () => {
    expect(told(spread({ subsets: subsets(1, null), ...adaptive(10, 'Fixed') }))).toBe(
      "400 spec.scheduleStrategy.type: Invalid value: 10: the scheduleStrategy's type must be adaptive when using adaptive scheduleStrategy",
    );
    expect(told(spread({ subsets: subsets(1, 2), ...adaptive(null) }))).toBe(
      '400 spec.scheduleStrategy.adaptive: Invalid value: "null": the last subset\'s maxReplicas must be not specified when using adaptive scheduleStrategy',
    );
    expect(told(spread({ subsets: subsets(5), ...adaptive(10) }))).toBe('allowed');
    expect(told(spread({ scheduleStrategy: { type: 'Adaptive' } }))).toBe('allowed');
    expect(toldAt(spread({ scheduleStrategy: { type: 'Random' } }))).toBe('spec.scheduleStrategy.type: Invalid');
  });
});

describe('the target', () => {
  test.each<[string, JsonObject | null, string]>([
    ['missing', null, 'spec.targetRef: Required'],
    ['without a name', { ...cloneSet, name: '' }, 'spec.targetRef: Invalid'],
    ['a CloneSet of another group', { ...cloneSet, apiVersion: 'apps/v1' }, 'spec.targetRef: Invalid'],
    ['a CloneSet of a version to come', { ...cloneSet, apiVersion: 'apps.kruise.io/v9' }, 'allowed'],
    ['a Job', { apiVersion: 'batch/v1', kind: 'Job', name: 'j' }, 'allowed'],
    ['a Job of no group', { apiVersion: 'v1', kind: 'Job', name: 'j' }, 'spec.targetRef: Invalid'],
    ['a StatefulSet of ours', { ...cloneSet, kind: 'StatefulSet' }, 'allowed'],
    ['a DaemonSet', { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd' }, 'spec.targetRef: Invalid'],
    ['of a malformed group', { ...cloneSet, apiVersion: 'a/b/c' }, 'spec.targetRef: Invalid'],
  ])('%s', (_what, targetRef, answer) => {
    expect(toldAt(spread({ targetRef }))).toBe(answer);
  });

  test('may be of a kind that the operator has listed (7)', () => {
    const rollout = spread({ targetRef: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'r' } });
    const listed = (workloads: Json): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kruise-configuration', namespace: 'kruise-system' },
      data: { WorkloadSpread_Watch_Custom_Workload_WhiteList: JSON.stringify({ workloads }) },
    });
    expect(told(rollout)).toMatch(/TargetReference's GroupKind is not permitted\.$/);
    expect(told(rollout, undefined, listed([{ group: 'argoproj.io', kind: 'Rollout' }]))).toBe('allowed');
    expect(told(rollout, undefined, listed([{ Group: 'other.io', Kind: 'Rollout' }]))).toMatch(/not permitted/);
    expect(told(rollout, undefined, listed(7))).toBe(
      '400 spec.targetRef: Internal error: json: cannot unmarshal number into Go struct field WSCustomWorkloadWhiteList.workloads of type []configuration.CustomWorkload',
    );
    expect(told(spread({}), undefined, listed(7))).toBe('allowed');
  });

  test('has one object, whatever the version (6)', () => {
    const targetRef = { ...cloneSet, apiVersion: 'apps.kruise.io/v1alpha1' };
    const other = (namespace: string) => spread({ targetRef }, { name: 'other', namespace, uid: 'u' });
    expect(told(spread({}), undefined, other('n'))).toMatch(/^400 spec.targetRef: .* other WorkloadSpread other$/);
    expect(told(spread({}), undefined, other('m'))).toBe('allowed');
  });

  test('stays, but for its version (6)', () => {
    const old = spread({});
    expect(told(spread({ targetRef: { ...cloneSet, apiVersion: 'apps.kruise.io/v1alpha1' } }), old)).toBe('allowed');
    expect(told(spread({ targetRef: { ...cloneSet, name: 'c2' } }), old)).toMatch(
      /^400 spec.targetRef: .*change TargetReference is not permitted for WorkloadSpread$/,
    );
  });
});

describe('a subset', () => {
  const one = (subset: JsonObject) => spread({ subsets: [{ name: 'a', ...subset }] });
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
  });

  test.each<[string, JsonObject, string]>([
    [
      'whose node must have a malformed label',
      { requiredNodeSelector: expression('z', 'In', 'not a label') },
      'spec.subsets[0].requiredNodeSelector.matchExpressions[0].values[0]: Invalid',
    ],
    [
      'whose node should have it',
      { preferredNodeSelector: [{ weight: 1, preference: expression('z', 'In', 'not a label') }] },
      'allowed',
    ],
    [
      'of weight 101',
      { preferredNodeSelector: [{ weight: 101, preference: {} }] },
      'spec.subsets[0].preferredNodeSelector[0].weight: Invalid',
    ],
    [
      'with two values for Gt',
      { requiredNodeSelector: expression('z', 'Gt', '1', '2') },
      'spec.subsets[0].requiredNodeSelector.matchExpressions[0].values: Required',
    ],
    [
      'with an odd toleration',
      { tolerations: [{ key: 'a', effect: 'Never' }] },
      'spec.subsets[0].tolerations[0].effect: Unsupported',
    ],
  ])('%s', (_what, subset, answer) => {
    expect(toldAt(one(subset))).toBe(answer);
  });

  test('of v1alpha1 is told of by the names of v1beta1', () => {
    const requiredNodeSelectorTerm = expression('z', 'Like', 'x');
    expect(toldAt(spread({ subsets: [{ name: 'a', requiredNodeSelectorTerm }] }, {}, 'v1alpha1'))).toBe(
      'spec.subsets[0].requiredNodeSelector.matchExpressions[0].operator: Invalid',
    );
  });

  test('must exist', () => {
    expect(told(spread({ subsets: [] }))).toBe(
      '400 spec.subsets: Required value: subsets number must >= 1 in WorkloadSpread',
    );
  });
});

test('a filter must have a selector that can be used', () => {
  const selector = { matchExpressions: [{ key: 'a', operator: 'Foo' }] };
  expect(toldAt(spread({ targetFilter: { selector } }))).toBe('spec.targetFilter: Invalid');
  expect(told(spread({ targetFilter: {} }))).toBe('allowed');
});

test('metadata is looked at on updates only', () => {
  expect(told(spread({}, { name: 'Not_Valid' }))).toBe('allowed');
  expect(told(spread({}, { resourceVersion: '' }), spread({}))).toBe(
    '400 metadata.resourceVersion: Invalid value: "": must be specified for an update',
  );
});

test('the gate must be on (8)', async () => {
  const closed = await KindAdmission.start({ WorkloadSpread: false });
  expect(closed.validate(spread({}))).toMatchObject({
    allowed: false,
    code: 403,
    message: 'feature-gate WorkloadSpread is not enabled',
  });
});
