// Acceptance cases 5 to 10 of cloneset.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { pod } from '../../../support/builders/pod.ts';
import { storedWorkload, type WorkloadParts, workload } from '../../../support/builders/workload.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

/** What is said about a creation that was defaulted; '' if it is allowed. */
function refusal(parts: WorkloadParts): string {
  const { allowed, code, message = '' } = admission.admit(workload('CloneSet', parts));
  if (!allowed) expect(code).toBe(422);
  return allowed ? '' : message;
}

/** What is said about an update of a stored set; '' if it is allowed. */
function updateRefusal(before: WorkloadParts, after: WorkloadParts): string {
  const old = admission.defaulted(storedWorkload('CloneSet', before));
  const { allowed, message = '' } = admission.admit(storedWorkload('CloneSet', after), old);
  return allowed ? '' : message;
}

const rolling = (rollingUpdate: JsonObject, type = 'RollingUpdate'): WorkloadParts => ({
  spec: { replicas: 5, updateStrategy: { type, rollingUpdate } },
});
const alpha = (updateStrategy: JsonObject, spec: JsonObject = {}): WorkloadParts => ({
  version: 'v1alpha1',
  spec: { replicas: 5, updateStrategy, ...spec },
});
const AT = 'spec.updateStrategy.rollingUpdate';

test.each<[string, WorkloadParts]>([
  ['a minimal set of v1alpha1', { version: 'v1alpha1' }],
  ['a minimal set of v1beta1', {}],
  ['OnDelete without a rolling update', { spec: { updateStrategy: { type: 'OnDelete' } } }],
  ['OnDelete with a usable rolling update', rolling({ partition: 0, maxUnavailable: 1 }, 'OnDelete')],
  ['no amounts where there are no replicas', { spec: { ...rolling({ maxUnavailable: 0 }).spec, replicas: 0 } }],
  ['a surge and nothing unavailable', rolling({ maxUnavailable: 0, maxSurge: 1 })],
  ['percentages with a fraction', rolling({ partition: '33.3%', maxUnavailable: '0.1%' })],
  ['numbers for pre-download', rolling({ inPlaceUpdateStrategy: { imagePreDownloadParallelism: '3' } })],
  [
    'a scatter key with two values',
    rolling({
      scatterStrategy: [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ],
    }),
  ],
  [
    'a deadline that is none',
    { version: 'v1alpha1', spec: { progressDeadlineSeconds: 2147483647, minReadySeconds: 9 } },
  ],
  ['a deadline that v1beta1 does not look at', { spec: { progressDeadlineSeconds: 1, minReadySeconds: 9 } }],
  ['pods that v1beta1 does not look for', { spec: { scaleStrategy: { podsToDelete: ['ghost'] } } }],
  ['names that say no policy', rolling({ podUpdatePolicy: '' })],
])('allowed is %s', (_what, parts) => {
  expect(refusal(parts)).toBe('');
});

const amount = (member: string, reason: string) => `failed GetScaledValueFromIntOrPercent for ${member}: ${reason}`;
const noPercentage = 'invalid type: string is not a percentage';

