// What the controller of PodUnavailableBudget counts, links and tells (podunavailablebudget.md 6, 7 and 13).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import {
  ago,
  budget,
  countersIn,
  deployment,
  effectsIn,
  NOW,
  planFor,
  pods,
  reference,
  SELECTOR,
  statusIn,
  target,
  workload,
} from './support.ts';

const DEPLOYMENT = target('Deployment');
const notReady = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
const terminating = { metadata: { deletionTimestamp: ago(3) } };

/** Total, desired, current, allowed. */
type Counters = [number, number, number, number];

describe('the status of a budget', () => {
  const ten = pods(10, reference('ReplicaSet', 'web-1', 'apps/v1'));
  test.each<[string, JsonObject, JsonObject[], Counters]>([
    ['of a Deployment', { ...DEPLOYMENT, maxUnavailable: '30%' }, deployment(10, 10), [10, 7, 10, 3]],
    [
      'with pods that are being deleted',
      { ...DEPLOYMENT, maxUnavailable: '30%' },
      [...deployment(10, 7), ...pods(3, reference('ReplicaSet', 'web-1', 'apps/v1'), terminating, 'old')],
      [10, 7, 7, 0],
    ],
    [
      'with pods of a surge',
      { ...SELECTOR, maxUnavailable: '30%' },
      [...deployment(10, 12), ...pods(1, reference('ReplicaSet', 'web-1', 'apps/v1'), notReady, 'new')],
      [10, 7, 12, 5],
    ],
    ['of a Deployment that is scaled to 0', { ...SELECTOR, maxUnavailable: '30%' }, deployment(0, 10), [0, 0, 10, 10]],
    ['of a target that is scaled to 0', { ...DEPLOYMENT, maxUnavailable: '30%' }, deployment(0, 10), [0, 0, 0, 0]],
    [
      'that says how many are expected',
      { ...DEPLOYMENT, maxUnavailable: '30%', protectTotalReplicas: 15 },
      deployment(1, 10),
      [15, 10, 10, 0],
    ],
    ['that wants more than there are', { ...DEPLOYMENT, minAvailable: 100 }, deployment(10, 5), [10, 100, 5, 0]],
    ['of pods without controller', { ...SELECTOR, maxUnavailable: 1 }, pods(2, undefined), [0, 0, 2, 2]],
    [
      'of pods without controller that are expected',
      { ...SELECTOR, maxUnavailable: 1, protectTotalReplicas: 2 },
      pods(2, undefined),
      [2, 1, 2, 1],
    ],
    [
      'of a Deployment that was halved',
      { ...DEPLOYMENT, maxUnavailable: '10%' },
      deployment(50, 100),
      [50, 45, 100, 55],
    ],
    ['of a Deployment without replicas', { ...DEPLOYMENT, maxUnavailable: 0 }, deployment(null, 1), [1, 1, 1, 0]],
    ['by percentages of what stays', { ...DEPLOYMENT, minAvailable: '50%' }, deployment(5, 5), [5, 3, 5, 2]],
    ['of a target that is gone', { ...DEPLOYMENT, maxUnavailable: 1 }, ten, [0, 0, 0, 0]],
    [
      'of ReplicaSets whose Deployment is gone',
      { ...SELECTOR, maxUnavailable: 1 },
      deployment(10, 10).slice(1),
      [0, 0, 10, 10],
    ],
    [
      'of a target that is being deleted',
      { ...DEPLOYMENT, maxUnavailable: 1 },
      [
        workload('Deployment', { replicas: 10, metadata: { deletionTimestamp: ago(1) } }),
        ...deployment(10, 10).slice(1),
      ],
      [0, 0, 0, 0],
    ],
    ['that selects nothing', { selector: {}, maxUnavailable: 1 }, ten, [0, 0, 0, 0]],
  ])('%s', (_what, spec, objects, counters) => {
    const plan = planFor([budget(spec), ...objects]);
    expect(countersIn(plan)).toEqual(counters);
    expect(statusIn(plan)?.observedGeneration).toBe(3);
  });

  test.each<[string, string]>([
    ['ReplicaSet', 'apps/v1'],
    ['StatefulSet', 'apps/v1'],
    ['ReplicationController', 'v1'],
    ['CloneSet', 'apps.kruise.io/v1beta1'],
    ['StatefulSet', 'apps.kruise.io/v1beta1'],
  ])('of the pods of a %s of %s, by target and by labels', (kind, apiVersion) => {
    const own = pods(4, reference(kind, 'web', apiVersion));
    const others = pods(3, reference('ReplicaSet', 'other', 'apps/v1'), { labels: { app: 'other' } }, 'other');
    const objects = [workload(kind, { replicas: 5, apiVersion }), ...own, ...others];
    for (const about of [target(kind, 'web', apiVersion.replace('v1beta1', 'v1alpha1')), SELECTOR]) {
      expect(countersIn(planFor([budget({ ...about, maxUnavailable: 2 }), ...objects]))).toEqual([5, 3, 4, 1]);
    }
  });

  test('counts the replicas of a Deployment once, whatever ReplicaSets it has', () => {
    const old = workload('ReplicaSet', {
      name: 'web-0',
      metadata: { ownerReferences: [reference('Deployment', 'web', 'apps/v1')] },
    });
    const more = pods(2, reference('ReplicaSet', 'web-0', 'apps/v1'), {}, 'old');
    const plan = planFor([budget({ ...SELECTOR, maxUnavailable: 1 }), old, ...deployment(4, 3), ...more]);
    expect(countersIn(plan)).toEqual([4, 3, 5, 2]);
  });

  test('reads v1alpha1’s annotation where the member is missing', () => {
    const annotations = { 'pub.kruise.io/protect-total-replicas': '15' };
    const plan = planFor([budget({ ...DEPLOYMENT, maxUnavailable: '30%' }, {}, { annotations }), ...deployment(1, 10)]);
    expect(countersIn(plan)).toEqual([15, 10, 10, 0]);
  });

  test('is not written again once it is right', () => {
    const spec = { ...DEPLOYMENT, maxUnavailable: '30%' };
    const status = statusIn(planFor([budget(spec), ...deployment(10, 10)])) ?? {};
    expect(planFor([budget(spec, status), ...deployment(10, 10)])).toEqual({ groups: [] });
    expect(statusIn(planFor([budget(spec, status, { generation: 4 }), ...deployment(10, 10)]))).toBeDefined();
  });

  test('is written only over what was read', () => {
    const { status } = planFor([budget({ ...DEPLOYMENT, maxUnavailable: '30%' }), ...deployment(10, 10)]);
    expect(status).toMatchObject({ subresource: 'status', object: { metadata: { resourceVersion: '7' } } });
  });
});

