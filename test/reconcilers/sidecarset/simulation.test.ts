// SidecarSets upgrade all their pods whatever happens in between, and never take down more than they may.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { CONTROLLER_REVISIONS, NAMESPACES, PODS } from '../../../kube/resource.ts';
import { isReady, type Pod } from '../../../reconcilers/shared/pod.ts';
import { sidecarSetController } from '../../../reconcilers/sidecarset/controller.ts';
import { SIDECAR_SETS } from '../../../reconcilers/sidecarset/state.ts';
import { injectedPod, storedSet } from '../../support/builders/injected-pod.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';

const controllers = [sidecarSetController({ systemNamespace: 'kruise-system' })];
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const HOT = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' };

type Strategy = JsonObject & { maxUnavailable?: number | string };

function cold(image: string, strategy: Strategy = {}): JsonObject {
  return { containers: [{ name: 'log', image }], updateStrategy: { maxUnavailable: 2, ...strategy } };
}

function hot(image: string, strategy: Strategy = {}): JsonObject {
  return {
    containers: [{ name: 'mesh', image, upgradeStrategy: HOT }],
    updateStrategy: { maxUnavailable: 2, ...strategy },
  };
}

/** A cluster in which `count` pods run with the sidecars of the SidecarSet. */
async function running(
  seed: number,
  spec: JsonObject,
  { count = 8, failures = 0.2, fresh = false } = {},
): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed, controllers, failures, fresh });
  const set = storedSet('logs', spec);
  cluster.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels: { team: 'a' } },
  });
  cluster.create(SIDECAR_SETS, withoutIdentity(set));
  for (let i = 0; i < count; i++) cluster.create(PODS, withoutIdentity(injectedPod(`p${i}`, set)));
  await cluster.rest();
  return cluster;
}

function withoutIdentity({ status: _status, metadata, ...object }: KubeObject): JsonObject {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...rest } = metadata;
  const spec = object.spec as JsonObject;
  const { nodeName: _node, ...own } = spec;
  return { ...object, metadata: rest, spec: own } as unknown as JsonObject;
}

/** As a user changes it, through the webhook that computes the hashes. */
function change(cluster: SimulatedCluster, spec: JsonObject): void {
  cluster.change(SIDECAR_SETS, { name: 'logs' }, (object) => {
    const next = storedSet('logs', spec);
    const metadata = { ...(object.metadata as JsonObject), annotations: next.metadata.annotations };
    return { ...object, metadata, spec: next.spec } as unknown as JsonObject;
  });
}

const pods = (cluster: SimulatedCluster) => cluster.list(PODS) as readonly Pod[];

function images(cluster: SimulatedCluster, container: string): (string | undefined)[] {
  return pods(cluster).map(({ spec }) => spec.containers.find(({ name }) => name === container)?.image);
}

/** Not ready, or going to be: a container has yet to be restarted. */
function isDown(pod: Pod): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  return (
    !isReady(pod) ||
    pod.spec.containers.some(({ name, image }) => statuses.find((one) => one.name === name)?.image !== image)
  );
}

const atMost = (most: number) => (cluster: SimulatedCluster) =>
  expect(pods(cluster).filter(isDown).length).toBeLessThanOrEqual(most);

const statusOf = (cluster: SimulatedCluster) => cluster.get(SIDECAR_SETS, { name: 'logs' })?.status;

