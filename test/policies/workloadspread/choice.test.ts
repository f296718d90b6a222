// Which subset a new pod goes to, and what is booked (workloadspread.md 3.5 and 4).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { configuration, workloadOf } from '../../support/builders/policies.ts';
import {
  APPS,
  deployment,
  ledger,
  ledgerEntries,
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

describe('the subset of a pod:', () => {
  const condition = (status: string, type = 'Schedulable') => ({ conditions: [{ type, status }] });
  test.each<[string, [string, number, JsonObject?][], string | undefined]>([
    [
      'first',
      [
        ['a', 1],
        ['b', 1],
      ],
      'a',
    ],
    [
      'zero',
      [
        ['a', 0],
        ['b', 1],
      ],
      'b',
    ],
    [
      'below minus one',
      [
        ['a', -2],
        ['b', 1],
      ],
      'b',
    ],
    [
      'unlimited first',
      [
        ['a', -1],
        ['b', 1],
      ],
      'a',
    ],
    [
      'unschedulable unlimited',
      [
        ['a', -1, condition('False')],
        ['b', 1],
      ],
      'b',
    ],
    [
      'unschedulable with room',
      [
        ['a', 3, condition('False')],
        ['b', 0],
        ['c', -1],
      ],
      'c',
    ],
    [
      'Unknown',
      [
        ['a', 3, condition('Unknown')],
        ['b', 1],
      ],
      'a',
    ],
    [
      'other condition',
      [
        ['a', 3, condition('False', 'Ready')],
        ['b', 1],
      ],
      'a',
    ],
    [
      'second condition',
      [
        [
          'a',
          3,
          {
            conditions: [
              { type: 'Ready', status: 'True' },
              { type: 'Schedulable', status: 'False' },
            ],
          },
        ],
        ['b', 1],
      ],
      'b',
    ],
    [
      'all unschedulable',
      [
        ['a', 3, condition('False')],
        ['b', -1, condition('False')],
      ],
      undefined,
    ],
  ])('%s', (_what, entries, expected) => {
    cluster.hold(spread([['a', 3], ['b', 3], ['c']], { status: ledger(entries as never) }));
    expect(cluster.place(podOf('p'))?.subset).toBe(expected);
  });
  test('bookings by name in full subset are found again', () => {
    const st = ledger([
      ['a', 0, { creatingPods: { p: '2026-07-02T07:00:00Z' } }],
      ['b', 5],
    ]);
    cluster.hold(
      spread(
        [
          ['a', 3],
          ['b', 5],
        ],
        { status: st },
      ),
    );
    expect(cluster.place(podOf('p'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.status()).toEqual(st);
  });
  test('booked in a later subset wins over room in an earlier', () => {
    const st = ledger([
      ['a', 3],
      ['b', 0, { creatingPods: { p: TIME } }],
    ]);
    cluster.hold(
      spread(
        [
          ['a', 3],
          ['b', 5],
        ],
        { status: st },
      ),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('b');
  });
  test('a booking in another version does not count', () => {
    const st = {
      versionedSubsetStatuses: {
        h1: ledgerEntries([
          ['a', 0, { creatingPods: { p: TIME } }],
          ['b', 5],
        ]),
      },
    };
    cluster.hold(
      spread(
        [
          ['a', 3],
          ['b', 5],
        ],
        { status: st },
      ),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
    expect(cluster.missing()).toEqual([2, 5]);
    expect(cluster.ledgers()?.h1).toEqual(st.versionedSubsetStatuses.h1);
  });
  test('an empty ledger is built anew', () => {
    cluster.hold(
      spread([['a', 3], ['b']], {
        status: {
          versionedSubsetStatuses: { versionIgnored: [] },
          observedGeneration: 4,
          subsetStatuses: [{ name: 'a', replicas: 1, missingReplicas: 2 }],
        },
      }),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
    expect(cluster.status()).toEqual({
      observedGeneration: 4,
      subsetStatuses: [{ name: 'a', replicas: 1, missingReplicas: 2 }],
      ...ledger([
        ['a', 2, { creatingPods: { p: TIME } }],
        ['b', -1],
      ]),
    });
  });
  test('fresh ledger with zero first', () => {
    cluster.hold(
      spread([
        ['a', 0],
        ['b', 2],
      ]),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('b');
    expect(cluster.ledgers()?.versionIgnored).toEqual(
      ledgerEntries([
        ['a', 0],
        ['b', 1, { creatingPods: { p: TIME } }],
      ]),
    );
  });
  test('fresh ledger, all zero: unchanged', () => {
    cluster.hold(
      spread([
        ['a', 0],
        ['b', 0],
      ]),
    );
    expect(cluster.place(podOf('p'))).toBeUndefined();
    expect(cluster.status()).toBeUndefined();
  });
  test('fresh ledger, unlimited first of two: not stored', () => {
    cluster.hold(spread([['a'], ['b', 2]]));
    expect(cluster.place(podOf('p'))).toEqual({ name: 'spread', subset: 'a' });
    expect(cluster.status()).toBeUndefined();
  });
  test('two pods without name', () => {
    cluster.hold(spread([['a', 2], ['b']]));
    const u1 = cluster.place(podOf(''))?.uid;
    const u2 = cluster.place(podOf(''))?.uid;
    expect(u1).not.toBe(u2);
    expect(Object.keys(cluster.ledgers()?.versionIgnored?.[0]?.creatingPods as JsonObject).sort()).toEqual(
      [u1, u2].sort(),
    );
    expect(cluster.missing()).toEqual([0, -1]);
    expect(cluster.place(podOf(''))).toEqual({ name: 'spread', subset: 'b' });
  });
  test('a single subset with max 0', () => {
    cluster.hold(spread([['a', 0]]));
    expect(cluster.place(podOf('p'))).toBeUndefined();
  });
  test.each<[string, number, number]>([
    ['1%', 1, 1],
    ['1%', 100, 1],
    ['1%', 101, 2],
    ['33%', 3, 1],
    ['34%', 3, 2],
    ['50%', 1, 1],
    ['99%', 100, 99],
    ['99%', 10, 10],
    ['100%', 7, 7],
    ['50%', 0, 0],
    ['+50%', 4, 2],
    ['0000000050%', 4, 2],
    ['-0%', 4, 0],
  ])('%s of %i is %i', (max, replicas, expected) => {
    cluster.hold(spread([['a', max], ['b']]), { ...workloadOf('CloneSet', 'web'), spec: { replicas } });
    const subset = cluster.place(podOf('p'))?.subset;
    const wanted = expected === 0 ? ['b', undefined] : ['a', [expected - 1, -1]];
    expect([subset, cluster.missing()]).toEqual(wanted);
  });
  test('percent: nil replicas counts as 1', () => {
    cluster.hold(spread([['a', '50%'], ['b']]), { ...workloadOf('CloneSet', 'web'), spec: {} });
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
  });
  test('percent of a Deployment through a ReplicaSet', () => {
    cluster.hold(spread([['a', '50%'], ['b']], OF_DEPLOYMENT), deployment(6), replicaSet('h'));
    expect(cluster.place(podOfDeployment('h'))?.subset).toBe('a');
    expect(cluster.missing('h')).toEqual([2, -1]);
  });
  test('percent: missing Deployment is 0', () => {
    cluster.hold(spread([['a', '50%'], ['b']], OF_DEPLOYMENT), replicaSet('h'));
    expect(cluster.place(podOfDeployment('h'))).toEqual({ name: 'spread', subset: 'b' });
  });
  const list2 = configuration({
    WorkloadSpread_Watch_Custom_Workload_WhiteList:
      '{"workloads":[{"Group":"x.io","Kind":"Thing","replicasPath":"spec.replicas"}]}',
  });
  const paths = (list: string[], workloadSpec: JsonObject) => {
    const t: [string, string, string] = ['Thing', 'web', 'x.io/v1'];
    cluster.hold(
      spread([['a', '50%'], ['b']], { target: t, filter: { replicasPathList: list } }),
      { ...workloadOf('Thing', 'web', 'x.io/v1'), spec: workloadSpec },
      list2,
    );
    const v = cluster.create(podOf('p', { owner: t }));
    return v.allowed ? (cluster.missing() ?? ['none']) : v.code;
  };
  test.each<[string, string[], JsonObject, unknown]>([
    ['sum of two', ['spec.a', 'spec.b.c'], { a: 2, b: { c: 4 } }, [2, -1]],
    ['array index', ['spec.l.1.n'], { l: [{ n: 1 }, { n: 6 }] }, [2, -1]],
    ['array index of a number', ['spec.l.0'], { l: [8] }, [3, -1]],
    ['index out of range', ['spec.l.2'], { l: [8] }, 500],
    ['index negative', ['spec.l.-1'], { l: [8] }, 500],
    ['index not a number', ['spec.l.x'], { l: [8] }, 500],
    ['key in array', ['spec.l.n'], { l: [{ n: 1 }] }, 500],
    ['number key in an object', ['spec.m.0'], { m: { 0: 4 } }, [1, -1]],
    ['scalar below', ['spec.a.b'], { a: 3 }, 500],
    ['text', ['spec.a'], { a: '3' }, 500],
    ['float', ['spec.a'], { a: 3.5 }, 500],
    ['bool', ['spec.a'], { a: true }, 500],
    ['null', ['spec.a'], { a: null }, 500],
    ['plus index', ['spec.l.01'], { l: [1, 8] }, [3, -1]],
    ['empty path', [''], { replicas: 9 }, ['none']],
    ['empty path and another', ['', 'spec.a'], { a: 4 }, [1, -1]],
    ['trailing dot', ['spec.a.'], { a: 4 }, 500],
    ['double dot', ['spec..a'], { a: 4 }, 500],
    ['one right, one wrong', ['spec.a', 'spec.z'], { a: 4 }, 500],
    ['zero', ['spec.a'], { a: 0 }, ['none']],
    ['empty list: the replicas', [], { replicas: 4, a: 9 }, [1, -1]],
  ])('paths: %s', (_what, list, s, expected) => expect(paths(list, s)).toEqual(expected));
  test('paths do not matter without percent', () => {
    cluster.hold(
      spread([['a', 2], ['b']], { filter: { replicasPathList: ['spec.zzz'] } }),
      workloadOf('CloneSet', 'web'),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
  });
  test('paths do not matter with a ledger', () => {
    cluster.hold(
      spread([['a', '50%'], ['b']], {
        filter: { replicasPathList: ['spec.zzz'] },
        status: ledger([
          ['a', 1],
          ['b', -1],
        ]),
      }),
      workloadOf('CloneSet', 'web'),
    );
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
  });
  test('paths of a missing workload are 0', () => {
    cluster.hold(spread([['a', '50%'], ['b']], { filter: { replicasPathList: ['spec.zzz'] } }));
    expect(cluster.place(podOf('p'))?.subset).toBe('b');
  });
  const podOfHash = (labels: Record<string, string>, owner: [string, string, string] = ['ReplicaSet', 'web-h', APPS]) =>
    podOf('', { owner, labels });
  test.each<[string, JsonObject, string]>([
    ['template hash', podOfHash({ 'pod-template-hash': 'h' }), 'h'],
    ['both labels', podOfHash({ 'pod-template-hash': 'h', 'controller-revision-hash': 'web-z' }), 'h'],
    ['revision', podOfHash({ 'controller-revision-hash': 'web-a-z9' }), 'z9'],
    ['revision without dash', podOfHash({ 'controller-revision-hash': 'z9' }), 'z9'],
    ['neither', podOfHash({}), 'versionIgnored'],
  ])('version: %s', (_what, p, v) => {
    cluster.hold(spread([['a', 2], ['b']], OF_DEPLOYMENT), deployment(), replicaSet('h'));
    cluster.place(p);
    expect(Object.keys(cluster.ledgers() ?? {})).toEqual([v]);
  });
  test('StatefulSet ordinals', () => {
    const target: [string, string, string] = ['StatefulSet', 'web', APPS];
    const at = (subsets: Subset[], name: string, status?: JsonObject) => {
      cluster.hold(spread(subsets, { target, ...(status && { status }) }));
      return cluster.place(podOf(name, { owner: target }))?.subset;
    };
    expect(at([['a', 0], ['b', 1], ['c']], 's-0')).toBe('b');
    expect(at([['a', 0], ['b', 1], ['c']], 's-1')).toBe('c');
    expect(
      at(
        [
          ['a', 2],
          ['b', 1],
        ],
        's-2',
      ),
    ).toBe('b');
    expect(
      at(
        [
          ['a', 2],
          ['b', 1],
        ],
        's-3',
      ),
    ).toBe(undefined);
    expect(
      at(
        [
          ['a', 2],
          ['b', 1],
        ],
        's-2147483647',
      ),
    ).toBe(undefined);
    expect(at([['a', 2], ['b']], 's-2147483646')).toBe('b');
    expect(at([['a', 2], ['b']], 's-2147483648')).toBe('a');
    expect(at([['a', 2], ['b']], 's-1a')).toBe('a');
    expect(at([['a', 2], ['b']], 'a-b-7')).toBe('b');
    expect(at([['a', 2], ['b']], '')).toBe('a');
    expect(
      at(
        [
          ['a', 0],
          ['b', 0],
        ],
        's',
      ),
    ).toBe('a');
    const un = (n: string) => ({
      subsetStatuses: [
        { name: n, replicas: 0, missingReplicas: 0, conditions: [{ type: 'Schedulable', status: 'False' }] },
      ],
    });
    expect(at([['a', 2], ['b', 3], ['c']], 's-3', un('b'))).toBe('c');
    expect(at([['a', 2], ['b', 3], ['c']], 's-1', un('b'))).toBe('a');
    expect(at([['a', 2], ['b', 3], ['c']], 's-9', un('c'))).toBe(undefined);
    // the versioned ledger does not count
    expect(
      at(
        [['a', 2], ['b']],
        's-0',
        ledger([
          ['a', 0],
          ['b', -1],
        ]),
      ),
    ).toBe('a');
  });
});
