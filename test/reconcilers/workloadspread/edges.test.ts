// Where times end and what breaks ties, to the second and row by row (workloadspread.md 5.4 to 5.7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Subset } from '../../support/spreading.ts';
import {
  ago,
  cloneSet,
  costsIn,
  countsIn,
  deployment,
  effectsIn,
  NOW,
  ofHash,
  planFor,
  podIn,
  podsIn,
  type RunningParts,
  spreadOf,
  statusIn,
} from './support.ts';

const V = 'versionIgnored';
const S20 = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 20 } };
const AB: Subset[] = [['a', 5], ['b']];
const stuck = (subset: string, name: string, createdAgo: number, more: RunningParts & { cond?: JsonObject } = {}) => {
  const { cond, ...rest } = more;
  return podIn(subset, name, {
    phase: 'Pending',
    node: '',
    createdAgo,
    ...rest,
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', ...cond }],
      ...rest.status,
    },
  });
};
const conds = (plan: ReturnType<typeof planFor>, version?: string) => {
  const s = statusIn(plan);
  const list = version === undefined ? s?.subsetStatuses : s?.versionedSubsetStatuses?.[version];
  return (list ?? []).map((x) =>
    ((x.conditions as JsonObject[] | undefined) ?? []).map((c) => [c.status, c.reason, c.lastTransitionTime]),
  );
};
const gone = (plan: ReturnType<typeof planFor>) => effectsIn(plan, 'delete').map((e) => e.reference.name);
const now = ago(0);
const T = [['True', 'Sufficient', now]];
const F = [['False', 'PodUnschedulable', now]];

describe('a spread that adapts,', () => {
  test.each<[string, JsonObject[], number, unknown, string[]]>([
    ['25 s', [stuck('a', 'p', 25)], NOW, [F, T], ['p']],
    ['20 s', [stuck('a', 'p', 20)], NOW, [T, T], []],
    ['20.001 s', [stuck('a', 'p', 20)], NOW + 1, [F, T], ['p']],
    ['assigned', [stuck('a', 'p', 25, { node: 'n1' })], NOW, [T, T], []],
    ['running', [stuck('a', 'p', 25, { phase: 'Running' })], NOW, [T, T], []],
    ['other reason', [stuck('a', 'p', 25, { cond: { reason: 'SchedulingGated' } })], NOW, [T, T], []],
    ['scheduled', [stuck('a', 'p', 25, { cond: { status: 'True' } })], NOW, [T, T], []],
    ['terminating', [stuck('a', 'p', 25, { metadata: { deletionTimestamp: ago(1) } })], NOW, [T, T], []],
    ['last subset', [stuck('b', 'p', 25)], NOW, [T, T], []],
    ['no subset', [stuck('zzz', 'p', 25)], NOW, [T, T], []],
    ['two', [stuck('a', 'p', 25), stuck('a', 'q', 30), stuck('a', 'r', 3)], NOW, [F, T], ['p', 'q']],
  ])('%s', (_what, pods, at, expected, del) => {
    const plan = planFor([spreadOf(AB, { strategy: S20 }), cloneSet(5), ...pods], at);
    const n = `${new Date(at).toISOString().slice(0, 19)}Z`;
    expect(conds(plan)).toEqual((expected as unknown[][][]).map((c) => [[c[0]?.[0], c[0]?.[1], n]]));
    expect(gone(plan)).toEqual(del);
  });
  test.each<[string, JsonObject]>([
    ['Fixed', { type: 'Fixed' }],
    ['empty type', { adaptive: { rescheduleCriticalSeconds: 20 } }],
    ['zero', { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 0 } }],
    ['none', { type: 'Adaptive' }],
    ['no seconds', { type: 'Adaptive', adaptive: {} }],
  ])('off: %s', (_what, strategy) => {
    const old = [
      {
        name: 'a',
        replicas: 0,
        missingReplicas: 5,
        conditions: [
          { type: 'Schedulable', status: 'False', reason: 'PodUnschedulable', message: '', lastTransitionTime: ago(5) },
        ],
      },
    ];
    const plan = planFor([
      spreadOf(AB, { strategy, status: { subsetStatuses: old, versionedSubsetStatuses: { [V]: old } } }),
      cloneSet(5),
      stuck('a', 'p', 99),
    ]);
    expect(conds(plan)).toEqual([[], []]);
    expect(gone(plan)).toEqual([]);
  });
  const oldCond = (status: string, reason: string, seconds: number) => {
    const c = { conditions: [{ type: 'Schedulable', status, reason, message: '', lastTransitionTime: ago(seconds) }] };
    const list = [
      { name: 'a', replicas: 0, missingReplicas: 5, ...c },
      { name: 'b', replicas: 0, missingReplicas: -1 },
    ];
    return { subsetStatuses: list, versionedSubsetStatuses: { [V]: list } };
  };
  test.each<[string, [string, string, number], JsonObject[], number, unknown, string[]]>([
    ['False 100, quiet', ['False', 'PodUnschedulable', 100], [], NOW, ['False', 'PodUnschedulable', ago(100)], []],
    ['False 300, quiet', ['False', 'PodUnschedulable', 300], [], NOW, ['False', 'PodUnschedulable', ago(300)], []],
    [
      'False 300.001, quiet',
      ['False', 'PodUnschedulable', 300],
      [],
      NOW + 1,
      ['True', 'Sufficient', now],
      ['RecoverSchedulable'],
    ],
    [
      'False 400, failing',
      ['False', 'PodUnschedulable', 400],
      [stuck('a', 'p', 25)],
      NOW,
      ['False', 'PodUnschedulable', ago(400)],
      [],
    ],
    ['True 5, failing', ['True', 'Sufficient', 5], [stuck('a', 'p', 25)], NOW, ['False', 'PodUnschedulable', now], []],
    ['True 5, quiet', ['True', 'Sufficient', 5], [], NOW, ['True', 'Sufficient', ago(5)], []],
    [
      'False other reason, failing',
      ['False', 'Unknown', 50],
      [stuck('a', 'p', 25)],
      NOW,
      ['False', 'PodUnschedulable', ago(50)],
      [],
    ],
  ])('old %s', (_what, [s, r, t], pods, at, expected, events) => {
    const plan = planFor(
      [spreadOf(AB, { strategy: S20, status: oldCond(s, r, t) }), cloneSet(5), podIn('a', 'ok'), ...pods],
      at,
    );
    expect(conds(plan)[0]).toEqual([expected]);
    expect(effectsIn(plan, 'event').map((x) => x.reason)).toEqual(events);
  });
  test('versions apart', () => {
    const plan = planFor([
      spreadOf(AB, { strategy: S20, target: ['Deployment', 'web', 'apps/v1'] }),
      ...deployment(4, 'h1', 'h2'),
      stuck('a', 'p', 25, ofHash('h1')),
      podIn('a', 'q', ofHash('h2')),
    ]);
    expect(conds(plan)).toEqual([F, T]);
    expect(conds(plan, 'h1')).toEqual([F, T]);
    expect(conds(plan, 'h2')).toEqual([T, T]);
    expect(effectsIn(plan, 'delete')[0]).toMatchObject({ uid: 'uid-p' });
  });
});

