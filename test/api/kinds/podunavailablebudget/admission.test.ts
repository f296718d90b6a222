// Acceptance cases 37 to 46 of podunavailablebudget.md, and the rules behind them (1.7, 1.8).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const OPERATIONS = 'kruise.io/pub-protect-operations';
const TOTAL = 'pub.kruise.io/protect-total-replicas';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

type Spec = { [member: string]: Json };

const budget = (spec: Spec, metadata: JsonObject = {}, version = 'v1beta1'): JsonObject => ({
  apiVersion: `policy.kruise.io/${version}`,
  kind: 'PodUnavailableBudget',
  metadata: { name: 'b', namespace: 'd', ...metadata },
  spec,
});
const selector = { matchLabels: { app: 'a' } };
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' };
const valid = { selector, maxUnavailable: 1 };

/** What is told about creating, or updating, the budget; 'allowed' if nothing is. */
function told(object: JsonObject, old?: JsonObject, ...others: JsonObject[]): string {
  const { allowed, code, message } = admission.hold(...others).validate(object, old);
  return allowed ? 'allowed' : `${code} ${message}`;
}

describe('a budget is about', () => {
  test('pods by labels or by workload, not both (37)', () => {
    const place = '400 spec.selector, targetRef: Required value';
    expect(told(budget({ selector, targetRef, maxUnavailable: 1 }))).toBe(
      `${place}: selector and targetRef are mutually exclusive`,
    );
    expect(told(budget({ maxUnavailable: 1 }))).toBe(
      `${place}: no selector or targetRef defined in PodUnavailableBudget`,
    );
    expect(told(budget({ targetRef, maxUnavailable: 1 }))).toBe('allowed');
  });

  test.each<[string, JsonObject, string]>([
    ['without a name', { ...targetRef, name: '' }, 'empty targetRef is not valid for PodUnavailableBudget'],
    ['without a kind', { ...targetRef, kind: '' }, 'empty targetRef is not valid for PodUnavailableBudget'],
    ['of no group', { ...targetRef, apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
  ])('no workload %s', (_what, target, detail) => {
    expect(told(budget({ targetRef: target, maxUnavailable: 1 }))).toMatch(
      new RegExp(`^400 spec.targetRef: Invalid value: .*: ${detail}$`),
    );
  });

  test('no empty selector, and none that is malformed', () => {
    expect(told(budget({ selector: {}, maxUnavailable: 1 }))).toMatch(/empty selector is not valid/);
    const odd = { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] };
    expect(told(budget({ selector: odd, maxUnavailable: 1 }))).toMatch(
      /^400 \[spec.selector.matchExpressions\[0\].values: Required value: .*, spec.selector: Invalid value: \{.*\}\]$/,
    );
  });
});

describe('the amount', () => {
  test.each<[Json]>([[0], ['0%'], ['100%'], [500]])('may be %j (38)', (maxUnavailable) => {
    expect(told(budget({ selector, maxUnavailable }))).toBe('allowed');
    expect(told(budget({ selector, minAvailable: maxUnavailable }))).toBe('allowed');
  });

  test.each<[Json, string]>([
    ['5', 'a valid percent string must be a numeric string'],
    ['101%', 'must not be greater than 100%'],
    [-1, 'must be greater than or equal to 0'],
  ])('may not be %j (38)', (amount, detail) => {
    const value = JSON.stringify(amount);
    expect(told(budget({ selector, maxUnavailable: amount }))).toContain(
      `spec.maxUnavailable: Invalid value: ${value}: ${detail}`,
    );
    expect(told(budget({ selector, minAvailable: amount }))).toContain(
      `spec.minAvailable: Invalid value: ${value}: ${detail}`,
    );
  });

  test('is given once', () => {
    const place = '400 spec.maxUnavailable, minAvailable: Required value';
    expect(told(budget({ selector }))).toBe(
      `${place}: no maxUnavailable or minAvailable defined in PodUnavailableBudget`,
    );
    expect(told(budget({ selector, maxUnavailable: 1, minAvailable: 1 }))).toBe(
      `${place}: maxUnavailable and minAvailable are mutually exclusive`,
    );
  });
});

describe('beside another budget', () => {
  const other = (spec: Spec, metadata: JsonObject = {}) => budget(spec, { name: 'other', uid: 'u', ...metadata });
  const anyOf = (...values: string[]) => ({ matchExpressions: [{ key: 'app', operator: 'In', values }] });

  test.each<[string, Spec, Spec, string]>([
    ['selects some of its pods (39)', { selector: anyOf('a', 'b') }, { selector }, 'spec.selector'],
    [
      'names its workload in another version (40)',
      { targetRef },
      { targetRef: { ...targetRef, apiVersion: 'apps/v1beta1' } },
      'spec.targetReference',
    ],
  ])('one that %s is refused', (_what, spec, otherSpec, place) => {
    const answer = told(budget({ ...spec, minAvailable: 1 }), undefined, other({ ...otherSpec, maxUnavailable: 1 }));
    expect(answer).toMatch(new RegExp(`^400 ${place}: Invalid value: .* in conflict with other .* other$`));
  });

  test.each<[string, Spec, Spec]>([
    ['asks for more labels (39)', { selector: { matchLabels: { app: 'a', tier: 'x' } } }, { selector }],
    ['selects other pods', { selector: anyOf('b', 'c') }, { selector }],
    ['names a workload', { targetRef }, { selector }],
    ['names one of another group', { targetRef }, { targetRef: { ...targetRef, apiVersion: 'apps.kruise.io/v1' } }],
  ])('one that %s is admitted', (_what, spec, otherSpec) => {
    expect(told(budget({ ...spec, minAvailable: 1 }), undefined, other({ ...otherSpec, maxUnavailable: 1 }))).toBe(
      'allowed',
    );
  });

  test('in another namespace it does not matter (39)', () => {
    expect(told(budget(valid), undefined, other(valid, { namespace: 'e' }))).toBe('allowed');
  });

  test('the object itself is no other', () => {
    expect(told(budget({ ...valid, maxUnavailable: 2 }), budget(valid), budget(valid, { uid: 'u' }))).toBe('allowed');
  });
});

describe('an update', () => {
  const refused = '400 spec.selector, targetRef: Required value: selector and targetRef cannot be modified';

  test('may not change which pods (41)', () => {
    const old = budget({ targetRef, maxUnavailable: 1 });
    expect(told(budget({ targetRef: { ...targetRef, name: 'x' }, maxUnavailable: 1 }), old)).toBe(refused);
    expect(told(budget({ targetRef: { ...targetRef, apiVersion: 'apps/v2' }, maxUnavailable: 1 }), old)).toBe(refused);
    expect(told(budget(valid), old)).toBe(refused);
  });

  test('may change the rest (41)', () => {
    const spec = { selector, minAvailable: '10%', protectOperations: ['EVICT'], protectTotalReplicas: 3 };
    expect(told(budget(spec), budget(valid))).toBe('allowed');
  });

  test('may correct annotations that never converted', () => {
    const old = budget(valid, { annotations: { [OPERATIONS]: 'BOGUS', [TOTAL]: 'x' } }, 'v1alpha1');
    expect(told(budget(valid, {}, 'v1alpha1'), old)).toBe('allowed');
  });
});

describe('what is protected', () => {
  test.each<[string, JsonObject, Spec, string]>([
    ['(45a) the same number twice', { [TOTAL]: '1000' }, { protectTotalReplicas: 1000 }, 'allowed'],
    ['(45b) two numbers', { [TOTAL]: '1000' }, { protectTotalReplicas: 999 }, 'must match spec.protectTotalReplicas'],
    ['(45c) a text as number', { [TOTAL]: '%%' }, {}, 'must be a valid int32'],
    ['(45d) unknown words in the annotation', { [OPERATIONS]: 'xxxxx' }, {}, 'allowed'],
    ['(45e) an empty number', { [TOTAL]: '' }, {}, 'must be a valid int32'],
    ['another spelling of the number', { [TOTAL]: '015' }, { protectTotalReplicas: 15 }, 'must match'],
    ['an unknown word', {}, { protectOperations: ['PATCH'] }, 'spec.protectOperations[0]: Unsupported value: "PATCH"'],
    ['no pods left out', {}, { ignoredPodSelector: {} }, 'empty ignoredPodSelector is not valid'],
  ])('%s', (_what, annotations, spec, answer) => {
    expect(told(budget({ ...valid, ...spec }, { annotations }))).toContain(answer);
  });

  test('by words of the annotation that are no operation is told of, unless the member says it', () => {
    const annotations = { [OPERATIONS]: 'DELETE,drop' };
    expect(admission.hold().validate(budget(valid, { annotations })).warnings).toEqual([
      `metadata.annotations[${OPERATIONS}]: "drop" is no operation: expected DELETE, UPDATE, EVICT, RESIZE`,
    ]);
    const spec = { ...valid, protectOperations: ['EVICT'] };
    expect(admission.validate(budget(spec, { annotations })).warnings).toBeUndefined();
  });

  test.each([
    [{ [OPERATIONS]: 'BOGUS' }, 'invalid kruise.io/pub-protect-operations value "BOGUS"'],
    [{ [TOTAL]: 'x' }, `failed to parse ${TOTAL}: strconv.ParseInt: parsing "x": invalid syntax`],
    [{ [TOTAL]: '2147483648' }, `failed to parse ${TOTAL}: strconv.ParseInt: parsing "2147483648": value out of range`],
  ])('annotations of v1alpha1 that do not convert are refused: %j (44)', (annotations, reason) => {
    expect(told(budget(valid, { annotations }, 'v1alpha1'))).toBe(
      `400 failed to convert v1alpha1 PUB to v1beta1: ${reason}`,
    );
  });
});

test('all that is wrong is told in a fixed order', () => {
  const spec = { selector: {}, maxUnavailable: -1, protectOperations: ['x'], ignoredPodSelector: {} };
  const paths = [...told(budget(spec, { annotations: { [TOTAL]: 'x' } })).matchAll(/((?:spec|metadata)\.\S*): /g)];
  expect(paths.map(([, path]) => path)).toEqual([
    `metadata.annotations[${TOTAL}]`,
    'spec.selector',
    'spec.maxUnavailable',
    'spec.protectOperations[0]',
    'spec.ignoredPodSelector',
  ]);
});

test('one of the two gates must be on (46)', async () => {
  const closed = await KindAdmission.start({ PodUnavailableBudgetDeleteGate: false });
  expect(closed.validate(budget(valid))).toMatchObject({
    allowed: false,
    code: 400,
    message: 'feature-gates PodUnavailableBudgetDeleteGate and PodUnavailableBudgetUpdateGate are not enabled',
  });
  const open = await KindAdmission.start({
    PodUnavailableBudgetDeleteGate: false,
    PodUnavailableBudgetUpdateGate: true,
  });
  expect(open.validate(budget(valid))).toMatchObject({ allowed: true });
});
