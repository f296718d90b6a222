// What is said about workloads that are admitted although they will not do what they say.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { type WorkloadParts, workload } from '../../support/builders/workload.ts';
import { KindAdmission } from '../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

function warnings(kind: string, parts: WorkloadParts): unknown {
  const verdict = admission.admit(workload(kind, parts));
  expect(verdict.message).toBe('allowed to be admitted');
  return verdict.warnings ?? [];
}

test.each(['CloneSet', 'StatefulSet', 'DaemonSet'])('nothing is said about a minimal %s', (kind) => {
  for (const version of ['v1alpha1', 'v1beta1']) expect(warnings(kind, { version })).toEqual([]);
});

test.each(['CloneSet', 'StatefulSet'])(
  'about a %s, that its name is too long for a label of its pods',
  async (kind) => {
    const named = (length: number): WorkloadParts => ({ metadata: { name: 'x'.repeat(length) } });
    expect(warnings(kind, named(52))).toEqual([]);
    expect(warnings(kind, named(53))).toEqual([expect.stringContaining('metadata.name: pods may be refused')]);
  },
);

test('a long name of a CloneSet is no matter with short labels', async () => {
  const short = await KindAdmission.start({ CloneSetShortHash: true });
  expect(short.admit(workload('CloneSet', { metadata: { name: 'x'.repeat(60) } })).warnings).toBeUndefined();
});

describe('about a CloneSet', () => {
  const PREFIX = 'apps.kruise.io/image-predownload';
  const EXCLUDE = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';
  const IN_PLACE = 'spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy';
  const unusable = (path: string, value: string) =>
    `${path}: ${value} is not usable: expected a whole number or percentage of at least 0`;

  test.each<[string, WorkloadParts, string[]]>([
    [
      'whose limit for adding pods is a word',
      { spec: { scaleStrategy: { maxUnavailable: 'few' } } },
      [unusable('spec.scaleStrategy.maxUnavailable', '"few"')],
    ],
    [
      'with a fraction of a percent',
      { version: 'v1alpha1', spec: { updateStrategy: { maxUnavailable: '12.5%' } } },
      [unusable('spec.updateStrategy.maxUnavailable', '"12.5%"')],
    ],
    [
      'with less than nothing',
      { spec: { updateStrategy: { rollingUpdate: { maxSurge: -1 } } } },
      [unusable('spec.updateStrategy.rollingUpdate.maxSurge', '-1')],
    ],
    [
      'whose deadline v1beta1 does not look at',
      { spec: { progressDeadlineSeconds: 5, minReadySeconds: 5 } },
      ['spec.progressDeadlineSeconds: must be greater than minReadySeconds'],
    ],
    [
      'of v1beta1 that says things as in v1alpha1',
      { metadata: { labels: { [EXCLUDE]: 'true' }, annotations: { [`${PREFIX}-parallelism`]: '3' } } },
      [
        `annotation ${PREFIX}-parallelism has no effect in v1beta1: set ${IN_PLACE}.imagePreDownloadParallelism`,
        `label ${EXCLUDE} has no effect in v1beta1: set spec.scaleStrategy.excludePreparingDelete`,
      ],
    ],
    [
      'of v1alpha1 that says them so, nothing',
      { version: 'v1alpha1', metadata: { labels: { [EXCLUDE]: 'true' } } },
      [],
    ],
  ])('%s', (_what, parts, expected) => {
    expect(warnings('CloneSet', parts)).toEqual(expected);
  });
});

describe('about a StatefulSet', () => {
  test('all that will be said about its pods, claims being volumes', () => {
    const mount = (name: string): JsonObject => ({ name, mountPath: `/${name}` });
    const parts = {
      pod: { containers: [{ name: 'app', volumeMounts: [mount('data'), mount('logs')] }], volumes: [{ name: 'data' }] },
      spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
    };
    expect(warnings('StatefulSet', parts)).toEqual([
      'spec.template.spec.containers[0].image: Required value',
      'spec.template.spec.containers[0].volumeMounts[1].name: Not found: "logs"',
    ]);
  });

  test('ten things at most', () => {
    const containers = Array.from({ length: 50 }, (_, i) => ({ name: `c${i}` }));
    expect(warnings('StatefulSet', { pod: { containers } })).toHaveLength(10);
  });

  test('that ordinals need their gate, and cannot be negative', async () => {
    const spec = { ordinals: { start: -1 } };
    expect(warnings('StatefulSet', { spec })).toEqual([
      'spec.ordinals: has no effect without feature gate StatefulSetStartOrdinal',
    ]);
    const starting = await KindAdmission.start({ StatefulSetStartOrdinal: true });
    expect(starting.admit(workload('StatefulSet', { spec })).warnings).toEqual([
      'spec.ordinals.start: no pod can have a negative ordinal',
    ]);
  });
});

describe('about a DaemonSet', () => {
  test.each<[string, JsonObject, string[]]>([
    ['that creates none', { burstReplicas: 0 }, ['spec.burstReplicas: with 0 no pod is ever created or deleted']],
    ['that creates a word', { burstReplicas: 'x' }, ['spec.burstReplicas: with "x" no pod is ever created or deleted']],
    ['that creates a part, nothing', { burstReplicas: '10%' }, []],
    [
      'that updates nodes that cannot be found',
      { updateStrategy: { rollingUpdate: { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } } } },
      [
        'spec.updateStrategy.rollingUpdate.selector: no pod is ever updated: ' +
          '"Is" is not a valid label selector operator',
      ],
    ],
  ])('%s', (_what, spec, expected) => {
    expect(warnings('DaemonSet', { spec })).toEqual(expected);
  });
});
