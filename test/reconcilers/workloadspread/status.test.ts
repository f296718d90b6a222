// How a spread counts: its status, the ledgers of its versions, and the bookings in them (workloadspread.md 5.6 and 11).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { configuration } from '../../support/builders/policies.ts';
import { podOf, Spreading, type Subset, spread } from '../../support/spreading.ts';
import {
  ago,
  cloneSet,
  controller,
  countsIn,
  deployment,
  effectsIn,
  NOW,
  ofHash,
  planFor,
  podIn,
  podsIn,
  spreadOf,
  statusIn,
} from './support.ts';

const V = 'versionIgnored';

/** A spread over a(5) and b whose ledger has this entry for subset a. */
function booked(entry: JsonObject): JsonObject {
  const ledger = [{ name: 'a', replicas: 0, missingReplicas: 0, ...entry }];
  return spreadOf([['a', 5], ['b']], { status: { versionedSubsetStatuses: { [V]: ledger as JsonObject[] } } });
}

function reasonsIn(plan: ReturnType<typeof planFor>): string[] {
  return effectsIn(plan, 'event').map(({ reason }) => reason);
}

describe('a pod that is to come', () => {
  test('keeps its place while it was admitted just now', () => {
    const plan = planFor([booked({ creatingPods: { new: ago(10) } }), cloneSet(5), ...podsIn('a', 2)]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 2, 2],
      ['b', 0, -1],
    ]);
    expect(countsIn(plan)).toEqual([
      ['a', 2, 3],
      ['b', 0, -1],
    ]);
    expect(statusIn(plan)?.versionedSubsetStatuses?.[V]?.[0]?.creatingPods).toEqual({ new: ago(10) });
    expect(plan.requeueAfterMs).toBe(20_001);
  });

  test('loses it after 30 seconds, with an event', () => {
    const plan = planFor([booked({ creatingPods: { new: ago(31) } }), cloneSet(5), ...podsIn('a', 2)]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 2, 3],
      ['b', 0, -1],
    ]);
    expect(statusIn(plan)?.versionedSubsetStatuses?.[V]?.[0]).not.toHaveProperty('creatingPods');
    expect(reasonsIn(plan)).toEqual(['CreatePodFailed']);
  });

  test('is seen by its name, or by the id of its booking, whether it still runs or not', () => {
    const text = JSON.stringify({ Name: 'spread', Subset: 'a', UID: 'id-1' });
    const byId = podIn(undefined, 'x', { annotations: { 'apps.kruise.io/matched-workloadspread': text } });
    const creatingPods = { 'id-1': ago(1), 'a-0': ago(1), 'a-9': ago(1), other: ago(1) };
    const done = podIn('a', 'a-9', { phase: 'Succeeded' });
    const plan = planFor([booked({ creatingPods }), cloneSet(5), byId, done, ...podsIn('a', 1)]);
    expect(statusIn(plan)?.versionedSubsetStatuses?.[V]?.[0]).toMatchObject({
      replicas: 2,
      missingReplicas: 2,
      creatingPods: { other: ago(1) },
    });
  });
});

describe('a pod that is to go', () => {
  test('leaves its place already', () => {
    const plan = planFor([booked({ deletingPods: { 'a-4': ago(5) } }), cloneSet(5), ...podsIn('a', 5)]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 5, 1],
      ['b', 0, -1],
    ]);
    expect(plan.requeueAfterMs).toBe(10_001);
  });

  test('takes it back after 15 seconds, with an event', () => {
    const plan = planFor([booked({ deletingPods: { 'a-4': ago(16) } }), cloneSet(5), ...podsIn('a', 5)]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 5, 0],
      ['b', 0, -1],
    ]);
    expect(reasonsIn(plan)).toEqual(['DeletePodFailed']);
  });

  test('is forgotten once it goes', () => {
    const going = podIn('a', 'a-4', { metadata: { deletionTimestamp: ago(1) } });
    const plan = planFor([booked({ deletingPods: { 'a-4': ago(5) } }), cloneSet(5), ...podsIn('a', 4), going]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 4, 1],
      ['b', 0, -1],
    ]);
    expect(statusIn(plan)?.versionedSubsetStatuses?.[V]?.[0]).not.toHaveProperty('deletingPods');
    expect(reasonsIn(plan)).toEqual([]);
  });

  test('leaves no place where there are too many pods', () => {
    const plan = planFor([booked({ deletingPods: { 'a-6': ago(5) } }), cloneSet(7), ...podsIn('a', 7)]);
    expect(countsIn(plan, V)).toEqual([
      ['a', 7, 0],
      ['b', 0, -1],
    ]);
  });
});

