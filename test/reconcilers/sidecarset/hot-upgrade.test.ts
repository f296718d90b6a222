// Hot upgrades from the first write to the last (sidecarset 9 and F10).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { strategicMerge } from '../../../api/core/strategic-merge.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { Plan } from '../../../kube/plan.ts';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { imageId, injectedPod, storedSet } from '../../support/builders/injected-pod.ts';
import { events, plan, podWrites, statusOf, upgraded } from './state.ts';

const EMPTY = 'e:1';

function mesh(image: string, strategy: JsonObject = {}): KubeObject {
  return storedSet('mesh', {
    containers: [
      { name: 'c', image, upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: EMPTY } },
      { name: 'cold', image: 'cold:1' },
    ],
    updateStrategy: strategy,
  });
}
const V1 = mesh('m:1');
const V2 = mesh('m:2');
const V3 = mesh('m:3');

/** The pod after the writes to it. */
function written(pod: Pod, { groups }: Plan): Pod {
  let result = pod as unknown as JsonObject;
  for (const effect of groups.flat()) {
    if (effect.type !== 'patch' || effect.subresource !== undefined) continue;
    const { status, ...object } = result;
    result = { ...strategicMerge(PodTemplateSpec, object, effect.patch), status } as JsonObject;
  }
  return result as unknown as Pod;
}

/** The pod after the kubelet has started these containers with the images that they shall have. */
function started(pod: Pod, ...names: string[]): Pod {
  const statuses = (pod.status?.containerStatuses ?? []).map((status) => {
    if (!names.includes(status.name)) return status;
    const image = pod.spec.containers.find(({ name }) => name === status.name)?.image ?? '';
    return { ...status, image, imageID: imageId(image), ready: true };
  });
  return { ...pod, status: { ...pod.status, containerStatuses: statuses } } as Pod;
}

function broken(pod: Pod, container: string): Pod {
  const statuses = (pod.status?.containerStatuses ?? []).map((status) =>
    status.name === container ? { ...status, ready: false } : status,
  );
  const conditions = [{ type: 'Ready', status: 'False' }];
  return { ...pod, status: { ...pod.status, conditions, containerStatuses: statuses } } as Pod;
}

function repaired(pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }] } } as Pod;
}

/** Image of each container of the pair, which one works, their versions and those of the other. */
function rowOf({ spec, metadata: { annotations = {} } }: Pod): unknown[] {
  const image = (name: string) => spec.containers.find((one) => one.name === name)?.image;
  const working = JSON.parse(annotations['kruise.io/sidecarset-working-hotupgrade-container'] ?? '{}') as JsonObject;
  const versions = (prefix: string) =>
    ['c-1', 'c-2'].map((name) => annotations[`${prefix}.sidecarset.kruise.io/${name}`]);
  return [image('c-1'), image('c-2'), working.c, versions('version'), versions('versionalt')];
}

function counts(set: KubeObject, pod: Pod): unknown[] {
  const { matchedPods, updatedPods, readyPods, updatedReadyPods = 0 } = statusOf(plan(set, [pod])) ?? {};
  return [matchedPods, updatedPods, readyPods, updatedReadyPods];
}

