// Admission and controllers agree on when an update in place is finished: one rule is in the policy module, for budgets, and
// one here, for workloads (inplace-update 5).
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { effectiveGates } from '../../../../api/gates.ts';
import { Policies } from '../../../../evaluator/policies.ts';
import { isUpdateComplete } from '../../../../reconcilers/shared/inplace/completion.ts';
import { plainHashes } from '../../../../reconcilers/shared/inplace/hashes.ts';
import type { Pod, PodContainer } from '../../../../reconcilers/shared/pod.ts';

const STATE = 'apps.kruise.io/inplace-update-state';
const images = [
  'nginx',
  'nginx:latest',
  'docker.io/library/nginx:latest',
  'nginx:1',
  'localhost:5000/nginx',
  'not an image',
];
const image = fc.constantFrom(...images);
const id = fc.constantFrom('id-1', 'id-2', '');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const container = fc.record({ wanted: image, running: image, id, before: optional(id), isStarted: fc.boolean() });
// Most pods are plain: each oddity by itself decides, and hides what the others would do.
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const laterBatches = fc.constantFrom<JsonObject>(
  { nextContainerImages: { c0: 'x' } },
  { nextContainerResources: { c0: {} } },
  { nextContainerImages: {} },
);
const record = fc.record({
  grace: rarely(fc.constantFrom('', '{}')),
  next: rarely(laterBatches),
  env: rarely(fc.constant(true)),
  key: fc.constantFrom(STATE, 'inplace-update-state'),
  report: rarely(fc.constantFrom('right', 'wrong', 'unreadable')),
  text: rarely(fc.constantFrom('', '{', 'null', '[]', '{"lastContainerStatuses":{"c0":"id"}}', '{"revision":1}')),
});

type Container = { wanted: string; running: string; id: string; before: string | undefined; isStarted: boolean };
type Recorded = {
  grace: string | undefined;
  next: JsonObject | undefined;
  env: true | undefined;
  key: string;
  report: string | undefined;
  text: string | undefined;
};

function podOf(containers: readonly Container[], { grace, next, env, key, report, text }: Recorded): Pod {
  const spec = containers.map(({ wanted }, index) => ({ name: `c${index}`, image: wanted, resources: {} }));
  const before = containers.flatMap((one, index) =>
    one.before === undefined ? [] : [[`c${index}`, { imageID: one.before }]],
  );
  const state = {
    revision: 'r',
    updateTimestamp: null,
    lastContainerStatuses: Object.fromEntries(before),
    ...(env === true && { updateEnvFromMetadata: true }),
    ...next,
  };
  const reports = spec.map((one, index) => ({
    name: one.name,
    containerID: `containerd://${index}`,
    restartCount: 0,
    hashes: {
      plainHash: report === 'right' ? plainHashes(one as PodContainer)[0] : 1,
      extractedEnvFromMetadataHash: 86995377,
    },
  }));
  const annotations = {
    ...(grace !== undefined && { 'apps.kruise.io/inplace-update-grace': grace }),
    [key]: text ?? JSON.stringify(state),
    ...(report !== undefined && {
      'apps.kruise.io/runtime-containers-meta': report === 'unreadable' ? '[' : JSON.stringify({ containers: reports }),
    }),
  };
  const statuses = containers.flatMap(({ running, isStarted, ...one }, index) =>
    isStarted
      ? [{ name: `c${index}`, image: running, imageID: one.id, ready: true, containerID: `containerd://${index}` }]
      : [],
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop', uid: 'u', resourceVersion: '1', annotations },
    spec: { containers: spec },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: statuses },
  } as unknown as Pod;
}

describe('an update in place', () => {
  let policies: Policies;
  beforeAll(async () => {
    policies = await Policies.load();
  });

  it('is finished for a budget when it is for its workload', () => {
    fc.assert(
      fc.property(fc.array(container, { minLength: 1, maxLength: 3 }), record, (containers, recorded) => {
        const pod = podOf(containers, recorded);
        expect(isUpdateComplete(pod, effectiveGates())).toBe(policies.isAvailable(pod));
      }),
      { numRuns: 2000 },
    );
  });
});