describe('a percentage', () => {
  test.each<[number, string, number, number]>([
    [5, '80%', 1, 3],
    [6, '80%', 1, 4],
    [5, '30%', 0, 2],
    [0, '50%', 0, 0],
    [3, '50', 0, 50],
    [3, 'x', 0, 0],
  ])('of %i replicas: %s with %i pods misses %i', (replicas, max, running, missing) => {
    const plan = planFor([spreadOf([['a', max], ['b']]), cloneSet(replicas), ...podsIn('a', running)]);
    expect(countsIn(plan)[0]).toEqual(['a', running, missing]);
  });

  test('does not depend on the version in which the target is named', () => {
    const target: [string, string, string] = ['CloneSet', 'web', 'apps.kruise.io/v1alpha1'];
    const plan = planFor([spreadOf([['a', '50%'], ['b']], { target }), cloneSet(4), ...podsIn('a', 1)]);
    expect(countsIn(plan)[0]).toEqual(['a', 1, 1]);
  });
});

describe('the workload', () => {
  test('that is scaled to 0 has no pods that count', () => {
    const plan = planFor([
      spreadOf([
        ['a', 5],
        ['b', '50%'],
      ]),
      cloneSet(0),
      ...podsIn('a', 3),
    ]);
    expect(countsIn(plan)).toEqual([
      ['a', 0, 5],
      ['b', 0, 0],
    ]);
  });

  test('that is gone or going leaves ledgers only where something is booked', () => {
    const status = {
      versionedSubsetStatuses: {
        h1: [{ name: 'a', replicas: 2, missingReplicas: 3 }],
        h2: [{ name: 'a', replicas: 0, missingReplicas: 4, creatingPods: { x: ago(1) } }],
      },
    };
    for (const workload of [[], [cloneSet(3, { deletionTimestamp: ago(1) })]]) {
      const plan = planFor([spreadOf([['a', 5]], { status }), ...workload, ...podsIn('a', 2)]);
      expect(countsIn(plan)).toEqual([['a', 0, 5]]);
      expect(statusIn(plan)?.versionedSubsetStatuses).toEqual({
        h2: [{ name: 'a', replicas: 0, missingReplicas: 4, creatingPods: { x: ago(1) } }],
      });
    }
  });

  test.each<[string, string, JsonObject]>([
    ['StatefulSet', 'apps/v1', { replicas: 3 }],
    ['StatefulSet', 'apps.kruise.io/v1beta1', { replicas: 3 }],
    ['ReplicationController', 'v1', { replicas: 3 }],
    ['ReplicaSet', 'apps/v1', { replicas: 3 }],
    ['Job', 'batch/v1', { parallelism: 3, selector: { matchLabels: { app: 'web' } } }],
  ])('is a %s of %s', (kind, apiVersion, spec) => {
    const object = { apiVersion, kind, metadata: { name: 'web', uid: `uid-${kind}-web` }, spec };
    const own = podsIn('a', 2, { owner: [kind, 'web', apiVersion] });
    const others = podsIn('a', 2, { owner: [kind, 'other', apiVersion] }, 'other');
    const about = spreadOf([['a', '100%']], { target: [kind, 'web', apiVersion] });
    expect(countsIn(planFor([about, object, ...own, ...others]))).toEqual([['a', 2, 1]]);
  });

  test('of a kind that the operator lists has the replicas that its path leads to', () => {
    const workloads = [{ group: 'game.io', Kind: 'Fleet', replicaspath: 'spec.size.0.count' }];
    const listed = configuration({ WorkloadSpread_Watch_Custom_Workload_WhiteList: JSON.stringify({ workloads }) });
    const fleet = {
      apiVersion: 'game.io/v1',
      kind: 'Fleet',
      metadata: { name: 'web', uid: 'uid-Fleet-web' },
      spec: { size: [{ count: 6 }], replicas: 2 },
    };
    const own = podsIn('a', 2, { owner: ['Fleet', 'web', 'game.io/v1'] });
    const about = spreadOf([['a', '50%'], ['b']], { target: ['Fleet', 'web', 'game.io/v1'] });
    const plan = planFor([about, listed, fleet, ...own]);
    expect(countsIn(plan)[0]).toEqual(['a', 2, 1]);
    expect(plan.requeueAfterMs).toBe(30_000);
  });
});

