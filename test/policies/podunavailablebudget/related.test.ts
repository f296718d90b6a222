// Which budget a new pod counts for (podunavailablebudget.md 3.2; F16: workloads further up).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { budget, controllerReference, ownedBy, targeting, workloadOf } from '../../support/builders/policies.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const APPS = 'apps/v1';
const ROLLOUTS = 'argoproj.io/v1alpha1';

/** The budget that the two annotations name; undefined if there are none. */
function related(created: JsonObject): unknown {
  const { 'pub.kruise.io/related-pub': now, 'kruise.io/related-pub': legacy } = see.annotations(created);
  expect(legacy).toBe(now);
  return now;
}

/** ReplicaSet `web-1` of Deployment `web`, and pods of it. */
const DEPLOYED = [
  workloadOf('Deployment', 'web', APPS),
  workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Deployment', 'web', APPS)),
];
const OF_REPLICASET = ownedBy('ReplicaSet', 'web-1', APPS);

describe('a pod counts for', async () => {
  const injection = await Injection.start();

  test.each<[string, JsonObject[], { metadata?: JsonObject }, string | undefined]>([
    ['the budget that selects it', [budget('p')], {}, 'p'],
    ['the first by name of several', [budget('q'), budget('p'), budget('r')], {}, 'p'],
    ['none that selects others', [budget('p', { selector: { matchLabels: { app: 'api' } } })], {}, undefined],
    ['none with an empty selector', [budget('p', { selector: {} })], {}, undefined],
    ['none without a selector', [budget('p', {})], {}, undefined],
    [
      'none whose selector is wrong',
      [budget('p', { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } })],
      {},
      undefined,
    ],
    ['none of another namespace', [{ ...budget('p'), metadata: { name: 'p', namespace: 'other' } }], {}, undefined],
    [
      'that of its CloneSet',
      [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      'p',
    ],
    [
      'that of its CloneSet in any version',
      [budget('p', targeting('CloneSet', 'web', 'apps.kruise.io/v1alpha1')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet', 'web', 'apps.kruise.io/v9'),
      'p',
    ],
    [
      'none of a workload of another name',
      [budget('p', targeting('CloneSet', 'api')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      undefined,
    ],
    [
      'none of a workload of another group',
      [budget('p', targeting('StatefulSet')), workloadOf('StatefulSet', 'web', APPS)],
      ownedBy('StatefulSet', 'web', APPS),
      undefined,
    ],
    ['that of its Deployment', [budget('p', targeting('Deployment', 'web', APPS)), ...DEPLOYED], OF_REPLICASET, 'p'],
    [
      'none of its ReplicaSet, if that is of a Deployment',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), ...DEPLOYED],
      OF_REPLICASET,
      undefined,
    ],
    [
      'that of its ReplicaSet, if the Deployment is gone',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), ...DEPLOYED.slice(1)],
      OF_REPLICASET,
      'p',
    ],
    [
      'none of a Deployment that is gone',
      [budget('p', targeting('Deployment', 'web', APPS)), ...DEPLOYED.slice(1)],
      OF_REPLICASET,
      undefined,
    ],
    [
      'none of a Deployment that took the name of the old one',
      [
        budget('p', targeting('Deployment', 'web', APPS)),
        { ...workloadOf('Deployment', 'web', APPS), metadata: { name: 'web', namespace: 'shop', uid: 'other' } },
        ...DEPLOYED.slice(1),
      ],
      OF_REPLICASET,
      undefined,
    ],
    [
      'that of a ReplicaSet alone',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), workloadOf('ReplicaSet', 'web-1', APPS)],
      OF_REPLICASET,
      'p',
    ],
    [
      'that of any kind of controller',
      [budget('p', targeting('DaemonSet', 'agent', APPS)), workloadOf('DaemonSet', 'agent', APPS)],
      ownedBy('DaemonSet', 'agent', APPS),
      'p',
    ],
    [
      'that of a Rollout above its ReplicaSet',
      [
        budget('p', targeting('Rollout', 'web', ROLLOUTS)),
        workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Rollout', 'web', ROLLOUTS)),
      ],
      OF_REPLICASET,
      'p',
    ],
    [
      'that of a UnitedDeployment above its Deployment',
      [
        budget('p', targeting('UnitedDeployment', 'web')),
        workloadOf('Deployment', 'web-a', APPS, controllerReference('UnitedDeployment', 'web')),
        workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Deployment', 'web-a', APPS)),
      ],
      OF_REPLICASET,
      'p',
    ],
    [
      'none of a kind that nothing above it has',
      [budget('p', targeting('Rollout', 'web', ROLLOUTS)), ...DEPLOYED],
      OF_REPLICASET,
      undefined,
    ],
    [
      'the first by name, whichever way it matches',
      [budget('q'), budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      'p',
    ],
    ['none of a workload that is gone', [budget('p', targeting('CloneSet'))], ownedBy('CloneSet'), undefined],
    [
      'one by its selector, if the workload is gone',
      [budget('p', { ...targeting('CloneSet', 'api'), selector: { matchLabels: { app: 'web' } } })],
      ownedBy('CloneSet'),
      'p',
    ],
    [
      'none by its selector, if the workload is another one',
      [
        budget('p', { ...targeting('CloneSet', 'api'), selector: { matchLabels: { app: 'web' } } }),
        workloadOf('CloneSet', 'web'),
      ],
      ownedBy('CloneSet'),
      undefined,
    ],
    [
      'none of a workload that does not control it',
      [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      { metadata: { ownerReferences: [{ ...controllerReference('CloneSet', 'web'), controller: false }] } },
      undefined,
    ],
  ])('%s', (_what, objects, owner, name) => {
    expect(related(injection.hold(...objects).create(pod(owner)))).toBe(name);
  });

  test('one whose name stands on it already in place of another', () => {
    const annotations = { 'pub.kruise.io/related-pub': 'old', 'kruise.io/related-pub': 'older' };
    expect(related(injection.hold(budget('p')).create(pod({ annotations })))).toBe('p');
  });

  test('none, and keeps what stands on it', () => {
    const before = pod({ annotations: { 'pub.kruise.io/related-pub': 'old' } });
    expect(injection.hold().create(before)).toEqual(before);
  });

  test('one of the namespace of the request, if it names none', () => {
    const before = pod();
    delete (before.metadata as JsonObject).namespace;
    expect(related(injection.hold(budget('p')).create(before, { namespace: 'shop' }))).toBe('p');
  });

  test('a budget as well when it gets sidecars', () => {
    const created = injection.hold(budget('p'), sidecarSet('logs', { containers: [sidecar('log')] })).create(pod());
    expect([related(created), see.containers(created)]).toEqual(['p', ['log', 'app']]);
  });

  test.each([
    ['an update', { operation: 'UPDATE' }],
    ['a sub-resource', { subResource: 'status' }],
  ])('none in %s', (_what, parts) => {
    const before = pod();
    expect(injection.hold(budget('p')).create(before, parts)).toEqual(before);
  });
});

test.each([
  ['both gates', { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: false }, undefined],
  ['one gate', { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: true }, 'p'],
])('without %s', async (_what, gates, name) => {
  const injection = (await Injection.start(gates)).hold(budget('p'));
  expect(related(injection.create(pod()))).toBe(name);
});
