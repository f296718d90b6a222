// In which order the containers of a pod may start (containerlaunchpriority.md 3 and 8).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { CONFIG_MAPS, PODS } from '../../../kube/resource.ts';
import { containerLaunchPriority as controller } from '../../../reconcilers/containerlaunchpriority/controller.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';
import { asStored, lookUpIn, snapshot } from '../../support/snapshot.ts';

const COMPLETED = 'apps.kruise.io/container-launch-priority-completed';

function container(name: string, priority?: number | string): JsonObject {
  if (priority === undefined) return { name };
  const configMapKeyRef = { name: 'p-barrier', key: typeof priority === 'number' ? `p_${priority}` : priority };
  return { name, env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef } }] };
}

/** A pod `p` with containers of these priorities, of which some are ready. */
function pod(
  priorities: Record<string, number | string | undefined>,
  ready: string[] = [],
  more: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...more },
    spec: { containers: Object.entries(priorities).map(([name, priority]) => container(name, priority)) },
    status: { containerStatuses: ready.map((name) => ({ name, ready: true })) },
  };
}

function barrier(keys: number[], owner = 'uid-Pod-p'): JsonObject {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: owner }];
  const data = Object.fromEntries(keys.map((key) => [`p_${key}`, 'true']));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'p-barrier', ownerReferences }, data };
}

/** What is done, in order: keys that are added, `completed`, `delete`. */
function stepsFor(object: JsonObject, present?: JsonObject): string[] {
  const others = present === undefined ? [] : [present];
  const state = controller.fetch(snapshot(controller, [object]), { namespace: 'shop', name: 'p' }, lookUpIn(others));
  if (state === undefined) return [];
  return controller
    .plan(state, 0)
    .groups.flat()
    .map((effect) => {
      if (effect.type === 'create') return `create ${Object.keys(effect.object.data as JsonObject).join()}`;
      if (effect.type !== 'patch') return effect.type;
      const { data, metadata } = effect.patch as { data?: JsonObject; metadata?: { annotations?: JsonObject } };
      return data === undefined ? Object.keys(metadata?.annotations ?? {}).join() : Object.keys(data).join();
    });
}

const THREE = { a: 5, b: 3, c: 0 };

describe('the barrier of a pod', () => {
  test.each<[string, JsonObject, JsonObject | undefined, string[]]>([
    ['is made with the highest key', pod(THREE), undefined, ['create p_5']],
    ['gets the highest key', pod(THREE), barrier([]), ['p_5']],
    ['waits for the containers of that key', pod(THREE), barrier([5]), []],
    ['gets the next key when they are ready', pod(THREE, ['a']), barrier([5]), ['p_3']],
    ['gets the last key, and is complete', pod(THREE, ['a', 'b']), barrier([5, 3]), ['p_0', COMPLETED]],
    ['is complete with the last key', pod(THREE, ['a']), barrier([5, 3, 0]), [COMPLETED]],
    ['waits for all containers of a key', pod({ a: 5, b: 3, c: 3, d: 0 }, ['a', 'b']), barrier([5, 3]), []],
    ['waits again for one that is ready no more', pod(THREE, ['b']), barrier([5, 3]), []],
    ['is made with its only key, and complete', pod({ a: 5, b: 0 }, ['a']), undefined, ['create p_0', COMPLETED]],
    ['has keys of any number', pod({ a: 2147483647, b: -2147483647 }), barrier([]), ['p_2147483647']],
    ['of a pod that was here before is removed first', pod(THREE), barrier([5, 3, 0], 'uid-old'), ['delete']],
  ])('%s', (_what, object, present, expected) => {
    expect(stepsFor(object, present)).toEqual(expected);
  });

  test('goes with its pod', () => {
    const state = controller.fetch(snapshot(controller, [pod(THREE)]), { namespace: 'shop', name: 'p' }, lookUpIn([]));
    const [made] = state === undefined ? [] : controller.plan(state, 0).groups.flat();
    expect(made).toMatchObject({
      object: {
        metadata: {
          namespace: 'shop',
          name: 'p-barrier',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-Pod-p' }],
        },
      },
    });
  });
});