describe('a filter', () => {
  const job = (spec: JsonObject) => ({
    apiVersion: 'kubeflow.org/v1',
    kind: 'TFJob',
    metadata: { name: 'web', uid: 'uid-TFJob-web' },
    spec,
  });
  const target: [string, string, string] = ['TFJob', 'web', 'kubeflow.org/v1'];
  const filter = {
    selector: { matchLabels: { role: 'worker' } },
    replicasPathList: ['spec.tfReplicaSpecs.Worker.replicas'],
  };
  const own = (role: string, count: number) => podsIn('a', count, { owner: target, labels: { role } }, role);

  test('lets some pods through, and says what percentages are of', () => {
    const spec = { tfReplicaSpecs: { Worker: { replicas: 4 }, PS: { replicas: 1 } } };
    const plan = planFor([
      spreadOf([['a', '50%'], ['b']], { target, filter }),
      job(spec),
      ...own('worker', 1),
      ...own('ps', 1),
    ]);
    expect(countsIn(plan)[0]).toEqual(['a', 1, 1]);
  });

  test('with a path that leads nowhere is an error, and nothing changes', () => {
    for (const spec of [{}, { tfReplicaSpecs: { Worker: { replicas: '4' } } }, { tfReplicaSpecs: [] }]) {
      const objects = [spreadOf([['a', '50%'], ['b']], { target, filter }), job(spec)];
      expect(() => planFor(objects)).toThrow('spec.tfReplicaSpecs.Worker.replicas');
    }
  });

  test('without selector lets all through', () => {
    const paths = { replicasPathList: ['spec.replicas'] };
    const plan = planFor([spreadOf([['a', '50%'], ['b']], { filter: paths }), cloneSet(4), ...podsIn('a', 1)]);
    expect(countsIn(plan)[0]).toEqual(['a', 1, 1]);
  });
});

describe('the versions of a Deployment', () => {
  const about = (status?: JsonObject) =>
    spreadOf([['a', 3], ['b']], { target: ['Deployment', 'web', 'apps/v1'], ...(status && { status }) });
  const objects = [
    ...deployment(10, 'h1', 'h2'),
    ...podsIn('a', 3, ofHash('h1'), 'a-old'),
    ...podsIn('b', 2, ofHash('h1'), 'b-old'),
    ...podsIn('a', 3, ofHash('h2'), 'a-new'),
    ...podsIn('b', 2, ofHash('h2'), 'b-new'),
  ];

  test('have a ledger each, with all places', () => {
    const plan = planFor([about(), ...objects]);
    expect(countsIn(plan)).toEqual([
      ['a', 6, 0],
      ['b', 4, -1],
    ]);
    expect(countsIn(plan, 'h1')).toEqual([
      ['a', 3, 0],
      ['b', 2, -1],
    ]);
    expect(countsIn(plan, 'h2')).toEqual([
      ['a', 3, 0],
      ['b', 2, -1],
    ]);
  });

  test('that have no pods and no bookings any more are dropped', () => {
    const old = { versionedSubsetStatuses: { h0: [{ name: 'a', replicas: 1, missingReplicas: 2 }] } };
    expect(statusIn(planFor([about(old), ...objects]))?.versionedSubsetStatuses).not.toHaveProperty('h0');
  });
});

describe('the status', () => {
  const subsets: Subset[] = [['a', 5], ['b']];

  test('is of the generation that was read, and written over that alone', () => {
    const plan = planFor([spreadOf(subsets), cloneSet(2)]);
    expect(statusIn(plan)?.observedGeneration).toBe(3);
    expect(effectsIn(plan, 'update')[0]).toMatchObject({
      subresource: 'status',
      object: { metadata: { resourceVersion: '5' } },
    });
  });

  test('is not written again when it is right', () => {
    const status = statusIn(planFor([spreadOf(subsets), cloneSet(2), ...podsIn('a', 2)])) as JsonObject;
    const costs = { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '200' } };
    const settled = podsIn('a', 2).map((pod) => {
      const { annotations, ...rest } = pod.metadata as { annotations: JsonObject };
      return { ...pod, metadata: { ...rest, annotations: { ...annotations, ...costs.annotations } } };
    });
    expect(planFor([spreadOf(subsets, { status }), cloneSet(2), ...settled])).toEqual({ groups: [] });
    // Empty maps say nothing.
    const padded = (status.subsetStatuses as JsonObject[]).map((one) => ({ ...one, creatingPods: {}, conditions: [] }));
    const same = spreadOf(subsets, { status: { ...status, subsetStatuses: padded } });
    expect(planFor([same, cloneSet(2), ...settled])).toEqual({ groups: [] });
  });

  test('follows the spec in names and order', () => {
    const old = ['c', 'b', 'a'].map((name) => ({
      name,
      replicas: 0,
      missingReplicas: 1,
      creatingPods: { [name]: ago(1) },
    }));
    const status = { versionedSubsetStatuses: { [V]: old } };
    const plan = planFor([spreadOf(subsets, { status }), cloneSet(2)]);
    expect(statusIn(plan)?.versionedSubsetStatuses?.[V]).toEqual([
      { name: 'a', replicas: 0, missingReplicas: 4, creatingPods: { a: ago(1) } },
      { name: 'b', replicas: 0, missingReplicas: -1, creatingPods: { b: ago(1) } },
    ]);
  });
});

