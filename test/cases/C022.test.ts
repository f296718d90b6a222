// C022: the controller and the webhook agree on which pods count, also for pods in the middle of an update and with images
// by digest (openkruise/kruise PR 2563, PR 1512, #1469).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { podUnavailableBudget } from '../../reconcilers/podunavailablebudget/controller.ts';
import { holdPolicies } from '../support/policy-module.ts';
import { main, mainStatus, Protection, protecting, type RunningParts, running } from '../support/protection.ts';
import { lookUpIn, snapshot } from '../support/snapshot.ts';

const controller = podUnavailableBudget(await holdPolicies());
const admission = await Protection.start();

const IMAGES = {
  'by tag': { image: 'registry.example.com/web:1', next: 'registry.example.com/web:2' },
  'by digest': {
    image: `registry.example.com/web@sha256:${'1'.repeat(64)}`,
    next: `registry.example.com/web@sha256:${'2'.repeat(64)}`,
  },
};
const oldId = `registry.example.com/web@sha256:${'1'.repeat(64)}`;
const state = (more: JsonObject) =>
  JSON.stringify({ revision: 'web-2', updateTimestamp: '2026-07-02T07:59:00Z', lastContainerStatuses: {}, ...more });
const STATE = 'apps.kruise.io/inplace-update-state';
const GRACE = 'apps.kruise.io/inplace-update-grace';

type Case = [what: string, isAvailable: boolean, parts: (images: { image: string; next: string }) => RunningParts];
const cases: Case[] = [
  ['that is ready', true, () => ({})],
  ['that is not ready', false, () => ({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
  ['that is pending', false, () => ({ status: { phase: 'Pending' } })],
  [
    'that waits for the time of grace before its update',
    false,
    () => ({ annotations: { [STATE]: state({}), [GRACE]: '{}' } }),
  ],
  [
    'of which other containers are updated later',
    false,
    ({ next }) => ({ annotations: { [STATE]: state({ nextContainerImages: { other: next } }) } }),
  ],
  [
    'whose container is not restarted yet',
    false,
    ({ image, next }) => ({
      annotations: { [STATE]: state({ lastContainerStatuses: { main: { imageID: oldId } } }) },
      containers: [main({ image: next })],
      containerStatuses: [mainStatus({ image, imageID: oldId })],
    }),
  ],
  [
    'whose container is restarted',
    true,
    ({ next }) => ({
      annotations: { [STATE]: state({ lastContainerStatuses: { main: { imageID: oldId } } }) },
      containers: [main({ image: next })],
      containerStatuses: [mainStatus({ image: next, imageID: `registry.example.com/web@sha256:${'2'.repeat(64)}` })],
    }),
  ],
  [
    'whose sidecar is not restarted yet',
    false,
    ({ image, next }) => {
      const sidecar = { name: 'side', image: next, env: [{ name: 'IS_INJECTED', value: 'true' }], resources: {} };
      const lastContainerStatuses = { side: { imageID: oldId } };
      return {
        annotations: {
          'kruise.io/sidecarset-injected-list': 'logs',
          'kruise.io/sidecarset-inplace-update-state': JSON.stringify({
            logs: { revision: 'r', lastContainerStatuses },
          }),
        },
        containers: [main({ image }), sidecar],
        containerStatuses: [mainStatus({ image }), mainStatus({ name: 'side', image, imageID: oldId })],
      };
    },
  ],
];

describe.each(Object.entries(IMAGES))('with images %s', (_how, images) => {
  test.each(cases)('a pod %s counts: %s', (_what, isAvailable, parts) => {
    const { containers, containerStatuses, ...rest } = parts(images);
    const pod = running({
      containers: containers ?? [main({ image: images.image })],
      containerStatuses: containerStatuses ?? [mainStatus({ image: images.image })],
      ...rest,
    });
    const spec = { protectTotalReplicas: 1, maxUnavailable: 0 };
    const budget = protecting({ spec, status: { unavailableAllowed: 0, desiredAvailable: 1, totalReplicas: 1 } });

    // What the controller counts ...
    const objects = [budget, pod];
    const key = { namespace: 'shop', name: 'web-pub' };
    const fetched = controller.fetch(snapshot(controller, objects), key, lookUpIn(objects));
    const plan = fetched === undefined ? undefined : controller.plan(fetched, 0);
    const written = plan?.status?.type === 'update' ? (plan.status.object.status as JsonObject) : undefined;
    expect(written).toMatchObject({ desiredAvailable: 1, currentAvailable: Number(isAvailable) });

    // ... is what the webhook holds back.
    admission.hold(budget, pod);
    const changed = { ...pod, spec: { ...(pod.spec as JsonObject), terminationGracePeriodSeconds: 5 } };
    const verdicts = [admission.delete(pod), admission.evict(pod), admission.update(pod, changed)];
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([!isAvailable, !isAvailable, !isAvailable]);
  });
});
