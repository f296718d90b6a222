// What is booked when a pod goes (workloadspread.md 3.9).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { workloadOf } from '../../support/builders/policies.ts';
import {
  APPS,
  deployment,
  ledger,
  ledgerEntries,
  MATCHED,
  OF_DEPLOYMENT,
  podOf,
  Spreading,
  type Subset,
  spread,
  TIME,
} from '../../support/spreading.ts';

const cluster = await Spreading.start();

describe('a pod that goes:', () => {
  const held = (expected: [string, number, JsonObject?][], subsets: Subset[] = [['a', 5], ['b']]) =>
    spread(subsets, { status: ledger(expected as never) });
  const go = (p: JsonObject, parts: JsonObject = {}) => {
    const v = cluster.delete(p, parts);
    return v.allowed ? cluster.ledgers()?.versionIgnored : v.code;
  };
  test('above the limit', () => {
    cluster.hold(
      held([
        ['a', 5],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { subset: 'a' }))).toEqual(
      ledgerEntries([
        ['a', 6, { deletingPods: { p: TIME } }],
        ['b', -1],
      ]),
    );
  });
  test('creating pod of that name', () => {
    const expected: [string, number, JsonObject?][] = [
      ['a', 2, { creatingPods: { p: TIME } }],
      ['b', -1],
    ];
    cluster.hold(held(expected));
    expect(go(podOf('p', { subset: 'a' }))).toEqual(ledgerEntries(expected as never));
  });
  test('booked in another subset', () => {
    const expected: [string, number, JsonObject?][] = [
      ['a', 2],
      ['b', 3, { deletingPods: { p: TIME } }],
    ];
    cluster.hold(
      held(expected, [
        ['a', 5],
        ['b', 5],
      ]),
    );
    expect(go(podOf('p', { subset: 'a' }))).toEqual(ledgerEntries(expected as never));
  });
  test('other entries stay', () => {
    cluster.hold(
      held([
        ['a', 2, { deletingPods: { q: '2026-07-02T07:59:50Z' }, creatingPods: { r: '2026-07-02T07:59:51Z' } }],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { subset: 'a' }))).toEqual(
      ledgerEntries([
        ['a', 3, { deletingPods: { q: '2026-07-02T07:59:50Z', p: TIME }, creatingPods: { r: '2026-07-02T07:59:51Z' } }],
        ['b', -1],
      ]),
    );
  });
  test('unschedulable subset is booked all the same', () => {
    const cond = { conditions: [{ type: 'Schedulable', status: 'False', reason: '', message: '' }] };
    cluster.hold(
      held([
        ['a', 0, cond],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { subset: 'a' }))).toEqual(
      ledgerEntries([
        ['a', 1, { ...cond, deletingPods: { p: TIME } }],
        ['b', -1],
      ]),
    );
  });
  test('spread being deleted is booked', () => {
    cluster.hold(
      spread([['a', 5], ['b']], {
        status: ledger([
          ['a', 0],
          ['b', -1],
        ]),
        metadata: { deletionTimestamp: TIME },
      }),
    );
    expect(go(podOf('p', { subset: 'a' }))).toEqual(
      ledgerEntries([
        ['a', 1, { deletingPods: { p: TIME } }],
        ['b', -1],
      ]),
    );
  });
  test('by version, fresh', () => {
    cluster.hold(
      spread(
        [
          ['a', 3],
          ['b', '50%'],
        ],
        OF_DEPLOYMENT,
      ),
      deployment(4),
    );
    cluster.delete(
      podOf('p', { owner: ['ReplicaSet', 'web-h', APPS], labels: { 'pod-template-hash': 'h' }, subset: 'b' }),
    );
    expect(cluster.ledgers()?.h).toEqual(
      ledgerEntries([
        ['a', 3],
        ['b', 3, { deletingPods: { p: TIME } }],
      ]),
    );
  });
  test.each<[string, string]>([
    ['no name', '{"subset":"a"}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['empty', ''],
    ['trailing', '{"name":"spread","subset":"a"} x'],
    ['number as subset', '{"name":"spread","subset":1}'],
  ])('annotation %s', (_what, t) => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { annotations: { [MATCHED]: t } }))).toEqual(
      ledgerEntries([
        ['a', 0],
        ['b', -1],
      ]),
    );
  });
  test('odd cases of names', () => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { annotations: { [MATCHED]: '{"NAME":"spread","sUbSeT":"a"}' } }))).toEqual(
      ledgerEntries([
        ['a', 1, { deletingPods: { p: TIME } }],
        ['b', -1],
      ]),
    );
  });
  test.each<[string, unknown, number | undefined]>([
    ['missing', null, 400],
    ['list', [], 400],
    ['dryRun text', { dryRun: 'All' }, 400],
    ['empty', {}, undefined],
  ])('options %s', (_what, options, code) => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    const r = go(podOf('p', { subset: 'a' }), { options: options as JsonObject });
    if (code) expect(r).toBe(code);
    else expect(cluster.missing()).toEqual([1, -1]);
  });
  test('options missing, a pod without annotation', () => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p'), { options: null })).toBe(400);
  });
  test('foreign workload kind in the annotation: no owner kind check', () => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    expect(go(podOf('p', { subset: 'a', owner: ['Foo', 'x', 'y/v1'] }))).toEqual(
      ledgerEntries([
        ['a', 1, { deletingPods: { p: TIME } }],
        ['b', -1],
      ]),
    );
  });
  test('limited single subset is booked', () => {
    cluster.hold(held([['a', 0]], [['a', 5]]));
    expect(go(podOf('p', { subset: 'a' }))).toEqual(ledgerEntries([['a', 1, { deletingPods: { p: TIME } }]]));
  });
  test('no old object', () => {
    cluster.hold(
      held([
        ['a', 0],
        ['b', -1],
      ]),
    );
    expect(cluster.delete(podOf('p', { subset: 'a' }), { oldObject: null, options: null }).allowed).toBe(true);
  });
  test('path error on a fresh ledger refuses 400', () => {
    cluster.hold(
      spread([['a', '50%'], ['b']], { filter: { replicasPathList: ['spec.z'] } }),
      workloadOf('CloneSet', 'web'),
    );
    expect(go(podOf('p', { subset: 'a' }))).toBe(400);
  });
});
