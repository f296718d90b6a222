// What the controller of WorkloadSpread does to pods: what their deletion costs, which subset adopts them, and which are
// moved on because they cannot be scheduled (workloadspread.md 5.4, 5.5, 5.7 and 11).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Plan } from '../../../kube/plan.ts';
import type { Subset } from '../../support/spreading.ts';
import {
  adoptedIn,
  ago,
  cloneSet,
  costsIn,
  deployment,
  effectsIn,
  NOW,
  node,
  ofHash,
  planFor,
  podIn,
  podsIn,
  spreadOf,
  statusIn,
} from './support.ts';

describe('the cost of deleting a pod', () => {
  const target: [string, string, string] = ['Deployment', 'web', 'apps/v1'];

  test('is greatest in the first subset, and below zero for those that are too many', () => {
    const unready = podIn('a', 'a-bad', { ready: false });
    const pods = [unready, ...podsIn('a', 3), ...podsIn('b', 2)];
    const plan = planFor([spreadOf([['a', 3], ['b']]), cloneSet(6), ...pods]);
    expect(costsIn(plan)).toEqual({
      'a-bad': '-100',
      'a-0': '200',
      'a-1': '200',
      'a-2': '200',
      'b-0': '100',
      'b-1': '100',
    });
  });

  test('is the other way round for old versions', () => {
    const plan = planFor([
      spreadOf([['a', 3], ['b']], { target }),
      ...deployment(10, 'h1', 'h2'),
      podIn('a', 'a-old', ofHash('h1')),
      podIn('b', 'b-old', ofHash('h1')),
      podIn('a', 'a-new', ofHash('h2')),
      podIn('b', 'b-new', ofHash('h2')),
    ]);
    expect(costsIn(plan)).toEqual({ 'a-new': '200', 'b-new': '100', 'a-old': '100', 'b-old': '200' });
  });

  test('of three subsets: latest and old version, and what is in no subset', () => {
    const subsets: Subset[] = [
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ];
    const pods = (hash: string) =>
      ['a', 'b', 'c', 'gone'].flatMap((subset) =>
        podsIn(subset, 2, { ...ofHash(hash), createdAgo: 60 }, `${subset}-${hash}`),
      );
    const plan = planFor([spreadOf(subsets, { target }), ...deployment(10, 'h1', 'h2'), ...pods('h1'), ...pods('h2')]);
    const costs = costsIn(plan);
    const of = (hash: string, subset: string) => [costs[`${subset}-${hash}-0`], costs[`${subset}-${hash}-1`]].sort();
    expect(['a', 'b', 'c', 'gone'].map((subset) => of('h2', subset))).toEqual([
      ['-100', '300'],
      ['-200', '200'],
      ['-300', '100'],
      ['-400', '-400'],
    ]);
    expect(['a', 'b', 'c', 'gone'].map((subset) => of('h1', subset))).toEqual([
      ['-300', '100'],
      ['-200', '200'],
      ['-100', '300'],
      ['-400', '-400'],
    ]);
  });

  test('of a pod whose subset is not in the spec any more is the lowest, and it has no status', () => {
    const plan = planFor([spreadOf([['a']]), cloneSet(2), ...podsIn('b', 1)]);
    expect(costsIn(plan)).toEqual({ 'b-0': '-200' });
    expect(statusIn(plan)?.subsetStatuses?.map(({ name }) => name)).toEqual(['a']);
  });

  test('is written where it differs, and not on pods that are finished or going', () => {
    const has = (cost: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } });
    const pods = [
      podIn('a', 'right', has('200')),
      podIn('a', 'wrong', has('100')),
      podIn('a', 'done', { phase: 'Succeeded' }),
      podIn('a', 'going', { metadata: { deletionTimestamp: ago(1) } }),
    ];
    expect(costsIn(planFor([spreadOf([['a', 9], ['b']]), cloneSet(4), ...pods]))).toEqual({ wrong: '200' });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['that has no node', podIn('a', 'x', { node: '' }), podIn('a', 'y')],
    ['that is pending', podIn('a', 'x', { phase: 'Pending' }), podIn('a', 'y', { phase: 'Running' })],
    ['that is not ready', podIn('a', 'x', { ready: false }), podIn('a', 'y')],
    ['that became ready later', podIn('a', 'x', { createdAgo: 60 }), podIn('a', 'y', { createdAgo: 90 })],
    [
      'that restarted more often',
      podIn('a', 'x', { status: { containerStatuses: [{ name: 'app', restartCount: 2 }] } }),
      podIn('a', 'y', { status: { containerStatuses: [{ name: 'app', restartCount: 1 }] } }),
    ],
  ])('is lowest for one %s', (_what, first, second) => {
    for (const pods of [
      [first, second],
      [second, first],
    ]) {
      const plan = planFor([spreadOf([['a', 1], ['b']]), cloneSet(2), ...pods]);
      expect(costsIn(plan)).toEqual({ x: '-100', y: '200' });
    }
  });

  test('is not set for workloads that do not look at it', () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'web' },
      spec: { selector: {}, parallelism: 2 },
    };
    const about = spreadOf([['a', 1], ['b']], { target: ['Job', 'web', 'batch/v1'] });
    const plan = planFor([about, job, ...podsIn('a', 2, { owner: ['Job', 'web', 'batch/v1'] })]);
    expect(costsIn(plan)).toEqual({});
    expect(statusIn(plan)?.subsetStatuses?.[0]?.replicas).toBe(2);
  });

  test('waits until the Deployment has a ReplicaSet with its template', () => {
    const [workload, set] = deployment(2, 'h1');
    const { spec } = workload as { spec: JsonObject };
    const changed = { ...workload, spec: { ...spec, template: { spec: { containers: [] } } } };
    const plan = planFor([spreadOf([['a', 3], ['b']], { target }), changed, set ?? {}, podIn('a', 'x', ofHash('h1'))]);
    expect(costsIn(plan)).toEqual({});
    expect(statusIn(plan)?.subsetStatuses?.[0]?.replicas).toBe(1);
  });
});