// Admission and the controller must look into the same ledger, and take the same pods for a spread's.
describe('the ledger of a pod is the one that admission books it in', async () => {
  const admission = await Spreading.start();
  test.each<[string, [string, string, string], JsonObject, string]>([
    ['of a CloneSet', ['CloneSet', 'web', 'apps.kruise.io/v1beta1'], { 'controller-revision-hash': 'web-h1' }, V],
    ['of a ReplicaSet', ['ReplicaSet', 'web', 'apps/v1'], { 'pod-template-hash': 'h1' }, 'h1'],
    [
      'of a ReplicaSet with a revision',
      ['ReplicaSet', 'web', 'apps/v1'],
      { 'controller-revision-hash': 'web-x-h2' },
      'h2',
    ],
    ['of a ReplicaSet without version', ['ReplicaSet', 'web', 'apps/v1'], {}, V],
    ['of a Job', ['Job', 'web', 'batch/v1'], { 'pod-template-hash': 'h1' }, V],
  ])('%s', (_what, owner, labels, version) => {
    const [kind, name, apiVersion] = owner;
    const about = spread([['a', 5], ['b']], { target: owner });
    admission.hold(about);
    const pod = podOf('web-0', { owner, labels: { app: 'web', ...(labels as Record<string, string>) } });
    const created = admission.create(pod).object ?? {};
    const status = admission.status() as JsonObject;
    expect(Object.keys(status.versionedSubsetStatuses as JsonObject)).toEqual([version]);
    const selector = { matchLabels: { app: 'web' } };
    const workload = { apiVersion, kind, metadata: { name }, spec: { replicas: 1, parallelism: 1, selector } };
    const plan = planFor([{ ...about, status }, workload, created], NOW);
    expect(statusIn(plan)?.versionedSubsetStatuses).toEqual({
      [version]: [
        { name: 'a', replicas: 1, missingReplicas: 4 },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
    });
  });
});

// What admission counts in a new ledger is what the controller finds there.
describe('the room that admission finds in a new ledger stays as it is', async () => {
  const admission = await Spreading.start();
  const CLONE_SET: [string, string, string] = ['CloneSet', 'web', 'apps.kruise.io/v1beta1'];
  const JOB: [string, string, string] = ['Job', 'web', 'batch/v1'];
  const cases = [0, 1, 7, '0%', '1%', '30%', '50%', '99%', '100%'].flatMap((max) =>
    [1, 2, 3, 10].flatMap((replicas) => [CLONE_SET, JOB].map((target) => ({ max, replicas, target }))),
  );
  test.each(cases)('with $max of $replicas for $target.0', ({ max, replicas, target }) => {
    const [kind, name, apiVersion] = target;
    const selector = { matchLabels: { app: 'web' } };
    const size = kind === 'Job' ? { parallelism: replicas, replicas: 99 } : { replicas, parallelism: 99 };
    const workload = { apiVersion, kind, metadata: { name, namespace: 'shop' }, spec: { ...size, selector } };
    const about = spread([['a', max], ['b']], { target });
    admission.hold(about, workload);
    admission.create(podOf('web-0', { owner: target }));
    const status = (admission.status() ?? {}) as JsonObject;
    const booked = status.versionedSubsetStatuses as Record<string, JsonObject[]> | undefined;
    const plan = planFor([{ ...about, status }, workload]);
    // Nothing is booked in a subset without limit.
    if (booked === undefined) expect(countsIn(plan)[0]).toEqual(['a', 0, 0]);
    else expect(statusIn(plan)?.versionedSubsetStatuses).toEqual(booked);
  });
});

test('a spread that is gone or going, or has no target, is left alone', () => {
  const made = spreadOf([['a', 5]]);
  const { targetRef: _none, ...untargeted } = made.spec as JsonObject;
  const going = spreadOf([['a', 5]], { metadata: { deletionTimestamp: ago(1) } });
  for (const object of [going, { ...made, spec: untargeted }, cloneSet(3)]) {
    expect(planFor([object, cloneSet(3), ...podsIn('a', 3)])).toEqual({ groups: [] });
  }
  expect(controller.name).toBe('workloadspread-controller');
});