describe('a workload above other workloads', () => {
  const rollout = reference('Rollout', 'web', 'argoproj.io/v1alpha1');
  const set = workload('ReplicaSet', { name: 'web-1', replicas: 4, metadata: { ownerReferences: [rollout] } });
  const own = pods(4, reference('ReplicaSet', 'web-1', 'apps/v1'), { annotations: unlinked() });
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'web', uid: 'uid-Rollout-web' },
    spec: { replicas: 4, of: 'Rollout' },
    status: { selector: 'app in (web), !canary' },
  };
  const spec = { ...target('Rollout', 'web', 'argoproj.io/v1alpha1'), maxUnavailable: 1 };

  test('has the pods of those as its own', () => {
    const plan = planFor([budget(spec), set, scale, ...own]);
    expect(countersIn(plan)).toEqual([4, 3, 4, 1]);
    expect(effectsIn(plan, 'patch')).toHaveLength(4);
  });

  test('has the pods that its scale selects when none is below it', () => {
    const other = pods(4, reference('Game', 'web-1', 'game.io/v1'));
    expect(countersIn(planFor([budget(spec), scale, ...other]))).toEqual([4, 3, 4, 1]);
  });

  test('without scale counts what it wants or, if it does not say, what is there', () => {
    const daemons = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'web' }, spec: {} };
    const daemonPods = pods(4, reference('DaemonSet', 'web', 'apps/v1'));
    const about = budget({ ...target('DaemonSet'), maxUnavailable: 1 });
    const wanted = { ...daemons, status: { desiredNumberScheduled: 6 } };
    expect(countersIn(planFor([about, wanted, ...daemonPods]))).toEqual([6, 5, 4, 0]);
    expect(countersIn(planFor([about, daemons, ...daemonPods]))).toEqual([4, 3, 4, 1]);
    expect(countersIn(planFor([budget({ ...SELECTOR, maxUnavailable: 1 }), daemons, ...daemonPods]))).toEqual([
      0, 0, 4, 4,
    ]);
  });
});