describe('a hot upgrade', () => {
  it('goes to the empty container, waits until it serves, and empties the other', () => {
    const injected = injectedPod('a', V1);
    expect(rowOf(injected)).toEqual(['m:1', EMPTY, 'c-1', ['1', '0'], ['0', '1']]);
    expect(counts(V2, injected)).toEqual([1, 0, 1, 0]);

    const upgradedPod = written(injected, plan(V2, [injected]));
    expect(rowOf(upgradedPod)).toEqual(['m:1', 'm:2', 'c-2', ['1', '500'], ['500', '1']]);
    expect(counts(V2, upgradedPod)).toEqual([1, 1, 0, 0]);
    // The new container has not started yet: the condition is all that is written.
    expect(podWrites(plan(V2, [upgradedPod]))).toEqual([]);

    const serving = started(upgradedPod, 'c-2');
    const flip = plan(V2, [serving]);
    expect(events(flip)).toEqual(['ResetContainerSucceed']);
    const flipped = written(serving, flip);
    expect(rowOf(flipped)).toEqual([EMPTY, 'm:2', 'c-2', ['0', '500'], ['500', '0']]);
    expect(counts(V2, flipped)).toEqual([1, 1, 0, 0]);

    const done = started(flipped, 'c-1');
    expect(counts(V2, done)).toEqual([1, 1, 1, 1]);
    expect(podWrites(plan(V2, [done]))).toEqual([]);
    expect(events(plan(V2, [done]))).toEqual([]);
  });

  it('goes back to the first container the next time', () => {
    const first = injectedPod('a', V1);
    const second = started(written(first, plan(V2, [first])), 'c-2');
    const flipped = started(written(second, plan(V2, [second])), 'c-1');
    const third = written(flipped, plan(V3, [flipped]));
    expect(rowOf(third)).toEqual(['m:3', 'm:2', 'c-1', ['500', '500'], ['500', '500']]);
  });

  it('is not finished before the new container is ready', () => {
    const injected = injectedPod('a', V1);
    const upgradedPod = written(injected, plan(V2, [injected]));
    expect(podWrites(plan(V2, [broken(started(upgradedPod, 'c-2'), 'c-2')]))).toEqual([]);
  });

  it('is finished though the old container is not ready any more', () => {
    const injected = injectedPod('a', V1);
    const serving = started(written(injected, plan(V2, [injected])), 'c-2');
    expect(upgraded(plan(V2, [broken(serving, 'c-1')]))).toEqual(['a']);
  });

  it.each([{ paused: true }, { type: 'NotUpdate' }])('is neither begun nor finished with %o', (strategy) => {
    const injected = injectedPod('a', V1);
    const serving = started(written(injected, plan(V2, [injected])), 'c-2');
    const set = mesh('m:2', strategy);
    expect(podWrites(plan(set, [injected]))).toEqual([]);
    expect(podWrites(plan(set, [serving]))).toEqual([]);
  });

  it('of one pod is finished before that of another begins', () => {
    const injected = injectedPod('a', V1);
    const serving = started(written(injected, plan(V2, [injected])), 'c-2');
    expect(upgraded(plan(V2, [injectedPod('b', V1), serving]))).toEqual(['a']);
  });

  it('that never came up is replaced by the next one, in the container that does not serve', () => {
    const injected = injectedPod('a', V1);
    const stuck = broken(written(injected, plan(V2, [injected])), 'c-2');
    const [write] = podWrites(plan(V3, [stuck]));
    expect(write?.images).toEqual({ 'c-2': 'm:3' });
  });

  it('that never came up can be taken back', () => {
    const injected = injectedPod('a', V1);
    const stuck = broken(written(injected, plan(V2, [injected])), 'c-2');
    const back = written(stuck, plan(V1, [stuck]));
    expect(rowOf(back).slice(0, 3)).toEqual(['m:1', 'm:2', 'c-1']);
    const emptied = written(back, plan(V1, [back]));
    expect(rowOf(emptied).slice(0, 3)).toEqual(['m:1', EMPTY, 'c-1']);
    const done = repaired(started(emptied, 'c-2'));
    expect(counts(V1, done)).toEqual([1, 1, 1, 1]);
    expect(podWrites(plan(V1, [done]))).toEqual([]);
  });

  it('that is taken back before the old container is emptied goes back to it', () => {
    const injected = injectedPod('a', V1);
    const upgradedPod = started(written(injected, plan(V2, [injected])), 'c-2');
    const back = written(upgradedPod, plan(mesh('m:1'), [upgradedPod]));
    expect(rowOf(back).slice(0, 2)).toEqual([EMPTY, 'm:2']);
  });
});