describe('bookings,', () => {
  const booked = (entry: JsonObject) =>
    spreadOf(AB, {
      status: { versionedSubsetStatuses: { [V]: [{ name: 'a', replicas: 0, missingReplicas: 0, ...entry }] } },
    });
  test.each<[string, JsonObject, number, unknown]>([
    ['30', { creatingPods: { x: ago(30) } }, NOW, ['a', 2, 2]],
    ['30.001', { creatingPods: { x: ago(30) } }, NOW + 1, ['a', 2, 3]],
    ['15', { deletingPods: { 'a-0': ago(15) } }, NOW, ['a', 2, 4]],
    ['15.001', { deletingPods: { 'a-0': ago(15) } }, NOW + 1, ['a', 2, 3]],
    ['both', { deletingPods: { 'a-0': ago(1) }, creatingPods: { x: ago(1), y: ago(1) } }, NOW, ['a', 2, 2]],
    ['more creates than room', { creatingPods: { x: ago(1), y: ago(1), z: ago(1), u: ago(1) } }, NOW, ['a', 2, 0]],
    ['delete of a pod of b', { deletingPods: { 'b-0': ago(1) } }, NOW, ['a', 2, 3]],
    ['future', { creatingPods: { x: ago(-3600) } }, NOW, ['a', 2, 2]],
  ])('%s', (_what, entry, at, expected) =>
    expect(countsIn(planFor([booked(entry), cloneSet(5), ...podsIn('a', 2), ...podsIn('b', 1)], at), V)[0]).toEqual(
      expected,
    ),
  );
  test('ledger of a version without pods', () => {
    const l = (more: JsonObject) => [{ name: 'a', replicas: 3, missingReplicas: 2, ...more }];
    const plan = planFor([
      spreadOf(AB, {
        target: ['Deployment', 'web', 'apps/v1'],
        status: {
          versionedSubsetStatuses: {
            h0: l({}),
            h1: l({ creatingPods: { x: ago(3) } }),
            h2: l({ deletingPods: { y: ago(3) } }),
            h3: l({ creatingPods: { x: ago(33) } }),
          },
        },
      }),
      ...deployment(4, 'h9'),
      podIn('a', 'q', ofHash('h9')),
    ]);
    expect(Object.keys(statusIn(plan)?.versionedSubsetStatuses ?? {}).sort()).toEqual(['h1', 'h9']);
  });
  test('removed and new subsets', () => {
    const plan = planFor([
      spreadOf(
        [
          ['c', 2],
          ['a', 4],
        ],
        {
          status: {
            subsetStatuses: [
              { name: 'a', replicas: 0, missingReplicas: 0 },
              { name: 'z', replicas: 0, missingReplicas: 0 },
            ],
          },
        },
      ),
      cloneSet(5),
      ...podsIn('a', 1),
      ...podsIn('z', 1),
    ]);
    expect(countsIn(plan)).toEqual([
      ['c', 0, 2],
      ['a', 1, 3],
    ]);
  });
});

