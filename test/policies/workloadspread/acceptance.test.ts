// The acceptance cases of WorkloadSpread that are about pods (workloadspread.md 11).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container, env } from '../../support/builders/pod.ts';
import { configuration, workloadOf } from '../../support/builders/policies.ts';
import {
  KRUISE,
  ledger,
  ledgerEntries,
  MATCHED,
  OF_DEPLOYMENT,
  podOf,
  podOfDeployment,
  replicaSet,
  Spreading,
  type Subset,
  spread,
  TIME,
} from '../../support/spreading.ts';

const cluster = await Spreading.start();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const deployment = workloadOf('Deployment', 'web', 'apps/v1');

const specOf = (object: JsonObject) => cluster.create(object).object?.spec as JsonObject;

describe('a pod that has a name', () => {
  test('is booked in the first subset that has room (case 9)', () => {
    cluster.hold(spread([['a', 5]]));
    expect(cluster.place(podOf('p-1'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.status()).toEqual(ledger([['a', 4, { creatingPods: { 'p-1': TIME } }]]));
  });

  test('is not booked twice when it is admitted again (case 10)', () => {
    cluster.hold(spread([['a', 5]]));
    cluster.place(podOf('p-1'));
    expect(cluster.place(podOf('p-1'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.ledgers()?.versionIgnored).toEqual(ledgerEntries([['a', 4, { creatingPods: { 'p-1': TIME } }]]));
  });

  test('passes as it is when all subsets are full (case 12)', () => {
    const full = ledger([
      ['a', 0],
      ['b', 0],
    ]);
    const subsets: Subset[] = [
      ['a', 2, { requiredNodeSelector: {} }],
      ['b', 2],
    ];
    cluster.hold(spread(subsets, { status: full }));
    const { allowed, object } = cluster.create(podOf('p-1'));
    expect(allowed).toBe(true);
    expect(object?.metadata).toMatchObject({ annotations: {} });
    expect(object?.metadata).not.toHaveProperty(['annotations', MATCHED]);
    expect(object?.spec).not.toHaveProperty('affinity');
    expect(cluster.status()).toEqual(full);
  });

  test('is not booked in the only subset, when that has no limit (case 13)', () => {
    cluster.hold(spread([['a']]));
    expect(cluster.place(podOf('p-1'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.place(podOf('p-2'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.status()).toBeUndefined();
  });

  test('gets the subset of a deletion that is still booked under its name', () => {
    const status = ledger([
      ['a', 1],
      ['b', 1, { deletingPods: { 'p-1': TIME } }],
    ]);
    cluster.hold(
      spread(
        [
          ['a', 1],
          ['b', 1],
        ],
        { status },
      ),
    );
    expect(cluster.place(podOf('p-1'))).toEqual({ name: 'spread', subset: 'b' });
    expect(cluster.status()).toEqual(status);
  });
});

describe('pods of a Deployment', () => {
  test('are booked by an id of their own, template by template (case 11)', () => {
    cluster.hold(spread([['a', 1], ['b']], OF_DEPLOYMENT), deployment, replicaSet('h1'), replicaSet('h2'));
    const first = cluster.place(podOfDeployment('h1'));
    expect(first).toEqual({ name: 'spread', subset: 'a', uid: expect.stringMatching(UUID) });
    expect(cluster.ledgers()?.h1).toEqual(
      ledgerEntries([
        ['a', 0, { creatingPods: { [String(first?.uid)]: TIME } }],
        ['b', -1],
      ]),
    );
    const before = cluster.status();
    expect(cluster.place(podOfDeployment('h1'))).toEqual({ name: 'spread', subset: 'b' });
    expect(cluster.status()).toEqual(before);
    expect(cluster.place(podOfDeployment('h2'))).toMatchObject({ subset: 'a', uid: expect.stringMatching(UUID) });
    expect(Object.keys(cluster.ledgers() ?? {})).toEqual(['h1', 'h2']);
  });

  test('keep their booking when they are admitted again with the annotation of the first time', () => {
    cluster.hold(spread([['a', 1], ['b']], OF_DEPLOYMENT), deployment, replicaSet('h1'));
    const { object: created = {} } = cluster.create(podOfDeployment('h1'));
    const before = cluster.status();
    const again = cluster.create(created);
    expect(again).toMatchObject({ allowed: true, operations: [] });
    expect(cluster.status()).toEqual(before);
  });

  test('are refused while their ReplicaSet is not known, if there is a spread that could be theirs (case 18)', () => {
    cluster.hold(spread([['a', 1], ['b']], { target: ['Deployment', 'other', 'apps/v1'] }));
    expect(cluster.create(podOfDeployment('h1'))).toMatchObject({
      allowed: false,
      code: 500,
      message: 'ReplicaSet.apps "web-h1" not found',
    });
    cluster.hold();
    expect(cluster.create(podOfDeployment('h1')).allowed).toBe(true);
  });
});

describe('pods of a StatefulSet go by their ordinals (case 14):', () => {
  const target = ['StatefulSet', 's', 'apps/v1'] as [string, string, string];
  const stuck = {
    subsetStatuses: [
      {
        name: 'a',
        replicas: 0,
        missingReplicas: 0,
        conditions: [{ type: 'Schedulable', status: 'False', reason: 'PodUnschedulable', message: '' }],
      },
    ],
  };
  const three: Subset[] = [['a', 2], ['b', 3], ['c']];

  test.each<[Subset[], JsonObject | undefined, string, string | undefined]>([
    [three, undefined, 's-0', 'a'],
    [three, undefined, 's-1', 'a'],
    [three, undefined, 's-2', 'b'],
    [three, undefined, 's-4', 'b'],
    [three, undefined, 's-5', 'c'],
    [three, undefined, 's-99999999999', 'a'],
    [three, undefined, 's-2147483647', 'c'],
    [three, undefined, 's-2147483648', 'a'],
    [three, undefined, 'odd', 'a'],
    [three, undefined, '7', 'a'],
    [three, undefined, 's-000003', 'b'],
    [three, stuck, 's-0', 'b'],
    [three, stuck, 's-2', 'b'],
    [three, stuck, 's-3', 'c'],
    [three.slice(0, 2), undefined, 's-5', undefined],
  ])('%j with status %j puts %s in %s', (subsets, status, name, subset) => {
    cluster.hold(spread(subsets, { target, ...(status === undefined ? {} : { status }) }));
    expect(cluster.place(podOf(name, { owner: target }))?.subset).toBe(subset);
    expect(cluster.status()).toEqual(status);
  });
});

describe('what a subset puts on its pods:', () => {
  const zone = (value: string) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] });
  const required = (nodeSelectorTerms: JsonObject[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });

  test('its required term goes into every term of the pod (case 15)', () => {
    const arch = { key: 'arch', operator: 'In', values: ['amd64'] };
    const node = { key: 'metadata.name', operator: 'In', values: ['n1'] };
    cluster.hold(spread([['a', 5, { requiredNodeSelector: { matchExpressions: [arch], matchFields: [node] } }]]));
    const narrowed = (value: string) => ({
      matchExpressions: [...zone(value).matchExpressions, arch],
      matchFields: [node],
    });
    expect(specOf(podOf('p-1', { spec: required([zone('z1'), zone('z2')]) }))).toMatchObject(
      required([narrowed('z1'), narrowed('z2')]),
    );
    expect(specOf(podOf('p-2'))).toMatchObject(required([{ matchExpressions: [arch], matchFields: [node] }]));
    expect(specOf(podOf('p-3', { spec: required([]) }))).toMatchObject(
      required([{ matchExpressions: [arch], matchFields: [node] }]),
    );
  });

  test('an empty node affinity without selectors, tolerations behind those of the pod (case 16)', () => {
    const [own, added] = [
      { key: 'own', operator: 'Exists' },
      { key: 'added', operator: 'Exists' },
    ];
    cluster.hold(spread([['a', 5, { tolerations: [added, own] }]]));
    const spec = specOf(podOf('p-1', { spec: { tolerations: [own] } }));
    expect(spec.affinity).toEqual({ nodeAffinity: {} });
    expect(spec.tolerations).toEqual([own, added, own]);
  });

  test('its patch, in which new items stand first (case 17)', () => {
    const patch = { spec: { containers: [{ name: 'app', env: [{ name: 'Z', value: 'a' }] }] } };
    cluster.hold(spread([['a', 5, { patch }]]));
    const spec = specOf(podOf('p-1', { containers: [container('app', { env: env({ X: '1', Y: '2' }) })] }));
    expect((spec.containers as JsonObject[])[0]?.env).toEqual(env({ Z: 'a', X: '1', Y: '2' }));
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      'another priority class takes the number away',
      { priority: 1000, priorityClassName: 'high' },
      { priorityClassName: 'low' },
    ],
    ['a first priority class takes the number away', { priority: 0 }, { priorityClassName: 'low' }],
    ['the same class keeps it', { priority: 7, priorityClassName: 'low' }, { priority: 7, priorityClassName: 'low' }],
  ])('%s (case 17)', (_rule, before, after) => {
    cluster.hold(spread([['a', 5, { patch: { spec: { priorityClassName: 'low' } } }]]));
    const { priority, priorityClassName } = specOf(podOf('p-1', { spec: before }));
    expect(JSON.parse(JSON.stringify({ priority, priorityClassName }))).toEqual(after);
  });

  test('nothing once more, when the pod is reviewed a second time', () => {
    const more = {
      tolerations: [
        { key: 'x', operator: 'Exists' },
        { key: 'x', operator: 'Exists' },
      ],
      requiredNodeSelector: zone('z1'),
      preferredNodeSelector: [{ weight: 1, preference: zone('z2') }],
      patch: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'app', env: [{ name: 'Z' }] }, { name: 'n' }] },
      },
    };
    cluster.hold(spread([['a', 5, more]]));
    const { object: created = {} } = cluster.create(podOf('p-1'));
    expect(cluster.create(created)).toMatchObject({ allowed: true, operations: [] });
  });

  test('nothing at all, from a subset that only the ledger knows: it is booked', () => {
    cluster.hold(
      spread([['a', 5], ['b']], {
        status: ledger([
          ['gone', 1],
          ['b', -1],
        ]),
      }),
    );
    expect(cluster.place(podOf('p-1'))).toBeUndefined();
    expect(cluster.ledgers()?.versionIgnored?.[0]).toMatchObject({ missingReplicas: 0, creatingPods: { 'p-1': TIME } });
  });

  test('nothing from a patch that cannot be applied: the pod is refused, the booking stays', () => {
    cluster.hold(spread([['a', 5, { patch: { spec: { containers: [{ image: 'i' }] } } }]]));
    expect(cluster.create(podOf('p-1'))).toMatchObject({
      allowed: false,
      code: 500,
      message: 'map: map[image:i] does not contain declared merge key: name',
    });
    expect(cluster.ledgers()?.versionIgnored?.[0]).toMatchObject({ missingReplicas: 4 });
  });
});

