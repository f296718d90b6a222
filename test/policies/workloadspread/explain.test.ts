// What `explain` says of the spreads around a new pod.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { workloadOf } from '../../support/builders/policies.ts';
import { KRUISE, ledger, podOf, Spreading, type Subset, spread } from '../../support/spreading.ts';

const byDefault = await Spreading.start();
const gateOff = await Spreading.start({ WorkloadSpread: false });
const AB: Subset[] = [['a', 1], ['b']];
const web = workloadOf('CloneSet', 'web');

test.each<[reason: string, matched: boolean, object: JsonObject, pod: JsonObject, parts?: JsonObject]>([
  ['Booked', true, spread(AB), podOf('p-1')],
  ['Placed', true, spread([['a']]), podOf('p-1')],
  [
    'Placed',
    true,
    spread(AB, {
      status: ledger([
        ['a', 0],
        ['b', -1],
      ]),
    }),
    podOf('p-1'),
  ],
  ['Full', false, spread(AB, { status: ledger([['a', 0]]) }), podOf('p-1')],
  ['TargetMismatch', false, spread(AB, { target: ['CloneSet', 'other'] }), podOf('p-1')],
  ['FilterMismatch', false, spread(AB, { filter: { selector: { matchLabels: { x: 'y' } } } }), podOf('p-1')],
  ['BeingDeleted', false, spread(AB, { metadata: { deletionTimestamp: '2026-07-02T08:00:00Z' } }), podOf('p-1')],
  ['NoController', false, spread(AB), podOf('p-1', { metadata: { ownerReferences: [] } })],
  ['OwnerKindUnknown', false, spread(AB), podOf('p-1', { owner: ['DaemonSet'] })],
  ['OwnerMissing', false, spread(AB), podOf('p-1', { owner: ['ReplicaSet', 'gone', 'apps/v1'] })],
  ['NotActive', false, spread(AB), podOf('p-1', { status: { phase: 'Failed' } })],
  ['NotAPodCreation', false, spread(AB), podOf('p-1'), { operation: 'UPDATE' }],
  ['DryRun', false, spread(AB), podOf('p-1'), { dryRun: true }],
  ['NoLedger', false, spread([['a', '50%'], ['b']], { filter: { replicasPathList: ['spec.none'] } }), podOf('p-1')],
])('%s', (reason, matched, object, pod, parts) => {
  byDefault.hold(object, web);
  expect(byDefault.explain(pod, parts)).toEqual([{ name: 'spread', matched, reason }]);
});

test('NotFirst, by age', () => {
  const made = (name: string, day: number) =>
    spread(AB, { name, metadata: { creationTimestamp: `2026-07-0${day}T00:00:00Z` } });
  byDefault.hold(made('a-late', 2), made('z-early', 1));
  expect(byDefault.explain(podOf('p-1'))).toEqual([
    { name: 'a-late', matched: false, reason: 'NotFirst' },
    { name: 'z-early', matched: true, reason: 'Booked' },
  ]);
});

test('GateOff', () => {
  gateOff.hold(spread(AB, { target: ['CloneSet', 'web', KRUISE] }));
  expect(gateOff.explain(podOf('p-1'))).toEqual([{ name: 'spread', matched: false, reason: 'GateOff' }]);
});

test('explaining books nothing', () => {
  byDefault.hold(spread(AB));
  byDefault.explain(podOf('p-1'));
  expect(byDefault.status()).toBeUndefined();
});
