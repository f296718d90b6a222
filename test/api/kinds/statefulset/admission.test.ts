// Acceptance cases 6 to 11 and 34 of advanced-statefulset.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { storedWorkload, type WorkloadParts, workload } from '../../../support/builders/workload.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
let resizing: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
  resizing = await KindAdmission.start({ StatefulSetAutoResizePVCGate: true });
});

const specOf = (parts: WorkloadParts, old?: JsonObject): JsonObject =>
  admission.defaulted(workload('StatefulSet', parts), old).spec as JsonObject;

/** What is said about a creation that was defaulted; '' if it is allowed. */
function refusal(parts: WorkloadParts): string {
  const { allowed, code, message = '' } = admission.admit(workload('StatefulSet', parts));
  if (!allowed) expect(code).toBe(422);
  return allowed ? '' : message;
}

/** What is said about an update of a stored set; '' if it is allowed. */
function updateRefusal(before: WorkloadParts, after: WorkloadParts, by = admission): string {
  const old = by.defaulted(storedWorkload('StatefulSet', before));
  const { allowed, message = '' } = by.admit(storedWorkload('StatefulSet', after), old);
  return allowed ? '' : message;
}

const AT = 'spec.updateStrategy.rollingUpdate';
const parallel = (rollingUpdate: JsonObject): WorkloadParts => ({
  spec: { podManagementPolicy: 'Parallel', updateStrategy: { rollingUpdate } },
});
const ordered = (rollingUpdate: JsonObject): WorkloadParts => ({ spec: { updateStrategy: { rollingUpdate } } });
const reserved = (...reserveOrdinals: Json[]): WorkloadParts => ({ spec: { reserveOrdinals } });