describe('what it costs to delete a pod:', () => {
  const three: Subset[] = [['a', 2], ['b', 1], ['c']];
  test('three subsets, latest and old', () => {
    const d = { target: ['Deployment', 'web', 'apps/v1'] as [string, string, string] };
    const at = (h: string) => [
      ...podsIn('a', 1, ofHash(h), `${h}a`),
      ...podsIn('b', 1, ofHash(h), `${h}b`),
      ...podsIn('c', 1, ofHash(h), `${h}c`),
      ...podsIn('gone', 1, ofHash(h), `${h}x`),
    ];
    expect(costsIn(planFor([spreadOf(three, d), ...deployment(6, 'h1', 'h2'), ...at('h1'), ...at('h2')]))).toEqual({
      'h2a-0': '300',
      'h2b-0': '200',
      'h2c-0': '100',
      'h2x-0': '-400',
      'h1a-0': '100',
      'h1b-0': '200',
      'h1c-0': '300',
      'h1x-0': '-400',
    });
  });
  test.each<[string, RunningParts, RunningParts, string]>([
    ['unassigned first', { node: '', phase: 'Pending' }, {}, 'x'],
    ['pending before unknown', { phase: 'Unknown' }, { phase: 'Pending' }, 'y'],
    ['unknown before running', { phase: 'Running' }, { phase: 'Unknown' }, 'y'],
    ['not ready first', {}, { ready: false }, 'y'],
    ['ready later first', { createdAgo: 100 }, { createdAgo: 50 }, 'y'],
    [
      'restarts',
      { status: { containerStatuses: [{ name: 'app', restartCount: 1 }] } },
      {
        status: {
          containerStatuses: [
            { name: 'app', restartCount: 4 },
            { name: 'b', restartCount: 0 },
          ],
        },
      },
      'y',
    ],
  ])('%s', (_what, x, y, first) => {
    const plan = planFor([spreadOf([['a', 1], ['b']]), cloneSet(5), podIn('a', 'x', x), podIn('a', 'y', y)]);
    expect(costsIn(plan)[first]).toBe('-100');
    expect(costsIn(plan)[first === 'x' ? 'y' : 'x']).toBe('200');
  });
  test.each<[string, [string, string, string], number]>([
    ['StatefulSet', ['StatefulSet', 'web', 'apps/v1'], 0],
    ['CloneSet', ['CloneSet', 'web', 'apps.kruise.io/v1beta1'], 1],
  ])('%s', (_what, target, n) => {
    const set = {
      ...cloneSet(3),
      apiVersion: target[2],
      kind: target[0],
      metadata: { name: 'web', namespace: 'shop', uid: `uid-${target[0]}-web` },
    };
    expect(
      Object.keys(costsIn(planFor([spreadOf([['a', 1], ['b']], { target }), set, podIn('a', 'x', { owner: target })]))),
    ).toHaveLength(n);
  });
});

test('a cost or deletion that is refused is told on the spread', () => {
  const waiting = stuck('a', 'p', 25);
  const plan = planFor([spreadOf(AB, { strategy: S20 }), cloneSet(5), waiting]);
  const [cost] = effectsIn(plan, 'patch');
  const [deletion] = effectsIn(plan, 'delete');
  expect([cost?.onRefusal?.reason, deletion?.onRefusal?.reason]).toEqual([
    'PatchPodDeletionCostFailed',
    'DeletePodFailed',
  ]);
});
