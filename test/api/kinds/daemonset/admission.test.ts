// Acceptance cases 1 to 5 of advanced-daemonset.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { storedWorkload, type WorkloadParts, workload } from '../../../support/builders/workload.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

const specOf = (parts: WorkloadParts): JsonObject =>
  admission.defaulted(workload('DaemonSet', parts)).spec as JsonObject;

/** What is said about a creation that was defaulted; '' if it is allowed. */
function refusal(parts: WorkloadParts): string {
  const { allowed, code, message = '' } = admission.admit(workload('DaemonSet', parts));
  if (!allowed) expect(code).toBe(422);
  return allowed ? '' : message;
}

/** What is said about an update of a stored set; '' if it is allowed. */
function updateRefusal(before: WorkloadParts, after: WorkloadParts): string {
  const old = admission.defaulted(storedWorkload('DaemonSet', before));
  const { allowed, message = '' } = admission.admit(storedWorkload('DaemonSet', after), old);
  return allowed ? '' : message;
}

const AT = 'spec.updateStrategy.rollingUpdate';
const rolling = (rollingUpdate: JsonObject, version = 'v1beta1'): WorkloadParts => ({
  version,
  spec: { updateStrategy: { rollingUpdate } },
});

describe('a set that says little', () => {
  test.each(['v1alpha1', 'v1beta1'])('is completed in %s, its template left alone', (version) => {
    const { template, ...spec } = specOf({ version });
    expect(spec).toEqual({
      selector: { matchLabels: { app: 'web' } },
      burstReplicas: 250,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { rollingUpdateType: 'Standard', maxUnavailable: 1, maxSurge: 0 },
      },
      revisionHistoryLimit: 10,
    });
    expect(template).toEqual((workload('DaemonSet').spec as JsonObject).template);
    expect(admission.mutate(admission.defaulted(workload('DaemonSet', { version }))).operations).toEqual([]);
  });

  test.each<[JsonObject, JsonObject]>([
    [{ rollingUpdateType: 'Surging' }, { rollingUpdateType: 'Standard', maxSurge: 1, maxUnavailable: 0 }],
    [
      { rollingUpdateType: 'Surging', maxSurge: '30%', maxUnavailable: 1 },
      { rollingUpdateType: 'Standard', maxSurge: '30%', maxUnavailable: 1 },
    ],
    [{ maxSurge: 2 }, { rollingUpdateType: 'Standard', maxSurge: 2 }],
    [{ maxUnavailable: 0 }, { rollingUpdateType: 'Standard', maxUnavailable: 0 }],
  ])('of v1alpha1 with the rolling update %j has %j', (given, expected) => {
    expect(specOf(rolling(given, 'v1alpha1')).updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: expected,
    });
  });

  test('gets nothing below rollingUpdate with OnDelete', () => {
    const updateStrategy = { type: 'OnDelete' };
    expect(specOf({ spec: { updateStrategy } }).updateStrategy).toEqual(updateStrategy);
  });
});

test.each<[string, WorkloadParts]>([
  ['a surge alone', rolling({ maxSurge: 1 })],
  ['no percent of surge', rolling({ maxUnavailable: '10%', maxSurge: '0%' })],
  ['an update in place', rolling({ rollingUpdateType: 'InPlaceIfPossible' })],
  ['a partition in percent', rolling({ partition: '100%' })],
  [
    'a rolling update that OnDelete does not look at',
    { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 'x' } } } },
  ],
  ['pods without a restart policy', { pod: {} }],
  ['hooks before deletion', { spec: { lifecycle: { preDelete: { labelsHandler: { a: 'b' } } } } }],
  ['any burst', { spec: { burstReplicas: 0 } }],
])('allowed is %s', (_what, parts) => {
  expect(refusal(parts)).toBe('');
});