test.each<[string, WorkloadParts, string]>([
  [
    'negative replicas',
    { spec: { replicas: -1 } },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'OnDelete in v1alpha1',
    alpha({ type: 'OnDelete' }),
    `spec.updateStrategy.type: Invalid value: "OnDelete": must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'`,
  ],
  [
    'an unknown policy',
    rolling({ podUpdatePolicy: 'InPlace' }),
    `${AT}.podUpdatePolicy: Invalid value: "InPlace": must be 'ReCreate', 'InPlaceIfPossible' or 'InPlaceOnly'`,
  ],
  [
    'a partition without a percent sign',
    rolling({ partition: '5' }),
    `${AT}.partition: Invalid value: "5": ${amount('partition', noPercentage)}`,
  ],
  [
    'a partition below zero',
    alpha({ partition: '-40%' }),
    'spec.updateStrategy.partition: Invalid value: -2: must be greater than or equal to 0',
  ],
  [
    'no partition beside OnDelete',
    rolling({ maxUnavailable: 1 }, 'OnDelete'),
    `${AT}.partition: Invalid value: "<nil>": ${amount('partition', 'nil value for IntOrString')}`,
  ],
  [
    'no amounts beside OnDelete',
    rolling({ partition: 0 }, 'OnDelete'),
    `${AT}.maxUnavailable: Invalid value: "null": maxUnavailable and maxSurge should not both be less than 1`,
  ],
  [
    'a surge in words',
    alpha({ maxSurge: 'few' }),
    `spec.updateStrategy.maxSurge: Invalid value: "few": ${amount('maxSurge', noPercentage)}`,
  ],
  [
    'a surge of updates in place only',
    alpha({ type: 'InPlaceOnly', maxSurge: 1 }),
    'spec.updateStrategy.maxSurge: Invalid value: "1": can not use maxSurge with strategy type InPlaceOnly',
  ],
  [
    'a surge in percent of updates in place only',
    rolling({ podUpdatePolicy: 'InPlaceOnly', maxSurge: '10%' }),
    `${AT}.maxSurge: Invalid value: "10%": can not use maxSurge with strategy type InPlaceOnly`,
  ],
  [
    'a percentage of nodes for pre-download',
    rolling({ inPlaceUpdateStrategy: { imagePreDownloadParallelism: '50%' } }),
    `${AT}.inPlaceUpdateStrategy.imagePreDownloadParallelism: Invalid value: "50%": imagePreDownloadParallelism does not support percentage value`,
  ],
  [
    'negative numbers for pre-download',
    rolling({
      inPlaceUpdateStrategy: {
        imagePreDownloadParallelism: -1,
        imagePreDownloadTimeoutSeconds: -2,
        imagePreDownloadMinUpdatedReadyPods: -3,
      },
    }),
    `[${['Parallelism', 'TimeoutSeconds', 'MinUpdatedReadyPods']
      .map(
        (member, i) =>
          `${AT}.inPlaceUpdateStrategy.imagePreDownload${member}: Invalid value: ${-1 - i}: must be greater than or equal to 0`,
      )
      .join(', ')}]`,
  ],
  [
    'two kinds of priorities',
    rolling({
      priorityStrategy: {
        orderPriority: [{ orderedKey: 'a' }],
        weightPriority: [{ weight: 1, matchSelector: { matchLabels: { a: 'b' } } }],
      },
    }),
    `${AT}.priorityStrategy: Required value: only one of weightPriority and orderPriority can be used`,
  ],
  [
    'a scatter term twice',
    alpha({
      scatterStrategy: [
        { key: 'a', value: '1' },
        { key: 'a', value: '1' },
      ],
    }),
    'spec.updateStrategy.scatterStrategy: Required value: duplicated key=a value=1',
  ],
  [
    'a deadline that is no longer than minReadySeconds',
    { version: 'v1alpha1', spec: { progressDeadlineSeconds: 10, minReadySeconds: 10 } },
    'spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds',
  ],
  [
    'pods that are restarted on failure only',
    { pod: { restartPolicy: 'OnFailure' } },
    'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
  ],
  [
    'pods with a deadline',
    { pod: { activeDeadlineSeconds: 5 } },
    'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in cloneset is not Supported',
  ],
  [
    'a claim and a volume of one name',
    { pod: { volumes: [{ name: 'data' }] }, spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } },
    'spec.template.spec.volumes[1].name: Duplicate value: "data"',
  ],
  [
    'a name that is none',
    { metadata: { name: 'Web' } },
    expect.stringContaining('metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain') as unknown as string,
  ],
])('refused is %s', (_what, parts, expected) => {
  expect(refusal(parts)).toEqual(expected);
});

test('nothing would ever be updated', () => {
  const text = refusal(rolling({ maxUnavailable: 0, maxSurge: 0 }));
  expect(text).toContain(`${AT}.maxUnavailable: Invalid value: 0`);
  expect(text).toContain('maxUnavailable and maxSurge should not both be less than 1');
});

test('containers may mount claim templates', () => {
  const mount = (name: string) => ({
    pod: { containers: [{ name: 'app', image: 'a', volumeMounts: [{ name, mountPath: '/x' }] }] },
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  });
  expect(refusal(mount('data'))).toBe('');
  expect(refusal(mount('logs'))).toBe('spec.template.spec.containers[0].volumeMounts[0].name: Not found: "logs"');
});