describe('a pod that goes', () => {
  const held = (missing: [string, number][]) => spread([['a', 5], ['b']], { status: ledger(missing) });
  const booked = ledger([
    ['a', 1, { deletingPods: { 'p-1': TIME } }],
    ['b', -1],
  ]);
  const full: [string, number][] = [
    ['a', 0],
    ['b', -1],
  ];

  test('leaves room in its subset, once (cases 19 and 20)', () => {
    cluster.hold(held(full), podOf('p-1', { subset: 'a' }));
    expect(cluster.delete(podOf('p-1', { subset: 'a' })).allowed).toBe(true);
    expect(cluster.status()).toEqual(booked);
    expect(cluster.delete(podOf('p-1', { subset: 'a' })).allowed).toBe(true);
    expect(cluster.evict('p-1').allowed).toBe(true);
    expect(cluster.status()).toEqual(booked);
  });

  test('leaves room when it is evicted; an eviction of no pod is refused (case 20)', () => {
    cluster.hold(held(full), podOf('p-1', { subset: 'a' }));
    expect(cluster.evict('p-1', { dryRun: ['All'] }).allowed).toBe(true);
    expect(cluster.status()).toEqual(ledger(full));
    expect(cluster.evict('p-1').allowed).toBe(true);
    expect(cluster.status()).toEqual(booked);
    expect(cluster.evict('p-9')).toMatchObject({ allowed: false, code: 400, message: 'Pod "p-9" not found' });
  });

  test('is booked in a new ledger when there is none', () => {
    cluster.hold(spread([['a', 5], ['b']]));
    cluster.delete(podOf('p-1', { subset: 'a' }));
    expect(cluster.ledgers()?.versionIgnored).toEqual(
      ledgerEntries([
        ['a', 6, { deletingPods: { 'p-1': TIME } }],
        ['b', -1],
      ]),
    );
  });

  test('is found by an annotation with names in capitals', () => {
    cluster.hold(held(full));
    const annotations = { 'apps.kruise.io/matched-workloadspread': '{"Name":"spread","Subset":"a","UID":"u"}' };
    cluster.delete(podOf('p-1', { annotations }));
    expect(cluster.status()).toEqual(booked);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['on a dry run', podOf('p-1', { subset: 'a' }), { options: { kind: 'DeleteOptions', dryRun: ['All'] } }],
    ['as a sub-resource', podOf('p-1', { subset: 'a' }), { subResource: 'status' }],
    ['from a subset without limit', podOf('p-1', { subset: 'b' }), {}],
    ['from a subset that is not there', podOf('p-1', { subset: 'x' }), {}],
    ['after it has finished', podOf('p-1', { subset: 'a', status: { phase: 'Succeeded' } }), {}],
    ['without an annotation', podOf('p-1'), {}],
    [
      'with an annotation that is no JSON',
      podOf('p-1', { annotations: { 'apps.kruise.io/matched-workloadspread': '{' } }),
      {},
    ],
    ['without a controller', podOf('p-1', { subset: 'a', metadata: { ownerReferences: [] } }), {}],
  ])('books nothing %s (case 19)', (_how, object, parts) => {
    cluster.hold(held(full));
    expect(cluster.delete(object, parts).allowed).toBe(true);
    expect(cluster.status()).toEqual(ledger(full));
  });

  test('of a StatefulSet, or of a subset alone, books nothing', () => {
    for (const lone of [spread([['a']]), spread([['a', 1], ['b']], { target: ['StatefulSet', 'web', KRUISE] })]) {
      cluster.hold(lone);
      expect(cluster.delete(podOf('p-1', { subset: 'a' })).allowed).toBe(true);
      expect(cluster.status()).toBeUndefined();
    }
  });
});