test.each<[string, WorkloadParts, string]>([
  [
    'nothing unavailable and no surge',
    rolling({ maxUnavailable: 0 }),
    `${AT}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
  ],
  [
    'words for amounts',
    rolling({ maxUnavailable: 'abc' }),
    `${AT}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
  ],
  [
    'both at once',
    rolling({ maxUnavailable: 1, maxSurge: 1 }),
    `${AT}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
  ],
  [
    'more than all',
    rolling({ maxUnavailable: '101%' }),
    `${AT}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
  ],
  [
    'a number in a text',
    rolling({ maxUnavailable: '3' }),
    `${AT}.maxUnavailable: Invalid value: "3": a valid percent string`,
  ],
  [
    'less than nothing',
    rolling({ maxSurge: -1 }),
    `${AT}.maxSurge: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    'a surge in place',
    rolling({ rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 }),
    `${AT}.maxSurge: Required value: must be 0 for InPlaceIfPossible type`,
  ],
  [
    'type Surging in v1beta1',
    rolling({ rollingUpdateType: 'Surging', maxSurge: 1 }),
    `${AT}.rollingUpdate.type: Unsupported value: "Surging": supported values: "Standard", "InPlaceIfPossible"`,
  ],
  [
    'an unknown type in v1alpha1',
    rolling({ rollingUpdateType: 'Fast' }, 'v1alpha1'),
    `${AT}.rollingUpdate.type: Unsupported value: "Fast": supported values: "Standard", "Surging", "InPlaceIfPossible"`,
  ],
  [
    'a partition below zero',
    rolling({ partition: -1 }),
    `${AT}.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    'a partition of more than all',
    rolling({ partition: '120%' }),
    `${AT}.rollingUpdate.partition: Invalid value: "120%": must not be greater than 100%`,
  ],
  [
    'an unknown update type',
    { spec: { updateStrategy: { type: 'Recreate' } } },
    'supported values: "RollingUpdate", "OnDelete"',
  ],
  [
    'a hook for updates in place',
    { spec: { lifecycle: { inPlaceUpdate: {} } } },
    'spec.lifecycle.inPlaceUpdate: Forbidden: inPlaceUpdate hook has not supported yet',
  ],
  [
    'pods that end',
    { pod: { restartPolicy: 'OnFailure' } },
    'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
  ],
  [
    'pods with a deadline',
    { pod: { activeDeadlineSeconds: 1 } },
    'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
  ],
  ['no container', { pod: { containers: [] } }, 'spec.template.spec.containers: Required value'],
  [
    'negative numbers',
    { spec: { minReadySeconds: -1, revisionHistoryLimit: -2 } },
    '[spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0, spec.revisionHistoryLimit: Invalid value: -2: must be greater than or equal to 0]',
  ],
  [
    'no selector',
    { spec: { selector: null } },
    'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
  ],
  [
    'a selector that says nothing',
    { spec: { selector: {} } },
    'spec.selector: Invalid value: {}: empty selector is invalid for daemonset',
  ],
])('refused is %s', (_what, parts, expected) => {
  expect(refusal(parts)).toContain(expected);
});

test('type Surging of v1alpha1 that was not defaulted may have nothing unavailable', () => {
  const set = workload('DaemonSet', {
    version: 'v1alpha1',
    spec: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Surging', maxUnavailable: 1 } },
    },
  });
  expect(admission.validate(set).message).toBe(`${AT}.maxUnavailable: Required value: must be 0 for Surging type`);
});

describe('an update', () => {
  test('does not change the selector', () => {
    const labels = { app: 'web', tier: 'x' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'a:1' }] } };
    expect(updateRefusal({}, { spec: { selector: { matchLabels: labels }, template } })).toMatch(
      /^spec: Forbidden: updates to daemonset spec for fields other than 'BurstReplicas'/,
    );
  });

  test('changes all else', () => {
    const spec = {
      burstReplicas: '10%',
      minReadySeconds: 3,
      revisionHistoryLimit: 1,
      scaleStrategy: { partitionedScaling: true },
      lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
      updateStrategy: { rollingUpdate: { selector: { matchLabels: { zone: 'a' } } } },
    };
    expect(updateRefusal({}, { spec, pod: { containers: [{ name: 'b', image: 'b' }] } })).toBe('');
  });
});