describe.each(SEEDS)('with the luck of seed %i', (seed) => {
  it('all pods are upgraded, two at a time, and keep their uids and other containers', async () => {
    const cluster = await running(seed, cold('l:1'));
    const before = pods(cluster).map(({ metadata }) => metadata.uid);
    change(cluster, cold('l:2'));
    await cluster.rest({ invariant: atMost(2) });
    expect(new Set(images(cluster, 'log'))).toEqual(new Set(['l:2']));
    expect(pods(cluster).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(
      pods(cluster)
        .flatMap(({ status }) => status?.containerStatuses ?? [])
        .map((one) => `${one.name} ${one.restartCount}`),
    ).toEqual(before.flatMap(() => ['app 0', 'log 1']));
    expect(statusOf(cluster)).toMatchObject({
      matchedPods: 8,
      updatedPods: 8,
      readyPods: 8,
      updatedReadyPods: 8,
      observedGeneration: 2,
    });
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a change in the middle of an upgrade, and one back, keep to the limit', async () => {
    const cluster = await running(seed, cold('l:1'));
    const later = [cold('l:2'), cold('l:3', { maxUnavailable: 1 }), cold('l:1'), cold('l:3')];
    const actor = () => (later.length === 0 ? [] : [() => change(cluster, later.shift() ?? {})]);
    await cluster.rest({ invariant: atMost(2), actors: [actor] });
    expect(new Set(images(cluster, 'log'))).toEqual(new Set(['l:3']));
    expect(statusOf(cluster)).toMatchObject({ updatedReadyPods: 8 });
    const revisions = cluster.list(CONTROLLER_REVISIONS);
    expect(revisions.map(({ metadata }) => metadata.name)).toContain((statusOf(cluster) as JsonObject).latestRevision);
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a partition leaves pods on the former image, and they follow when it is gone', async () => {
    const cluster = await running(seed, cold('l:1'));
    change(cluster, cold('l:2', { partition: '60%' }));
    await cluster.rest({ invariant: atMost(2) });
    expect(images(cluster, 'log').filter((image) => image === 'l:2')).toHaveLength(3);
    expect(await cluster.outstanding()).toEqual({});
    change(cluster, cold('l:2'));
    await cluster.rest({ invariant: atMost(2) });
    expect(images(cluster, 'log').filter((image) => image === 'l:2')).toHaveLength(8);
  });

  it('an image that cannot be pulled stops the upgrade at the limit, and a good one repairs it', async () => {
    const cluster = await running(seed, cold('l:1'));
    cluster.kubelet.brokenImages.add('l:bad');
    change(cluster, cold('l:bad'));
    await cluster.rest({ invariant: atMost(2) });
    expect(images(cluster, 'log').filter((image) => image === 'l:bad')).toHaveLength(2);
    change(cluster, cold('l:2'));
    await cluster.rest({ invariant: atMost(2) });
    expect(new Set(images(cluster, 'log'))).toEqual(new Set(['l:2']));
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a hot upgrade always has a container that serves, and ends with the other one empty', async () => {
    const cluster = await running(seed, hot('m:1'));
    const serves = ({ status }: Pod) =>
      status?.containerStatuses?.some(({ name, image, ready }) => name !== 'app' && image !== 'e:1' && ready) ?? false;
    change(cluster, hot('m:2'));
    await cluster.rest({ invariant: () => expect(pods(cluster).every(serves)).toBe(true) });
    expect(images(cluster, 'mesh-1')).toEqual(Array(8).fill('e:1'));
    expect(images(cluster, 'mesh-2')).toEqual(Array(8).fill('m:2'));
    expect(statusOf(cluster)).toMatchObject({ updatedPods: 8, updatedReadyPods: 8 });
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a hot upgrade that is taken back ends with the former image', async () => {
    const cluster = await running(seed, hot('m:1'));
    cluster.kubelet.brokenImages.add('m:bad');
    change(cluster, hot('m:bad'));
    await cluster.rest();
    expect(images(cluster, 'mesh-2').filter((image) => image === 'm:bad')).toHaveLength(2);
    change(cluster, hot('m:1'));
    await cluster.rest();
    expect(images(cluster, 'mesh-2')).toEqual(Array(8).fill('e:1'));
    expect(statusOf(cluster)).toMatchObject({ updatedReadyPods: 8 });
    expect(await cluster.outstanding()).toEqual({});
  });
});

describe('two SidecarSets in the same pods', () => {
  it.each(SEEDS)('say both what they can do, with seed %i', async (seed) => {
    const cluster = new SimulatedCluster({ seed, controllers, failures: 0.2 });
    const names = ['one', 'two'];
    const make = (name: string, image: string) =>
      storedSet(name, { containers: [{ name, image }], updateStrategy: { maxUnavailable: 2 } });
    const sets = names.map((name) => make(name, 'i:1'));
    for (const set of sets) cluster.create(SIDECAR_SETS, withoutIdentity(set));
    for (let i = 0; i < 4; i++) cluster.create(PODS, withoutIdentity(injectedPod(`p${i}`, sets)));
    await cluster.rest();
    for (const name of names) {
      const { metadata, spec } = make(name, 'i:2');
      cluster.change(SIDECAR_SETS, { name }, (object) => ({
        ...object,
        metadata: { ...(object.metadata as JsonObject), annotations: metadata.annotations as JsonObject },
        spec: spec as JsonObject,
      }));
    }
    await cluster.rest();
    for (const { status, spec } of pods(cluster)) {
      const condition = status?.conditions?.find(({ type }) => type === 'SidecarSetUpgradable');
      expect(condition).toMatchObject({ status: 'True', message: '{"one":true,"two":true}' });
      expect(spec.containers.map(({ image }) => image).slice(1)).toEqual(['i:2', 'i:2']);
    }
    expect(await cluster.outstanding()).toEqual({});
  });
});

describe('a SidecarSet', () => {
  it('looks again when the labels of a namespace change', async () => {
    const spec = (image: string) => ({ ...cold(image), namespaceSelector: { matchLabels: { team: 'b' } } });
    const cluster = await running(1, spec('l:1'), { count: 2 });
    expect(statusOf(cluster)).toMatchObject({ matchedPods: 0 });
    cluster.change(NAMESPACES, { name: 'shop' }, (object) => ({
      ...object,
      metadata: { ...(object.metadata as JsonObject), labels: { team: 'b' } },
    }));
    await cluster.rest();
    expect(statusOf(cluster)).toMatchObject({ matchedPods: 2 });
  });

  it('counts pods that are deleted, without a change before, no longer', async () => {
    const cluster = await running(1, cold('l:1', { type: 'NotUpdate' }), { count: 3, failures: 0 });
    cluster.delete(PODS, { namespace: 'shop', name: 'p0' });
    await cluster.rest();
    expect(statusOf(cluster)).toMatchObject({ matchedPods: 2, readyPods: 2 });
  });

  it('makes its revision again when somebody deletes it', async () => {
    const cluster = await running(1, cold('l:1'), { count: 1 });
    const [revision] = cluster.list(CONTROLLER_REVISIONS);
    cluster.delete(CONTROLLER_REVISIONS, revision?.metadata ?? { name: '' });
    await cluster.rest();
    expect(cluster.list(CONTROLLER_REVISIONS).map(({ metadata }) => metadata.name)).toEqual([revision?.metadata.name]);
  });

  it('is gone with its revisions, and its pods stay as they are', async () => {
    const cluster = await running(1, cold('l:1'), { count: 2, fresh: true });
    const before = pods(cluster);
    cluster.delete(SIDECAR_SETS, { name: 'logs' });
    await cluster.rest();
    expect(cluster.list(CONTROLLER_REVISIONS)).toEqual([]);
    expect(pods(cluster)).toEqual(before);
  });

  it('does not count pods that it was never injected into', async () => {
    const cluster = await running(1, cold('l:1'), { count: 1 });
    const bare = injectedPod('bare', storedSet('logs', cold('l:1')), {
      annotations: { 'kruise.io/sidecarset-injected-list': '' },
    });
    cluster.create(PODS, withoutIdentity(bare));
    await cluster.rest();
    expect(statusOf(cluster)).toMatchObject({ matchedPods: 1 });
  });

  it('does not touch pods of another upgrade type', async () => {
    const cluster = await running(1, cold('l:1'), { count: 2 });
    change(cluster, { containers: [{ name: 'log', image: 'l:2', upgradeStrategy: HOT }] });
    await cluster.rest();
    expect(statusOf(cluster)).toMatchObject({ matchedPods: 0 });
    expect(images(cluster, 'log')).toEqual(['l:1', 'l:1']);
  });
});