describe('a set that says little', () => {
  const rollingUpdate = { partition: 0, maxUnavailable: 1, podUpdatePolicy: 'ReCreate', minReadySeconds: 0 };
  const common = {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    revisionHistoryLimit: 10,
  };

  test('is completed in v1beta1, claims kept', () => {
    const spec = specOf({});
    expect(spec).toMatchObject({
      ...common,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    const { containers } = (spec.template as JsonObject).spec as { containers: JsonObject[] };
    expect(containers.map((container) => container.imagePullPolicy)).toEqual(['Always']);
    expect(spec.volumeClaimUpdateStrategy).toEqual({});
  });

  test('gets in v1alpha1 nothing that v1alpha1 does not have', () => {
    const spec = specOf({ version: 'v1alpha1' });
    expect(spec).toMatchObject(common);
    expect(Object.keys(spec).sort()).toEqual([...Object.keys(common), 'selector', 'template'].sort());
  });

  test('follows changes of claims by hand, with the gate', () => {
    const { spec } = resizing.defaulted(workload('StatefulSet'));
    expect(spec).toMatchObject({ volumeClaimUpdateStrategy: { type: 'OnDelete' } });
  });

  test('gets no rolling update with OnDelete, and may have none', () => {
    const updateStrategy = { type: 'OnDelete' };
    expect(specOf({ spec: { updateStrategy } }).updateStrategy).toEqual(updateStrategy);
    const text = refusal({ spec: { updateStrategy: { ...updateStrategy, rollingUpdate: { partition: 1 } } } });
    expect(text).toMatch(/^spec\.updateStrategy\.rollingUpdate: Invalid value: .* only allowed for updateStrategy/);
  });

  test('is left alone once it is complete', () => {
    for (const version of ['v1alpha1', 'v1beta1']) {
      expect(admission.mutate(admission.defaulted(workload('StatefulSet', { version }))).operations).toEqual([]);
    }
  });

  test('loses a status that it came with', () => {
    const object = { ...workload('StatefulSet'), status: { replicas: 7 } };
    expect(admission.defaulted(object)).not.toHaveProperty('status');
  });
});

test('templates are defaulted by updates that change them, and not by those that change claims', () => {
  const old = storedWorkload('StatefulSet');
  const policy = (parts: WorkloadParts) => JSON.stringify(specOf(parts, old).template).includes('imagePullPolicy');
  expect(policy({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } })).toBe(false);
  expect(policy({ pod: { containers: [{ name: 'app', image: 'a:2' }] } })).toBe(true);
});

test.each<[string, WorkloadParts]>([
  ['a minimal set of v1alpha1', { version: 'v1alpha1' }],
  ['a minimal set of v1beta1', {}],
  ['one pod at a time in order', ordered({ maxUnavailable: 1 })],
  ['more than all pods at once in parallel', parallel({ maxUnavailable: '120%' })],
  ['a single percent in parallel', parallel({ maxUnavailable: '1%' })],
  ['ranges with leading zeros', reserved('03-05', 7)],
  ['a pod spec that no pod could be made of', { pod: { containers: [{ name: 'A' }], volumes: [{ name: '' }] } }],
  ['300 seconds', ordered({ minReadySeconds: 300 })],
  ['pods that are updated in place', { ...ordered({ podUpdatePolicy: 'InPlaceOnly' }), pod: inPlacePod() }],
  ['a negative first ordinal', { spec: { ordinals: { start: -1 } } }],
])('allowed is %s', (_what, parts) => {
  expect(refusal(parts)).toBe('');
});

test.each<[string, WorkloadParts, string]>([
  [
    'two at once in order',
    ordered({ maxUnavailable: 2 }),
    `${AT}.maxUnavailable: Invalid value: 2: can only work with Parallel PodManagementPolicyType`,
  ],
  [
    'all in order',
    ordered({ maxUnavailable: '100%' }),
    `${AT}.maxUnavailable: Invalid value: "100%": can only work with Parallel PodManagementPolicyType`,
  ],
  [
    'no percent',
    parallel({ maxUnavailable: '0%' }),
    `${AT}.maxUnavailable: Invalid value: 0: should not be less than 1`,
  ],
  [
    'a word for a number',
    { spec: { podManagementPolicy: 'Parallel', scaleStrategy: { maxUnavailable: 'abc' } } },
    'spec.scaleStrategy.maxUnavailable: Invalid value: 0: getValueFromIntOrPercent error: invalid value for ' +
      'IntOrString: invalid value "abc": strconv.Atoi: parsing "abc": invalid syntax',
  ],
  [
    'an unknown policy',
    { spec: { podManagementPolicy: 'Sorted' } },
    `spec.podManagementPolicy: Invalid value: "Sorted": must be 'OrderedReady' or 'Parallel'`,
  ],
  [
    'an unknown update type',
    { spec: { updateStrategy: { type: 'Rolling' } } },
    "must be 'RollingUpdate' or 'OnDelete'",
  ],
  [
    'an unknown way to update pods',
    ordered({ podUpdatePolicy: 'Replace' }),
    `${AT}.podUpdatePolicy: Invalid value: "Replace": must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'`,
  ],
  [
    'numbers out of range',
    ordered({ partition: -1, minReadySeconds: 301 }),
    `[${AT}.partition: Invalid value: -1: must be greater than or equal to 0, ${AT}.minReadySeconds: Invalid value: 301: must be no more than 300 seconds]`,
  ],
  [
    'an update in place without the gate for it',
    ordered({ podUpdatePolicy: 'InPlaceIfPossible' }),
    'spec.template.spec.readinessGates: Invalid value: []: must contains InPlaceUpdateReady when podUpdatePolicy is InPlaceIfPossible',
  ],
  [
    'another order than that of the ordinals',
    ordered({ unorderedUpdate: {} }),
    `${AT}.unorderedUpdate: Required value: unorderedUpdate can only work with Parallel PodManagementPolicyType`,
  ],
  [
    'a weight out of range',
    parallel({ unorderedUpdate: { priorityStrategy: { weightPriority: [{ weight: 101, matchSelector: {} }] } } }),
    `${AT}.unorderedUpdate.priorityStrategy: Required value: weight must be valid number in the range 1-100`,
  ],
  [
    'an unknown end of claims',
    { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } } },
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"',
  ],
  ['a lone number in a text', reserved('3'), '0 th reserve ordinal is not a valid range: 3'],
  [
    'a range that goes down',
    reserved(1, '5-3'),
    'spec: Invalid value: [1,"5-3"]: 1 th reserve ordinal is invalid: 5-3, err = invalid range 5-3',
  ],
  ['a negative ordinal', reserved(-1), 'spec: Invalid value: [-1]: 0 th reserve ordinal is negative: -1'],
  [
    'a range without a start',
    reserved('-3'),
    '0 th reserve ordinal is invalid: -3, err = strconv.Atoi: parsing "": invalid syntax',
  ],
  ['a name with dots', { metadata: { name: 'a.b' } }, 'metadata.name: Invalid value: "a.b": must not contain dots'],
  [
    'pods that end',
    { pod: { restartPolicy: 'Never', activeDeadlineSeconds: 1 } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    'no selector',
    { spec: { selector: null } },
    '[spec.selector: Required value, spec.template.metadata.labels: Invalid value',
  ],
])('refused is %s', (_what, parts, expected) => {
  expect(refusal(parts)).toContain(expected);
});

test('of very many bad ordinals the first are told', () => {
  const text = refusal(reserved(...Array.from({ length: 20_000 }, () => 'x')));
  expect(text).toContain('0 th reserve ordinal is invalid: x');
  expect(text.length).toBeLessThan(200_000);
});