describe('percentages', () => {
  const job: [string, string, string] = ['TFJob', 'train', 'kubeflow.org/v1'];
  const workers = { metadata: { name: 'train', namespace: 'shop', uid: 'uid-TFJob-train' } };
  const tfJob = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'TFJob',
    ...workers,
    spec: { tfReplicaSpecs: { Worker: { replicas: 4 }, PS: { replicas: 1 } } },
  };
  const listed = configuration({
    WorkloadSpread_Watch_Custom_Workload_WhiteList: '{"workloads":[{"group":"kubeflow.org","KIND":"TFJob"}]}',
  });
  const filter = {
    selector: { matchLabels: { role: 'worker' } },
    replicasPathList: ['spec.tfReplicaSpecs.Worker.replicas'],
  };

  test('are of what the paths lead to, and only selected pods count (case 32)', () => {
    cluster.hold(spread([['a', '50%'], ['b']], { target: job, filter }), tfJob, listed);
    expect(cluster.place(podOf('w-1', { owner: job, labels: { role: 'worker' } }))).toEqual({
      name: 'spread',
      subset: 'a',
    });
    expect(cluster.ledgers()?.versionIgnored?.[0]).toMatchObject({ missingReplicas: 1 });
    expect(cluster.place(podOf('ps-1', { owner: job, labels: { role: 'ps' } }))).toBeUndefined();
  });

  test.each([['spec.x.y'], ['spec.tfReplicaSpecs'], ['spec.tfReplicaSpecs.Worker.replicas.0'], ['metadata.name']])(
    'of a path that leads to no number, %s, refuse the pod',
    (path) => {
      const wrong = { ...filter, replicasPathList: [path] };
      cluster.hold(spread([['a', '50%'], ['b']], { target: job, filter: wrong }), tfJob, listed);
      const { allowed, code } = cluster.create(podOf('w-1', { owner: job, labels: { role: 'worker' } }));
      expect({ allowed, code }).toEqual({ allowed: false, code: 500 });
      expect(cluster.status()).toBeUndefined();
    },
  );

  test.each([
    ['30%', 5, 2],
    ['80%', 5, 4],
    ['80%', 6, 5],
    ['0%', 6, 0],
    ['100%', 0, 0],
  ])('%s of %i replicas are %i, rounded up', (max, replicas, limit) => {
    const web = { ...workloadOf('CloneSet', 'web'), spec: { replicas } };
    cluster.hold(
      spread([
        ['a', max],
        ['b', 1],
      ]),
      web,
    );
    cluster.place(podOf('p-1'));
    expect(cluster.ledgers()?.versionIgnored?.[0]?.missingReplicas).toBe(limit === 0 ? 0 : limit - 1);
  });
});