describe('a pod that is in no subset', () => {
  const zone = (...values: string[]) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values }] });
  const nodes = [node('n1', { zone: 'z1' }), node('n2', { zone: 'z2' })];
  const a: Subset = ['a', 1, { requiredNodeSelector: zone('z1'), patch: { metadata: { labels: { sub: 'a' } } } }];
  const b: Subset = ['b', 1, { requiredNodeSelector: zone('z2') }];

  test('is adopted by the subset of its node, and gets the metadata of its patch', () => {
    const pods = [podIn(undefined, 'x'), podIn(undefined, 'y', { node: 'n2' })];
    const plan = planFor([spreadOf([a, b]), cloneSet(2), ...nodes, ...pods]);
    expect(adoptedIn(plan)).toEqual({ x: { subset: 'a', labels: { sub: 'a' } }, y: { subset: 'b' } });
    expect(costsIn(plan)).toEqual({ x: '200', y: '100' });
    expect(statusIn(plan)?.subsetStatuses?.map(({ replicas }) => replicas)).toEqual([1, 1]);
    const about = effectsIn(plan, 'patch').find(({ reference }) => reference.name === 'x');
    expect(about?.patch).toMatchObject({
      metadata: { annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"a"}' } },
    });
  });

  test('gets only its place where the spread says so', () => {
    const metadata = { annotations: { 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata': 'True' } };
    const plan = planFor([spreadOf([a, b], { metadata }), cloneSet(2), ...nodes, podIn(undefined, 'x')]);
    expect(adoptedIn(plan)).toEqual({ x: { subset: 'a' } });
  });

  test.each<[string, JsonObject, JsonObject[]]>([
    ['has no node', podIn(undefined, 'x', { node: '' }), nodes],
    ['has a node that is not known', podIn(undefined, 'x', { node: 'n9' }), nodes],
    ['has a node of no subset', podIn(undefined, 'x'), [node('n1', { zone: 'z9' })]],
    [
      'has a node with a taint',
      podIn(undefined, 'x'),
      [node('n1', { zone: 'z1' }, { taints: [{ key: 't', effect: 'PreferNoSchedule' }] })],
    ],
    ['is going', podIn(undefined, 'x', { metadata: { deletionTimestamp: ago(1) } }), nodes],
  ])('stays so when it %s', (_what, pod, around) => {
    const plan = planFor([spreadOf([a, b]), cloneSet(2), ...around, pod]);
    expect(adoptedIn(plan)).toEqual({});
  });

  test('counts as deleted first as long as nobody adopts it', () => {
    const plan = planFor([spreadOf([a, b]), cloneSet(2), ...nodes, podIn(undefined, 'x', { node: '' })]);
    expect(costsIn(plan)).toEqual({ x: '-300' });
  });

  test('is taken from another spread', () => {
    const text = JSON.stringify({ name: 'other', subset: 'a' });
    const pod = podIn(undefined, 'x', { annotations: { 'apps.kruise.io/matched-workloadspread': text } });
    expect(adoptedIn(planFor([spreadOf([a, b]), cloneSet(2), ...nodes, pod]))).toMatchObject({ x: { subset: 'a' } });
  });

  test('goes to the first of equals that has room', () => {
    const equal: Subset[] = [
      ['a', 1],
      ['b', 1],
    ];
    const pods = [podIn(undefined, 'x'), podIn(undefined, 'y'), podIn(undefined, 'z')];
    const plan = planFor([spreadOf(equal), cloneSet(3), ...nodes, ...pods]);
    expect(adoptedIn(plan)).toEqual({ x: { subset: 'a' }, y: { subset: 'b' }, z: { subset: 'a' } });
  });

  test.each<[string, Subset[]]>([
    [
      'whose preferences its node meets',
      [['a'], ['b', undefined, { preferredNodeSelector: [{ weight: 1, preference: zone('z1') }] }]],
    ],
    ['whose patch it has already', [['a'], ['b', undefined, { patch: { metadata: { labels: { app: 'web' } } } }]]],
    [
      'that tolerates its node',
      [
        ['a', undefined, { requiredNodeSelector: zone('z2') }],
        ['b', undefined, { tolerations: [{ operator: 'Exists' }] }],
      ],
    ],
  ])('goes to the subset %s', (_what, subsets) => {
    const plan = planFor([spreadOf(subsets), cloneSet(1), ...nodes, podIn(undefined, 'x')]);
    expect(adoptedIn(plan)).toMatchObject({ x: { subset: 'b' } });
  });

  test('whose own terms exclude its node is nobody’s', () => {
    const required = (key: string) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
        },
      },
    });
    const pods = [
      podIn(undefined, 'x', { spec: { affinity: required('gpu') } }),
      podIn(undefined, 'y', { spec: { affinity: required('zone') } }),
    ];
    expect(adoptedIn(planFor([spreadOf([a]), cloneSet(2), ...nodes, ...pods]))).toMatchObject({ y: { subset: 'a' } });
    expect(adoptedIn(planFor([spreadOf([a]), cloneSet(2), ...nodes, ...pods]))).not.toHaveProperty('x');
  });
});

