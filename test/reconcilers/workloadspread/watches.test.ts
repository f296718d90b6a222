// Which changes make the controller of WorkloadSpread look at which spreads (workloadspread.md 5.1).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { asStored, snapshot } from '../../support/snapshot.ts';
import { cloneSet, controller, deployment, ofHash, podIn, spreadOf } from './support.ts';

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

test('a spread leads to itself, and a node to none', () => {
  expect(keysOf(objects[0], objects[0])).toEqual(['spread']);
  expect(keysOf(undefined, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })).toEqual([]);
});
