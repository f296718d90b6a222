// A SidecarSet of very many pods: what one of them changes costs the reading of that one, and what the SidecarSet changes
// is seen in all of them.
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../kube/objects.ts';
import { sidecarSetController } from '../../../reconcilers/sidecarset/controller.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { injectedPod, storedSet } from '../../support/builders/injected-pod.ts';
import { countingReads, storesOf } from '../../support/stores.ts';
import { NOW, revisionOf, statusOf, upgraded } from './state.ts';

const COUNT = 50;

function logs(image: string, generation: number): KubeObject {
  return storedSet('logs', { containers: [{ name: 'log', image }] }, { generation });
}

test('only pods that have changed are read again, until the SidecarSet changes', () => {
  const controller = sidecarSetController({ systemNamespace: SYSTEM_NAMESPACE });
  const stores = storesOf(controller);
  const { put } = stores;
  const { reader, reads } = countingReads(stores.reader);
  const OLD = logs('l:1', 1);
  for (const object of [OLD, revisionOf(OLD, 1)]) put(object);
  for (let i = 0; i < COUNT; i++) put(injectedPod(`p${i}`, OLD));
  const look = () => {
    const state = controller.fetch(reader, { name: 'logs' }, () => undefined);
    return state === undefined ? { groups: [] } : controller.plan(state, NOW);
  };

  const prepared = [...(controller.prepare?.(reader, { name: 'logs' }) ?? [])];
  expect([prepared.length, reads()]).toEqual([COUNT, COUNT]);
  expect(statusOf(look())).toMatchObject({ matchedPods: COUNT, updatedPods: COUNT, readyPods: COUNT });
  expect(reads()).toBe(0);

  put(injectedPod('p7', OLD, { readySince: null, resourceVersion: '101' }));
  expect(statusOf(look())).toMatchObject({ matchedPods: COUNT, readyPods: COUNT - 1 });
  expect(reads()).toBe(1);

  const NEW = logs('l:2', 2);
  for (const object of [NEW, revisionOf(NEW, 2)]) put(object);
  const plan = look();
  expect(statusOf(plan)).toMatchObject({ updatedPods: 0 });
  // The one that is not ready is free.
  expect(upgraded(plan)).toHaveLength(2);
  reads();
  look();
  // Only those that are to be written.
  expect(reads()).toBe(2);
});
