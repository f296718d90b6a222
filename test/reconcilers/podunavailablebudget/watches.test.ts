// Which changes make the controller of PodUnavailableBudget look at which budgets (podunavailablebudget.md 7.1).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { asStored, snapshot } from '../../support/snapshot.ts';
import { ago, budget, controller, deployment, pods, reference, SELECTOR, target, workload } from './support.ts';

/** The names of the budgets that a change leads to, with these objects in the mirrors. */
function keysOf(change: { old?: JsonObject; new?: JsonObject }, objects: readonly JsonObject[]): string[] {
  const changed = change.new ?? change.old;
  const watch = controller.watches.find(({ resource }) => resource.kind === changed?.kind);
  const stored = Object.fromEntries(Object.entries(change).map(([when, object]) => [when, asStored(object)]));
  return (watch?.keys(stored, snapshot(controller, objects)) ?? []).map(({ name }) => name);
}

const none = { 'pub.kruise.io/related-pub': '', 'kruise.io/related-pub': '' };
const byLabels = budget({ ...SELECTOR, maxUnavailable: 1 });
const byTarget = budget({ ...target('Deployment'), maxUnavailable: 1 }, {}, { name: 'target-pub' });
const [linked] = pods(1, undefined);
const [unlinked] = pods(1, reference('ReplicaSet', 'web-1', 'apps/v1'), { annotations: none });

describe('a pod', () => {
  test('that names a budget leads to that, if it exists', () => {
    expect(keysOf({ new: linked ?? {} }, [byLabels, byTarget])).toEqual(['web-pub']);
    expect(keysOf({ old: linked ?? {} }, [byLabels, byTarget])).toEqual(['web-pub']);
    expect(keysOf({ new: linked ?? {} }, [])).toEqual([]);
  });

  test('that names none leads to those that it matches, by labels and by any workload above it', () => {
    expect(keysOf({ new: unlinked ?? {} }, [byLabels, byTarget, ...deployment(1, 0)])).toEqual([
      'web-pub',
      'target-pub',
    ]);
    expect(keysOf({ new: unlinked ?? {} }, [byTarget])).toEqual([]);
  });

  test.each<[string, JsonObject, string[]]>([
    ['that stays available', {}, []],
    ['that becomes unavailable', { status: { phase: 'Running', conditions: [] } }, ['web-pub']],
    ['that is going', { metadata: { ...(linked?.metadata as JsonObject), deletionTimestamp: ago(0) } }, ['web-pub']],
    [
      'that is declared unavailable',
      { metadata: { ...(linked?.metadata as JsonObject), labels: { 'unavailable-pod.kruise.io/a': '' } } },
      ['web-pub'],
    ],
  ])('%s', (_what, more, expected) => {
    expect(keysOf({ old: linked ?? {}, new: { ...linked, ...more } }, [byLabels])).toEqual(expected);
  });

  test('that was going already leads to none until it is gone', () => {
    const going = { ...linked, metadata: { ...(linked?.metadata as JsonObject), deletionTimestamp: ago(0) } };
    expect(keysOf({ old: going, new: { ...going, status: {} } }, [byLabels])).toEqual([]);
    expect(keysOf({ old: going }, [byLabels])).toEqual(['web-pub']);
  });
});

describe('a workload', () => {
  const scaled = (replicas: number) => workload('Deployment', { replicas });

  test('that is scaled leads to the budgets that target it, or select the labels of its template', () => {
    const other = budget({ ...target('Deployment', 'other'), maxUnavailable: 1 }, {}, { name: 'other-pub' });
    expect(keysOf({ old: scaled(3), new: scaled(2) }, [byLabels, byTarget, other])).toEqual(['web-pub', 'target-pub']);
    expect(keysOf({ old: scaled(3), new: scaled(3) }, [byLabels, byTarget])).toEqual([]);
    expect(keysOf({ old: scaled(3) }, [byLabels, byTarget])).toEqual(['web-pub', 'target-pub']);
    expect(keysOf({ new: scaled(3) }, [])).toEqual([]);
  });

  test('that is going leads to them too, before its pods are deleted', () => {
    const going = { ...scaled(3), metadata: { ...scaled(3).metadata, deletionTimestamp: ago(0) } };
    expect(keysOf({ old: scaled(3), new: going }, [byLabels, byTarget])).toEqual(['web-pub', 'target-pub']);
    expect(keysOf({ old: going, new: going }, [byLabels, byTarget])).toEqual([]);
  });

  test('of a kind that the operator lists leads to the budgets that target it', () => {
    const games = { apiVersion: 'game.io/v1', kind: 'GameServerSet' };
    const resource = { group: 'game.io', version: 'v1', plural: 'gameserversets', kind: games.kind, namespaced: true };
    const about = budget({ ...target(games.kind, 'web', 'game.io/v1alpha1'), maxUnavailable: 1 });
    const set = (replicas: number) => asStored({ ...games, metadata: { name: 'web' }, spec: { replicas } });
    const change = { old: set(3), new: set(2) };
    const keys = controller.listed?.watch(resource, {}).keys(change, snapshot(controller, [about]));
    expect(keys?.map(({ name }) => name)).toEqual(['web-pub']);
  });

  test('leads to the budgets of what stands above it', () => {
    const rollout = budget({ ...target('Rollout', 'web', 'argoproj.io/v1alpha1'), maxUnavailable: 1 });
    const owned = { ownerReferences: [reference('Rollout', 'web', 'argoproj.io/v1')] };
    const set = (replicas: number) => workload('ReplicaSet', { name: 'web-1', replicas, metadata: owned });
    expect(keysOf({ old: set(1), new: set(2) }, [rollout])).toEqual(['web-pub']);
  });
});

test('a budget leads to itself, whatever changed', () => {
  expect(keysOf({ old: byLabels, new: byLabels }, [])).toEqual(['web-pub']);
  expect(keysOf({ old: byLabels }, [])).toEqual(['web-pub']);
});