describe('a pod whose disturbance was admitted', () => {
  const hundred = deployment(100, 100);
  const spec = { ...DEPLOYMENT, maxUnavailable: '30%' };
  const names = (from: number, to: number, seconds: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`web-${from + i}`, ago(seconds)]));

  test('holds its unit while that is fresh', () => {
    const old = { disruptedPods: names(0, 10, 3), unavailablePods: names(10, 20, 4) };
    const plan = planFor([budget(spec, old), ...hundred]);
    expect(statusIn(plan)).toMatchObject({
      ...old,
      currentAvailable: 80,
      desiredAvailable: 70,
      unavailableAllowed: 10,
    });
    expect(plan.requeueAfterMs).toBe(6001);
  });

  test('gives it back after 10 seconds of an update, and 20 of anything else with an event', () => {
    const old = {
      disruptedPods: { ...names(0, 5, 25), ...names(5, 10, 3) },
      unavailablePods: { ...names(10, 15, 11), ...names(15, 20, 4) },
    };
    const plan = planFor([budget(spec, old), ...hundred]);
    expect(statusIn(plan)).toMatchObject({
      disruptedPods: names(5, 10, 3),
      unavailablePods: names(15, 20, 4),
      currentAvailable: 90,
      unavailableAllowed: 20,
    });
    const events = effectsIn(plan, 'event').map(({ regarding, eventType, reason }) => [
      regarding.metadata.name,
      eventType,
      reason,
    ]);
    expect(events).toEqual(Object.keys(names(0, 5, 25)).map((name) => [name, 'Warning', 'NotDeleted']));
  });

  test('holds it up to the very second', () => {
    const old = { disruptedPods: names(0, 1, 20), unavailablePods: names(1, 2, 10) };
    const plan = planFor([budget(spec, old), ...hundred]);
    expect(statusIn(plan)).toMatchObject(old);
    expect(plan.requeueAfterMs).toBe(1);
    expect(statusIn(planFor([budget(spec, old), ...hundred], NOW + 1001))).not.toHaveProperty('disruptedPods');
  });

  test('is forgotten, without a word, once it is gone, finished or going', () => {
    const finished = pods(1, reference('ReplicaSet', 'web-1', 'apps/v1'), { status: { phase: 'Failed' } }, 'failed');
    const going = pods(1, reference('ReplicaSet', 'web-1', 'apps/v1'), terminating, 'going');
    const old = { disruptedPods: { 'failed-0': ago(1), 'going-0': ago(1), 'gone-0': ago(100) } };
    const plan = planFor([
      budget({ ...DEPLOYMENT, maxUnavailable: 1 }, old),
      ...deployment(3, 1),
      ...finished,
      ...going,
    ]);
    expect(statusIn(plan)).not.toHaveProperty('disruptedPods');
    expect(effectsIn(plan, 'event')).toEqual([]);
    expect(plan.requeueAfterMs).toBeUndefined();
  });
});

function unlinked(): Record<string, string> {
  return { 'pub.kruise.io/related-pub': '', 'kruise.io/related-pub': '' };
}

describe('a pod that no admission has linked', () => {
  const spec = { ...DEPLOYMENT, maxUnavailable: 1 };
  const linked = (annotations: Record<string, string>, others: JsonObject[] = []) =>
    effectsIn(planFor([budget(spec), ...deployment(2, 2, { annotations }), ...others]), 'patch');

  test('gets both annotations', () => {
    const patches = linked(unlinked());
    expect(patches.map(({ reference: { name } }) => name)).toEqual(['web-0', 'web-1']);
    expect(patches[0]?.patch).toMatchObject({
      metadata: { annotations: { 'pub.kruise.io/related-pub': 'web-pub', 'kruise.io/related-pub': 'web-pub' } },
    });
  });

  test('that names another budget keeps that as long as it exists', () => {
    const other = { 'pub.kruise.io/related-pub': 'other', 'kruise.io/related-pub': 'other' };
    expect(linked(other)).toHaveLength(2);
    expect(linked(other, [budget(SELECTOR, {}, { name: 'other', uid: 'uid-other' })])).toEqual([]);
  });

  test('that has the annotation of older releases is linked', () => {
    expect(linked({ 'pub.kruise.io/related-pub': '', 'kruise.io/related-pub': 'web-pub' })).toEqual([]);
  });
});

describe('the events of a budget', () => {
  const reasons = (objects: JsonObject[]) => effectsIn(planFor(objects), 'event').map(({ reason }) => reason);

  test('tell that there are no pods, when that becomes known', () => {
    const spec = { ...SELECTOR, maxUnavailable: 1 };
    expect(reasons([budget(spec)])).toEqual(['NoPods']);
    const status = statusIn(planFor([budget(spec)])) ?? {};
    expect(planFor([budget(spec, status)])).toEqual({ groups: [] });
  });

  test('tell that the amount cannot be read, and the status stays', () => {
    const objects = [budget({ ...DEPLOYMENT, maxUnavailable: 'many' }), ...deployment(2, 2)];
    expect(reasons(objects)).toEqual(['CalculateExpectedPodCountFailed']);
    expect(planFor(objects).status).toBeUndefined();
  });
});

test('a budget that is gone or going is left alone', () => {
  expect(planFor(deployment(2, 2))).toEqual({ groups: [] });
  const going = budget({ ...DEPLOYMENT, maxUnavailable: 1 }, {}, { deletionTimestamp: ago(1) });
  expect(planFor([going, ...deployment(2, 2)])).toEqual({ groups: [] });
});