describe('an update', () => {
  test.each<[string, JsonObject]>([
    ['the service', { serviceName: 'b' }],
    ['the order of pods', { podManagementPolicy: 'Parallel' }],
    [
      'the selector',
      { selector: { matchLabels: { app: 'web', a: 'b' } }, template: { metadata: { labels: { app: 'web', a: 'b' } } } },
    ],
  ])('does not change %s', (_what, spec) => {
    expect(updateRefusal({}, { spec })).toMatch(/^spec: Forbidden: updates to statefulset spec for fields other than/);
  });

  test('changes all else', () => {
    const spec = {
      replicas: 3,
      reserveOrdinals: [1],
      ordinals: { start: 2 },
      lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
      revisionHistoryLimit: 1,
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
      updateStrategy: { type: 'OnDelete' },
    };
    expect(updateRefusal({}, { spec, pod: { containers: [] } })).toBe('');
  });

  test('with InPlaceOnly changes images, and the way to pull them', () => {
    const inPlace = (container: JsonObject) => ({
      ...ordered({ podUpdatePolicy: 'InPlaceOnly' }),
      pod: inPlacePod({ name: 'app', image: 'a:1', ...container }),
    });
    expect(updateRefusal(inPlace({}), inPlace({ image: 'a:2', imagePullPolicy: 'Never' }))).toBe('');
    expect(updateRefusal(inPlace({}), inPlace({ env: [{ name: 'A', value: '1' }] }))).toBe(
      'invalid template modified with InPlaceOnly strategy: add /containers/0/env, ' +
        'currently only image update is allowed for InPlaceOnly',
    );
  });
});

describe('claim templates that the claims are to follow', () => {
  const claim = (storage: string, more: JsonObject = {}, name = 'data') => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
  });
  const following = (claims: JsonObject[], type = 'OnPodRollingUpdate'): WorkloadParts => ({
    spec: { volumeClaimUpdateStrategy: { type }, volumeClaimTemplates: claims },
  });
  const storageClass = (name: string, allowVolumeExpansion: boolean | undefined, metadata: JsonObject = {}) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, ...metadata },
    ...(allowVolumeExpansion !== undefined && { allowVolumeExpansion }),
  });
  const byDefault = (creationTimestamp: string) => ({
    creationTimestamp,
    annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
  });
  const AT_CLAIMS = 'spec.volumeClaimTemplates';
  const fixed = (name: string) =>
    `${AT_CLAIMS}[data].spec.resources.requests.storage: Forbidden: storage class ${name} does not support volume expansion`;

  beforeAll(() => {
    resizing.hold(storageClass('grow', true), storageClass('fixed', false), storageClass('silent', undefined));
  });

  test.each<[string, JsonObject[], JsonObject[], string]>([
    [
      'grow where the class lets them',
      [claim('1Gi', { storageClassName: 'grow' })],
      [claim('2Gi', { storageClassName: 'grow' })],
      '',
    ],
    [
      'grow where the class says nothing',
      [claim('1Gi', { storageClassName: 'silent' })],
      [claim('2Gi', { storageClassName: 'silent' })],
      '',
    ],
    [
      'do not grow where it forbids it',
      [claim('1Gi', { storageClassName: 'fixed' })],
      [claim('2Gi', { storageClassName: 'fixed' })],
      fixed('fixed'),
    ],
    [
      'stay as they are',
      [claim('1Gi', { storageClassName: 'fixed' })],
      [claim('1024Mi', { storageClassName: 'fixed' })],
      '',
    ],
    ['grow where there is no default class', [claim('1Gi')], [claim('2Gi')], ''],
    [
      'do not grow with a class that does not exist',
      [claim('1Gi', { storageClassName: 'none' })],
      [claim('2Gi', { storageClassName: 'none' })],
      `${AT_CLAIMS}[data].spec.storageClassName: Invalid value: "none"`,
    ],
    ['keep their number', [claim('1Gi')], [], `${AT_CLAIMS}: Invalid value`],
    [
      'keep their names',
      [claim('1Gi')],
      [claim('1Gi', {}, 'store')],
      `${AT_CLAIMS}[store].name: Forbidden: volumeClaimTemplate name can not be modified`,
    ],
    [
      'keep their access modes',
      [claim('1Gi')],
      [claim('1Gi', { accessModes: ['ReadOnlyMany'] })],
      `${AT_CLAIMS}[data]: Invalid value`,
    ],
    [
      'keep their class',
      [claim('1Gi', { storageClassName: 'grow' })],
      [claim('1Gi', { storageClassName: 'fixed' })],
      `${AT_CLAIMS}[data]: Invalid value`,
    ],
  ])('%s', (_what, before, after, expected) => {
    const text = updateRefusal(following(before), following(after), resizing);
    if (expected === '') expect(text).toBe('');
    else expect(text).toContain(expected);
  });

  test('ask the newest default class', () => {
    resizing.hold(
      storageClass('old', true, byDefault('2026-01-01T00:00:00Z')),
      storageClass('new', false, byDefault('2026-02-01T00:00:00Z')),
    );
    expect(updateRefusal(following([claim('1Gi')]), following([claim('2Gi')]), resizing)).toBe(fixed('new'));
  });

  test('are looked at when the type is switched on in the same request', () => {
    const text = updateRefusal(following([claim('1Gi')], 'OnDelete'), following([]), resizing);
    expect(text).toContain('volumeClaimTemplate can not be added or deleted');
  });

  test('are free with OnDelete, and without the gate', () => {
    expect(updateRefusal(following([claim('1Gi')], 'OnDelete'), following([], 'OnDelete'), resizing)).toBe('');
    expect(updateRefusal(following([claim('1Gi')]), following([]))).toBe('');
  });
});

function inPlacePod(container: JsonObject = { name: 'app', image: 'a:1' }): JsonObject {
  return { containers: [container], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] };
}