describe('the selector', () => {
  test.each<[string, JsonObject, string]>([
    ['is needed', { selector: null }, 'spec.selector: Required value, spec.template.metadata.labels: Invalid value'],
    ['says something', { selector: {} }, 'spec.selector: Invalid value: {}: empty selector is invalid for cloneset'],
    [
      'matches the template',
      { selector: { matchLabels: { app: 'other' } } },
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'is well formed, and nothing is matched if it is not',
      { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
      'spec.selector.matchExpressions[0].values: Required value',
    ],
  ])('%s', (_what, spec, expected) => {
    expect(refusal({ spec })).toContain(expected);
  });

  test('is the one member that cannot be changed', () => {
    const selector = { matchLabels: { app: 'web', tier: 'x' } };
    const template = {
      metadata: { labels: { app: 'web', tier: 'x' } },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    };
    expect(updateRefusal({}, { spec: { selector, template } })).toMatch(/^spec: Forbidden: updates to cloneset spec/);
    const free = {
      replicas: 2,
      minReadySeconds: 3,
      revisionHistoryLimit: 4,
      progressDeadlineSeconds: 60,
      lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      scaleStrategy: { maxUnavailable: 1 },
    };
    expect(updateRefusal({}, { spec: { ...free, template } })).toBe('');
  });
});

test('an update needs a version, and keeps the identity', () => {
  expect(updateRefusal({}, { metadata: { resourceVersion: '' } })).toBe(
    'metadata.resourceVersion: Invalid value: "": must be specified for an update',
  );
  expect(updateRefusal({}, { metadata: { uid: 'u-2' } })).toBe(
    'metadata.uid: Invalid value: "u-2": field is immutable',
  );
});

describe('with InPlaceOnly in v1alpha1', () => {
  const inPlace = (containers: JsonObject[], labels = {}): WorkloadParts => ({
    ...alpha({ type: 'InPlaceOnly' }),
    metadata: { labels },
    pod: { containers },
  });
  const before = inPlace([{ name: 'app', image: 'a:1' }]);

  test.each<[string, JsonObject[], string]>([
    ['an image may change', [{ name: 'app', image: 'a:2' }], ''],
    [
      'the environment may not',
      [{ name: 'app', image: 'a:2', env: [{ name: 'A', value: '1' }] }],
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found add /containers/0/env',
    ],
    [
      'no container may be added',
      [
        { name: 'app', image: 'a:1' },
        { name: 'b', image: 'b' },
      ],
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found add /containers/1',
    ],
    [
      'nor the way to pull images',
      [{ name: 'app', image: 'a:1', imagePullPolicy: 'Never' }],
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found replace /containers/0/imagePullPolicy',
    ],
  ])('%s', (_what, containers, expected) => {
    expect(updateRefusal(before, inPlace(containers))).toBe(expected);
  });

  test('v1beta1 lets everything change', () => {
    const beta = (image: string, env: JsonObject[]) => ({
      ...rolling({ podUpdatePolicy: 'InPlaceOnly' }),
      pod: { containers: [{ name: 'app', image, env }] },
    });
    expect(updateRefusal(beta('a', []), beta('b', [{ name: 'A' }]))).toBe('');
  });
});

describe('pods that are to be deleted first', () => {
  const named = (...podsToDelete: string[]): WorkloadParts => ({
    version: 'v1alpha1',
    metadata: { uid: 'u-1' },
    spec: { scaleStrategy: { podsToDelete } },
  });
  const owner = (uid: string) => ({
    ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'x', uid, controller: true }],
  });
  const at = (name: string, reason: string) => `spec.scaleStrategy.podsToDelete: Invalid value: "${name}": ${reason}`;

  beforeAll(() => {
    admission.hold(
      pod({ name: 'own', metadata: owner('u-1') }),
      pod({ name: 'other', metadata: owner('u-2') }),
      pod({ name: 'bare' }),
      pod({ name: 'ending', metadata: { ...owner('u-1'), deletionTimestamp: '2026-02-04T07:00:00Z' } }),
    );
  });

  test.each<[string, string[], string]>([
    ['may be the own ones', ['own'], ''],
    ['must exist', ['ghost'], at('ghost', 'find pod ghost failed: Pod "ghost" not found')],
    ['must not be terminating', ['ending'], at('ending', 'find pod ending already terminating')],
    [
      'must be owned, and are told in the order of their names',
      ['other', 'bare'],
      `[${['bare', 'other'].map((name) => at(name, `find pod ${name} owner is not this CloneSet`)).join(', ')}]`,
    ],
  ])('%s', (_what, names, expected) => {
    expect(refusal(named(...names))).toBe(expected);
  });

  test('are named once', () => {
    expect(refusal(named('a', 'b', 'a'))).toBe(
      'spec.scaleStrategy.podsToDelete: Invalid value: ["a","b","a"]: duplicated items [a]',
    );
  });

  test('are not looked up again when they were listed before', () => {
    expect(updateRefusal(named('gone'), named('gone', 'own'))).toBe('');
  });
});