describe('a pod that cannot be scheduled', () => {
  const strategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 20 } };
  const subsets: Subset[] = [['a', 5], ['b']];
  const stuck = (createdAgo: number, subset = 'a') =>
    podIn(subset, 'p', {
      createdAgo,
      node: '',
      phase: 'Pending',
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    });
  const conditionsIn = (plan: Plan, version?: string) => {
    const status = statusIn(plan);
    const all = version === undefined ? status?.subsetStatuses : status?.versionedSubsetStatuses?.[version];
    return (all ?? []).map(({ conditions }) =>
      (conditions as JsonObject[] | undefined)?.map(({ status, reason }) => [status, reason]),
    );
  };
  const avoided = (since: number): JsonObject => {
    const condition = {
      type: 'Schedulable',
      status: 'False',
      reason: 'PodUnschedulable',
      message: '',
      lastTransitionTime: ago(since),
    };
    const entry = [{ name: 'a', replicas: 0, missingReplicas: 5, conditions: [condition] }];
    return spreadOf(subsets, {
      strategy,
      status: { subsetStatuses: entry, versionedSubsetStatuses: { versionIgnored: entry } },
    });
  };

  test('for too long is deleted, after its subset is known to be avoided', () => {
    const plan = planFor([spreadOf(subsets, { strategy }), cloneSet(1), stuck(25)]);
    expect(conditionsIn(plan)).toEqual([[['False', 'PodUnschedulable']], [['True', 'Sufficient']]]);
    expect(conditionsIn(plan, 'versionIgnored')).toEqual([[['False', 'PodUnschedulable']], [['True', 'Sufficient']]]);
    expect(
      effectsIn(plan, 'delete').map(({ reference: { name }, uid, resourceVersion }) => [name, uid, resourceVersion]),
    ).toEqual([['p', 'uid-p', '7']]);
    const order = plan.groups.map((group) => group[0]?.type);
    expect(order.indexOf('delete')).toBeGreaterThan(order.indexOf('update'));
  });

  test('waits its time', () => {
    const plan = planFor([spreadOf(subsets, { strategy }), cloneSet(1), stuck(5)]);
    expect(conditionsIn(plan)).toEqual([[['True', 'Sufficient']], [['True', 'Sufficient']]]);
    expect(effectsIn(plan, 'delete')).toEqual([]);
    expect(plan.requeueAfterMs).toBe(15_001);
  });

  test('in the last subset stays there', () => {
    const plan = planFor([spreadOf(subsets, { strategy }), cloneSet(1), stuck(25, 'b')]);
    expect(conditionsIn(plan)).toEqual([[['True', 'Sufficient']], [['True', 'Sufficient']]]);
    expect(effectsIn(plan, 'delete')).toEqual([]);
  });

  test('is left alone by spreads that do not adapt', () => {
    for (const other of [undefined, { type: 'Fixed' }, { type: 'Adaptive' }, { ...strategy, type: 'Fixed' }]) {
      const plan = planFor([spreadOf(subsets, other === undefined ? {} : { strategy: other }), cloneSet(1), stuck(25)]);
      expect(conditionsIn(plan)).toEqual([undefined, undefined]);
      expect(effectsIn(plan, 'delete')).toEqual([]);
    }
  });

  test('keeps its subset avoided for five minutes, then that is tried again', () => {
    const still = planFor([avoided(100), cloneSet(1)]);
    expect(conditionsIn(still)[0]).toEqual([['False', 'PodUnschedulable']]);
    expect(still.requeueAfterMs).toBe(200_001);
    const again = planFor([avoided(301), cloneSet(1)]);
    expect(conditionsIn(again)[0]).toEqual([['True', 'Sufficient']]);
    expect(effectsIn(again, 'event').map(({ eventType, reason }) => [eventType, reason])).toEqual([
      ['Normal', 'RecoverSchedulable'],
    ]);
    const failing = planFor([avoided(301), cloneSet(1), stuck(25)]);
    expect(conditionsIn(failing)[0]).toEqual([['False', 'PodUnschedulable']]);
    const since = statusIn(failing)?.subsetStatuses?.[0]?.conditions as JsonObject[];
    expect(since[0]?.lastTransitionTime).toBe(ago(301));
  });

  test('does not matter to a pod that has a node, or is going', () => {
    const going = stuck(25);
    const scheduled = { ...going, spec: { ...(going.spec as JsonObject), nodeName: 'n1' } };
    const ending = { ...going, metadata: { ...(going.metadata as JsonObject), deletionTimestamp: ago(1) } };
    for (const pod of [scheduled, ending]) {
      const plan = planFor([spreadOf(subsets, { strategy }), cloneSet(1), pod], NOW);
      expect(effectsIn(plan, 'delete')).toEqual([]);
    }
  });
});
