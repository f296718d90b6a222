// A small workload that updates its pods in place is stepped to rest: the steps of an update hold together however caches lag
// and writes fail.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { effectiveGates } from '../../../../api/gates.ts';
import type { KubeObject } from '../../../../kube/objects.ts';
import { CONFIG_MAPS, PODS } from '../../../../kube/resource.ts';
import type { Controller } from '../../../../reconcilers/loop/controller.ts';
import { isUpdateComplete } from '../../../../reconcilers/shared/inplace/completion.ts';
import { decideUpdate } from '../../../../reconcilers/shared/inplace/decide.ts';
import type { UpdateSpec } from '../../../../reconcilers/shared/inplace/state.ts';
import { refreshUpdate, startUpdate } from '../../../../reconcilers/shared/inplace/update.ts';
import { isReady, type Pod } from '../../../../reconcilers/shared/pod.ts';
import { SimulatedCluster } from '../../../support/simulated-cluster.ts';

const GATES = effectiveGates();
const REVISION = 'controller-revision-hash';
const KEY = { namespace: 'shop', name: 'demo' };
const MOST_DOWN = 2;
const BARRIERS: Record<string, string> = { a: 'p_10', b: 'p_5' };

/** Two containers that start one after the other and one that does not wait, all with this tag. */
function template(tag: string): JsonObject {
  const containers = ['a', 'b', 'c'].map((name) => {
    const key = BARRIERS[name];
    const barrier = { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'x', key: key ?? '' } } };
    return { name, image: `${name}:${tag}`, resources: {}, ...(key !== undefined && { env: [barrier] }) };
  });
  return { metadata: { labels: { tag } }, spec: { containers } };
}

const revision = (tag: string) =>
  ({ metadata: { name: `demo-${tag}` }, data: { spec: { template: template(tag) } } }) as unknown as KubeObject;

type State = { pods: readonly Pod[]; wanted: string; graceSeconds: number };

const demo: Controller<State> = {
  name: 'demo',
  workers: { default: 1 },
  watches: [
    { resource: CONFIG_MAPS, keys: () => [KEY] },
    { resource: PODS, keys: () => [KEY] },
  ],
  fetch: (reader, key) => {
    const settings = reader.get(CONFIG_MAPS, key)?.data as { tag: string; grace: string } | undefined;
    if (settings === undefined) return undefined;
    return { pods: reader.list(PODS) as readonly Pod[], wanted: settings.tag, graceSeconds: Number(settings.grace) };
  },
  plan: ({ pods, wanted, graceSeconds }, now) => {
    const context = { gates: GATES, resizeSubresource: false, now };
    const tagOf = (pod: Pod) => (pod.metadata.labels?.[REVISION] ?? '').replace('demo-', '');
    const behind = pods
      .filter((pod) => tagOf(pod) !== wanted)
      .toSorted((x, y) => Number(isReady(x)) - Number(isReady(y)));
    const down = pods.filter((pod) => !isReady(pod));
    const chosen = behind.filter(
      (pod, index) => !isReady(pod) || index < MOST_DOWN - down.length + behind.filter((one) => !isReady(one)).length,
    );
    const effects = chosen.map((pod) => {
      const spec = decideUpdate(revision(tagOf(pod)), revision(wanted), { gates: GATES, graceSeconds }) as UpdateSpec;
      return startUpdate(pod, spec, { labels: { [REVISION]: spec.revision } }, context);
    });
    const others = pods.filter((pod) => !chosen.includes(pod));
    const refreshed = others.map((pod) =>
      refreshUpdate(pod, (name) => name === pod.metadata.labels?.[REVISION], context),
    );
    const waits = refreshed.flatMap(({ requeueAfterMs }) => requeueAfterMs ?? []);
    return {
      groups: [[...effects, ...refreshed.flatMap(({ effect }) => effect ?? [])]].filter((group) => group.length > 0),
      ...(waits.length > 0 && { requeueAfterMs: Math.min(...waits) }),
    };
  },
};

async function running(seed: number, graceSeconds: number): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed, controllers: [demo], failures: 0.2 });
  const data = { tag: '1', grace: String(graceSeconds) };
  cluster.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data });
  for (let i = 0; i < 6; i++) {
    const { metadata, spec } = template('1') as { metadata: JsonObject; spec: JsonObject };
    const labels = { ...(metadata.labels as JsonObject), [REVISION]: 'demo-1' };
    cluster.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}`, namespace: 'shop', labels },
      spec: { ...spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    });
  }
  await cluster.rest();
  return cluster;
}

const pods = (cluster: SimulatedCluster) => cluster.list(PODS) as readonly Pod[];
const use = (cluster: SimulatedCluster, tag: string) =>
  cluster.change(CONFIG_MAPS, KEY, (object) => ({ ...object, data: { ...(object.data as JsonObject), tag } }));

function invariant(cluster: SimulatedCluster): void {
  const found = pods(cluster);
  expect(found.filter((pod) => !isReady(pod)).length).toBeLessThanOrEqual(MOST_DOWN);
  for (const pod of found) {
    const [a, b] = pod.spec.containers.map(({ image = '' }) => image.split(':')[1] ?? '');
    const runs = (name: string) =>
      pod.status?.containerStatuses?.find((one) => one.name === name)?.image?.split(':')[1];
    // No container changes in a pod that still serves, and b never before a runs.
    if (isReady(pod)) expect([runs('a'), runs('b')]).toEqual([a, b]);
    expect(Number(b)).toBeLessThanOrEqual(Number(runs('a')));
  }
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('with the luck of seed %i', (seed) => {
  it.each([0, 10])('pods come back updated, with a grace of %i seconds', async (graceSeconds) => {
    const cluster = await running(seed, graceSeconds);
    const uids = pods(cluster).map(({ metadata }) => metadata.uid);
    use(cluster, '2');
    await cluster.rest({ invariant });
    for (const pod of pods(cluster)) {
      expect(pod.spec.containers.map(({ image }) => image)).toEqual(['a:2', 'b:2', 'c:2']);
      expect(pod.metadata.labels).toMatchObject({ tag: '2', [REVISION]: 'demo-2' });
      expect([isReady(pod), isUpdateComplete(pod, GATES)]).toEqual([true, true]);
      expect(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1, 1]);
    }
    expect(pods(cluster).map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a change in the middle leads to the last revision', async () => {
    const cluster = await running(seed, 0);
    const later = ['2', '3', '4'];
    const actor = () => (later.length === 0 ? [] : [() => void use(cluster, later.shift() ?? '4')]);
    await cluster.rest({ actors: [actor] });
    for (const pod of pods(cluster)) {
      expect(pod.spec.containers.map(({ image }) => image)).toEqual(['a:4', 'b:4', 'c:4']);
      expect([isReady(pod), isUpdateComplete(pod, GATES)]).toEqual([true, true]);
    }
    expect(await cluster.outstanding()).toEqual({});
  });
});