test('pods of a kind that is not listed are not spread', () => {
  const target: [string, string, string] = ['TFJob', 'train', 'kubeflow.org/v1'];
  cluster.hold(spread([['a']], { target }));
  expect(cluster.place(podOf('w-1', { owner: target }))).toBeUndefined();
});

test('of two spreads of one workload the older counts', () => {
  const made = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });
  cluster.hold(
    spread([['a']], { name: 'late', ...made('2026-07-02T00:00:00Z') }),
    spread([['a']], { name: 'early', ...made('2026-07-01T00:00:00Z') }),
  );
  expect(cluster.place(podOf('p-1'))).toEqual({ name: 'early', subset: 'a' });
});

test('two pods for one place: one gets it, the other goes on to the next subset (case 35)', () => {
  cluster.hold(spread([['a', 1], ['b']], OF_DEPLOYMENT), deployment, replicaSet('h1'));
  const places = [cluster.place(podOfDeployment('h1')), cluster.place(podOfDeployment('h1'))];
  expect(places.map((one) => one?.subset)).toEqual(['a', 'b']);
});

test('a dry run neither books nor changes the pod', () => {
  cluster.hold(spread([['a', 5]]));
  const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] };
  expect(cluster.place(podOf('p-1'), { dryRun: true, options })).toBeUndefined();
  expect(cluster.status()).toBeUndefined();
});

test('without the gate nothing happens', async () => {
  const off = (await Spreading.start({ WorkloadSpread: false })).hold(spread([['a', 5]]));
  expect(off.place(podOf('p-1'))).toBeUndefined();
  expect(off.delete(podOf('p-1', { subset: 'a' })).allowed).toBe(true);
  expect(off.status()).toBeUndefined();
});
