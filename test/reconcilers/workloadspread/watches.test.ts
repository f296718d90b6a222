// Which changes make the controller of WorkloadSpread look at which spreads (workloadspread.md 5.1).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { ListedKind } from '../../../reconcilers/loop/controller.ts';
import { asStored, lookUpIn, snapshot } from '../../support/snapshot.ts';
import { cloneSet, controller, deployment, NOW, ofHash, planFor, podIn, spreadOf } from './support.ts';

const ofDeployment = spreadOf([['a']], { name: 'of-deployment', target: ['Deployment', 'web', 'apps/v1'] });
const objects = [spreadOf([['a']]), ofDeployment, ...deployment(1, 'h1')];

function keysOf(old: JsonObject | undefined, current: JsonObject | undefined): string[] {
  const kind = (current ?? old)?.kind;
  const watch = controller.watches.find(({ resource }) => resource.kind === kind);
  const change = { ...(old && { old: asStored(old) }), ...(current && { new: asStored(current) }) };
  return (watch?.keys(change, snapshot(controller, objects)) ?? []).map(({ name }) => name);
}

describe('a pod', () => {
  const pod = podIn('a', 'x');
  const lost = podIn(undefined, 'y', ofHash('h1'));

  test('that comes or goes leads to the spread that it names', () => {
    expect(keysOf(undefined, pod)).toEqual(['spread']);
    expect(keysOf(pod, undefined)).toEqual(['spread']);
  });

  test('that names none leads to those of the workloads above it', () => {
    expect(keysOf(undefined, lost)).toEqual(['of-deployment']);
  });

  test.each<[string, JsonObject, string[]]>([
    ['that stays as it is', pod, []],
    ['that is finished', podIn('a', 'x', { phase: 'Failed' }), ['spread']],
    ['that is going', podIn('a', 'x', { metadata: { deletionTimestamp: '2026-07-02T08:00:00Z' } }), ['spread']],
    ['that gets another node', podIn('a', 'x', { node: 'n2' }), ['spread']],
    [
      'that finds no node',
      podIn('a', 'x', { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } }),
      ['spread'],
    ],
    ['that is only less ready', podIn('a', 'x', { ready: false }), []],
  ])('%s', (_what, changed, expected) => {
    expect(keysOf(pod, changed)).toEqual(expected);
  });
});

describe('a workload', () => {
  test('leads to its spreads when it wants another number of pods, or rolls out', () => {
    expect(keysOf(cloneSet(1), cloneSet(2))).toEqual(['spread']);
    expect(keysOf(cloneSet(1), cloneSet(1))).toEqual([]);
    expect(keysOf(cloneSet(1), { ...cloneSet(1), status: { updateRevision: 'web-2' } })).toEqual(['spread']);
    expect(keysOf(undefined, cloneSet(1))).toEqual(['spread']);
    expect(keysOf(cloneSet(1), undefined)).toEqual(['spread']);
  });

  test('leads to the spreads of the Deployment above it', () => {
    expect(keysOf(undefined, deployment(1, 'h2')[1])).toEqual(['of-deployment']);
  });
});

describe('a workload of a kind that the operator lists', () => {
  const GAMES = { apiVersion: 'game.io/v1', kind: 'GameServerSet' };
  const resource = { group: 'game.io', version: 'v1', plural: 'gameserversets', kind: GAMES.kind, namespaced: true };
  const list = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kruise-configuration' },
    data: {
      WorkloadSpread_Watch_Custom_Workload_WhiteList: JSON.stringify({
        workloads: [{ Group: 'game.io', Version: 'v1', Kind: 'GameServerSet', replicasPath: 'spec.size' }],
      }),
    },
  };
  const target: [string, string, string] = ['GameServerSet', 'web', 'game.io/v1alpha1'];
  const about = spreadOf([['a', '50%'], ['b']], { target });
  const byRoles = spreadOf([['a', '50%'], ['b']], {
    name: 'by-roles',
    target,
    filter: { replicasPathList: ['spec.roles.0.replicas'] },
  });
  const games = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...GAMES,
    metadata: { name: 'web', ...more },
    spec,
  });
  const keys = (old: JsonObject | undefined, current: JsonObject | undefined) => {
    const [entry] = (controller.listed?.read(asStored(list)) ?? []) as ListedKind[];
    const change = { ...(old && { old: asStored(old) }), ...(current && { new: asStored(current) }) };
    const watch = entry === undefined ? undefined : controller.listed?.watch(resource, entry);
    return watch?.keys(change, snapshot(controller, [about, byRoles])).map(({ name }) => name);
  };

  test('leads to its spreads when it comes, goes, or has other numbers where they are looked for', () => {
    const roles = (replicas: number) => ({ roles: [{ replicas }] });
    expect(keys(undefined, games({ size: 1 }))).toEqual(['spread', 'by-roles']);
    expect(keys(games({ size: 1 }), undefined)).toEqual(['spread', 'by-roles']);
    expect(keys(games({ size: 1 }), games({ size: 2 }))).toEqual(['spread', 'by-roles']);
    expect(keys(games({ size: 1, ...roles(1) }), games({ size: 1, ...roles(2) }))).toEqual(['by-roles']);
    expect(keys(games({ size: 1 }), games({ size: 1, other: 2 }))).toEqual([]);
    expect(keys(games({}), games({}, { deletionTimestamp: '2026-07-02T08:00:00Z' }))).toEqual(['spread', 'by-roles']);
  });

  test('is looked at by time only where nobody follows it', () => {
    const plan = (about: JsonObject, lookedUp: JsonObject[]) => planFor([about, ...lookedUp]);
    expect(plan(about, [games({ replicas: 3 })]).requeueAfterMs).toBe(30_000);
    const followed = { ...snapshot(controller, [about]), followsKind: () => true };
    const state = controller.fetch(followed, { namespace: 'shop', name: 'spread' }, lookUpIn([games({ replicas: 3 })]));
    expect(state && controller.plan(state, NOW).requeueAfterMs).toBeUndefined();
  });
});

test('a spread of a well-known kind looks again when the number changes that it is told to look at', () => {
  const filter = { replicasPathList: ['spec.roles.0.replicas'] };
  const workload = (replicas: number) => ({ ...cloneSet(1), spec: { replicas: 1, roles: [{ replicas }] } });
  const about = [spreadOf([['a', '50%']], { filter })];
  const watch = controller.watches.find(({ resource }) => resource.kind === 'CloneSet');
  const change = { old: asStored(workload(1)), new: asStored(workload(2)) };
  expect(watch?.keys(change, snapshot(controller, about))).toHaveLength(1);
});

test('a spread leads to itself, and a node to none', () => {
  expect(keysOf(objects[0], objects[0])).toEqual(['spread']);
  expect(keysOf(undefined, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })).toEqual([]);
});
