// C028: a spread recovers from many quick deletions, counts pods that live only, and shrinks from its end
// (openkruise/kruise#2129, #877, #739).
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { NODES, PODS } from '../../kube/resource.ts';
import { podReadiness } from '../../reconcilers/podreadiness/controller.ts';
import { isActive, type Pod } from '../../reconcilers/shared/pod.ts';
import { CLONE_SETS } from '../../reconcilers/shared/workloads.ts';
import { workloadSpread } from '../../reconcilers/workloadspread/controller.ts';
import { matchedOf, SPREADS } from '../../reconcilers/workloadspread/spread.ts';
import { SYSTEM_NAMESPACE } from '../support/builders/cluster.ts';
import { SimulatedCluster } from '../support/simulated-cluster.ts';
import { SimulatedAdmission } from '../support/simulation/admission.ts';

const NAME = { namespace: 'shop', name: 'web' };
const COST = 'controller.kubernetes.io/pod-deletion-cost';

/** A CloneSet of four, spread over a(2) and b(2). */
class World {
  readonly cluster: SimulatedCluster;
  readonly admission: SimulatedAdmission;
  #created = 0;

  constructor(seed = 1, failures = 0) {
    const controllers = [workloadSpread(SYSTEM_NAMESPACE), podReadiness];
    this.cluster = new SimulatedCluster({ seed, failures, controllers });
    this.admission = new SimulatedAdmission(this.cluster, [SPREADS]);
    onTestFinished(() => this.admission.end());
    for (let i = 0; i < 3; i++) this.cluster.create(NODES, { metadata: { name: `node-${i}` } });
    this.cluster.create(CLONE_SETS, { metadata: { ...NAME }, spec: { replicas: 4 } });
    const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };
    const subsets = ['a', 'b'].map((name) => ({ name, maxReplicas: 2 }));
    this.cluster.create(SPREADS, { metadata: { ...NAME }, spec: { targetRef, subsets } });
  }

  async rest(actors: readonly (() => readonly (() => void)[])[] = []): Promise<void> {
    await this.cluster.rest({ actors: [this.admission.actor, ...actors] });
  }

  /** One more pod; returns the subset that it is put into, empty if it found no place. */
  create(): string {
    const uid = this.cluster.get(CLONE_SETS, NAME)?.metadata.uid ?? '';
    const ownerReferences = [
      { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true },
    ];
    const pod = this.admission.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'shop', name: `web-${this.#created++}`, labels: { app: 'web' }, ownerReferences },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    });
    return pod === undefined ? '' : matchedOf(pod).subset;
  }

  get pods(): readonly Pod[] {
    return (this.cluster.list(PODS, 'shop') as readonly Pod[]).filter(isActive);
  }

  /** How many pods that live each subset has. */
  get counts(): Record<string, number> {
    const groups = Map.groupBy(this.pods, (pod) => matchedOf(pod).subset);
    return Object.fromEntries([...groups].map(([subset, own]) => [subset, own.length]).sort());
  }

  get status(): JsonObject {
    return (this.cluster.get(SPREADS, NAME)?.status ?? {}) as JsonObject;
  }
}

async function full(seed?: number, failures?: number): Promise<World> {
  const world = new World(seed, failures);
  await world.rest();
  expect([0, 1, 2, 3].map(() => world.create())).toEqual(['a', 'a', 'b', 'b']);
  await world.rest();
  return world;
}

test('pods that are finished or going are not counted, and give their places to others', async () => {
  const world = await full();
  const { cluster, admission } = world;
  const to = (phase: string) => (object: JsonObject) => ({
    ...object,
    status: { ...(object.status as JsonObject), phase },
  });
  cluster.change(PODS, { namespace: 'shop', name: 'web-0' }, to('Failed'), 'status');
  const going = world.pods.find(({ metadata }) => metadata.name === 'web-2');
  expect(going && admission.delete(going)).toBe(true);
  await world.rest();
  expect(world.status).toMatchObject({
    subsetStatuses: [
      { name: 'a', replicas: 1, missingReplicas: 1 },
      { name: 'b', replicas: 1, missingReplicas: 1 },
    ],
  });
  expect([world.create(), world.create()]).toEqual(['a', 'b']);
  await world.rest();
  expect(world.counts).toEqual({ a: 2, b: 2 });
});

test('a pod that is created while all is full passes as it is, and is adopted when there is room', async () => {
  const world = await full();
  expect(world.create()).toBe('');
  const [first] = world.pods;
  expect(first && matchedOf(first).subset).toBe('a');
  expect(first && world.admission.delete(first)).toBe(true);
  await world.rest();
  expect(world.counts).toEqual({ a: 2, b: 2 });
  expect(JSON.stringify(world.status)).not.toMatch(/creatingPods|deletingPods/);
});

test('what was booked and did not happen is given back in time, and told', async () => {
  const world = await full();
  const { cluster, admission } = world;
  const [first, second] = world.pods;
  // The first is deleted by nobody though that was admitted; the one in its place never comes.
  cluster.change(PODS, first?.metadata ?? { name: '' }, (object) => ({
    ...object,
    metadata: { ...(object.metadata as JsonObject), finalizers: ['x/y'] },
  }));
  expect(second && admission.delete(second)).toBe(true);
  const uid = cluster.get(CLONE_SETS, NAME)?.metadata.uid ?? '';
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true };
  const metadata = { namespace: 'shop', name: 'never', ownerReferences: [owner] };
  admission.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] } }, true);
  expect(JSON.stringify(world.status)).toContain('"creatingPods":{"never"');
  await world.rest();
  expect(world.status).toMatchObject({ subsetStatuses: [{ name: 'a', replicas: 1, missingReplicas: 1 }, {}] });
  expect(JSON.stringify(world.status)).not.toMatch(/creatingPods|deletingPods/);
  expect(cluster.events.map(({ reason }) => reason)).toEqual(['CreatePodFailed']);
});

test('the last subset shrinks first, and nothing is balanced afterwards', async () => {
  const world = await full();
  const cheapest = () =>
    world.pods.toSorted((x, y) => Number(x.metadata.annotations?.[COST]) - Number(y.metadata.annotations?.[COST]))[0];
  for (const counts of [{ a: 2, b: 1 }, { a: 2 }, { a: 1 }]) {
    const pod = cheapest();
    expect(pod && world.admission.delete(pod)).toBe(true);
    await world.rest();
    expect(world.counts).toEqual(counts);
  }
});

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'after many quick deletions every pod has a subset, and no subset too many: seed %i',
  async (seed) => {
    const world = await full(seed, 0.2);
    let left = 20;
    const churn = () => {
      const [victim] = world.pods.toSorted((x, y) =>
        (x.metadata.uid.at(-1) ?? '') < (y.metadata.uid.at(-1) ?? '') ? 1 : -1,
      );
      const deletion = () => void (victim !== undefined && left-- > 0 && world.admission.delete(victim));
      const isMissing = world.pods.length < 4;
      return [
        ...(left > 0 && victim !== undefined ? [deletion] : []),
        ...(isMissing ? [() => void world.create()] : []),
      ];
    };
    await world.rest([churn]);
    expect(world.pods).toHaveLength(4);
    expect(world.counts).toEqual({ a: 2, b: 2 });
    expect(world.status).toMatchObject({
      subsetStatuses: [
        { name: 'a', replicas: 2, missingReplicas: 0 },
        { name: 'b', replicas: 2, missingReplicas: 0 },
      ],
    });
    expect(JSON.stringify(world.status)).not.toMatch(/creatingPods|deletingPods/);
  },
);