describe('a pod', () => {
  test.each<[string, JsonObject]>([
    ['without barriers', pod({ a: undefined, b: undefined })],
    ['that has started already', pod(THREE, [], { annotations: { [COMPLETED]: 'true' } })],
    ['that is being deleted', pod(THREE, [], { deletionTimestamp: '2026-07-02T08:00:00Z' })],
    ['whose variable stands for something else', pod({ a: 'x', b: 'p_', c: 'p_x' })],
    [
      'whose variable has a plain value',
      { ...pod({}), spec: { containers: [{ name: 'a', env: [{ name: 'KRUISE_CONTAINER_BARRIER', value: 'p_1' }] }] } },
    ],
  ])('%s needs nothing', (_what, object) => {
    const [watch] = controller.watches;
    expect(watch?.keys({ new: asStored(object) }, snapshot(controller, []))).toEqual([]);
    expect(stepsFor(object)).toEqual([]);
  });

  test('whose containers are all ready is not looked at, but completed by who tries again', () => {
    const ready = pod(THREE, ['a', 'b', 'c']);
    const up = { ...pod(THREE), status: { conditions: [{ type: 'ContainersReady', status: 'True' }] } };
    const [watch] = controller.watches;
    for (const object of [ready, up])
      expect(watch?.keys({ new: asStored(object) }, snapshot(controller, []))).toEqual([]);
    expect(stepsFor(ready, barrier([5, 3, 0]))).toEqual([COMPLETED]);
  });

  test('that waits is looked at when it changes, not when it is gone', () => {
    const [watch] = controller.watches;
    expect(watch?.keys({ new: asStored(pod(THREE)) }, snapshot(controller, []))).toHaveLength(1);
    expect(watch?.keys({ old: asStored(pod(THREE)) }, snapshot(controller, []))).toEqual([]);
  });
});

describe.each(Array.from({ length: 8 }, (_, index) => index + 1))('with seed %i', (seed) => {
  test('no container starts before those of higher priority are ready', async () => {
    const cluster = new SimulatedCluster({ seed, failures: 0.3, controllers: [controller] });
    cluster.follow(CONFIG_MAPS);
    const names = ['a', 'b', 'c'];
    const { status: _status, ...object } = pod(THREE);
    cluster.create(PODS, {
      ...object,
      metadata: { namespace: 'shop', name: 'p' },
      status: { phase: 'Pending', containerStatuses: [] },
    });
    const place = { namespace: 'shop', name: 'p' };
    const keys = () =>
      Object.keys((cluster.get(CONFIG_MAPS, { ...place, name: 'p-barrier' })?.data ?? {}) as JsonObject);
    const readyOf = () => {
      const { containerStatuses } = (cluster.get(PODS, place)?.status ?? {}) as {
        containerStatuses?: { name: string }[];
      };
      return (containerStatuses ?? []).map(({ name }) => name);
    };
    // A node on which containers become ready once their key is there, which the one of the simulation does not look at.
    const node = () =>
      names
        .filter((name, i) => !readyOf().includes(name) && keys().includes(`p_${Object.values(THREE)[i]}`))
        .map((name) => () => {
          const statuses = [...readyOf(), name].map((one) => ({ name: one, ready: true }));
          cluster.change(
            PODS,
            place,
            (old) => ({ ...old, status: { ...(old.status as JsonObject), containerStatuses: statuses } }),
            'status',
          );
        });
    cluster.kubelet.steps = () => [];
    const invariant = () => {
      if (keys().includes('p_3') && !readyOf().includes('a')) throw new Error('b may start before a is ready');
      if (keys().includes('p_0') && !readyOf().includes('b')) throw new Error('c may start before b is ready');
    };
    await cluster.rest({ actors: [node], invariant });
    expect(readyOf().sort()).toEqual(names);
    expect(cluster.get(PODS, place)?.metadata.annotations).toEqual({ [COMPLETED]: 'true' });
    expect(await cluster.outstanding()).toEqual({});
  });
});
