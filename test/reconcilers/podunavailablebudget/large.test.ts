// A budget of very many pods: what one of them changes costs the reading of that one.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { podUnavailableBudget } from '../../../reconcilers/podunavailablebudget/controller.ts';
import { asStored } from '../../support/snapshot.ts';
import { storesOf } from '../../support/stores.ts';
import { budget, pods, reference, SELECTOR, target, workload } from './support.ts';

const owner = reference('ReplicaSet', 'web', 'apps/v1');

test.each<[string, JsonObject]>([
  ['selected by labels', SELECTOR],
  ['of a target', target('ReplicaSet')],
])('of the pods %s only those are judged again that have changed', (_what, about) => {
  const judged: string[] = [];
  const controller = podUnavailableBudget({
    isAvailable: ({ metadata }) => {
      judged.push(metadata.name);
      return !metadata.labels?.down;
    },
  });
  const { reader, put } = storesOf(controller);
  const stored = (object: JsonObject, resourceVersion = '7'): KubeObject => {
    const { metadata, ...rest } = asStored(object);
    return { ...rest, metadata: { ...metadata, resourceVersion } } as KubeObject;
  };
  put(stored(budget({ ...about, maxUnavailable: '10%' })));
  put(stored(workload('ReplicaSet', { replicas: 50 })));
  for (const pod of pods(50, owner)) put(stored(pod));
  const key = { namespace: 'shop', name: 'web-pub' };
  const look = () => {
    judged.length = 0;
    return controller.fetch(reader, key, () => undefined)?.pods.filter(({ isAvailable }) => isAvailable).length;
  };
  // At first they are found one in each step, so that nobody has to wait for all of them.
  let steps = 0;
  for (const _pod of controller.prepare?.(reader, key) ?? []) expect(judged).toHaveLength(++steps);
  expect(steps).toBe(50);
  expect(look()).toBe(50);
  expect(judged).toEqual([]);
  const [changed] = pods(1, owner, { labels: { down: 'yes' } });
  put(stored(changed ?? {}, '8'));
  expect(look()).toBe(49);
  expect(judged).toEqual(['web-0']);
});
