// A budget is never exceeded, whoever disturbs its pods in which order, while caches lag and writes fail; and what holds
// pods back goes on once others have come up again.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { PODS, REPLICA_SETS } from '../../../kube/resource.ts';
import { podUnavailableBudget } from '../../../reconcilers/podunavailablebudget/controller.ts';
import { BUDGETS } from '../../../reconcilers/podunavailablebudget/state.ts';
import { isActive, type Pod } from '../../../reconcilers/shared/pod.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';
import { SimulatedAdmission } from '../../support/simulation/admission.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const NAME = { namespace: 'shop', name: 'web' };
const RULES = { maxUnavailable: 2, minimum: 6, replicas: 8 };

type World = { cluster: SimulatedCluster; admission: SimulatedAdmission; isOldImage: (pod: KubeObject) => boolean };

/** Eight pods of a ReplicaSet that runs image `app:1`, and a budget that lets two of them be down; all at rest. */
async function world(seed: number): Promise<World> {
  const availability = { isAvailable: (pod: Pod): boolean => admission.isAvailable(pod) };
  const cluster = new SimulatedCluster({ seed, failures: 0.2, controllers: [podUnavailableBudget(availability)] });
  const admission = new SimulatedAdmission(cluster, [BUDGETS]);
  onTestFinished(() => admission.end());
  const selector = { matchLabels: { app: 'web' } };
  cluster.create(REPLICA_SETS, { metadata: { ...NAME }, spec: { replicas: RULES.replicas, selector } });
  // The budget comes before its pods, and must find them all the same.
  cluster.create(BUDGETS, { metadata: { ...NAME }, spec: { selector, maxUnavailable: RULES.maxUnavailable } });
  await cluster.rest({ actors: [admission.actor, replicaSet(admission)] });
  const isOldImage = (pod: KubeObject) => JSON.stringify(pod.spec).includes('app:1');
  return { cluster, admission, isOldImage };
}

/** Replaces pods that are gone, one at a time. */
function replicaSet(admission: SimulatedAdmission) {
  return (cluster: SimulatedCluster) => {
    const owner = cluster.get(REPLICA_SETS, NAME);
    if (owner === undefined || pods(cluster).filter(isActive).length >= RULES.replicas) return [];
    const reference = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: owner.metadata.uid,
      controller: true,
    };
    const metadata = { namespace: 'shop', generateName: 'web-', labels: { app: 'web' }, ownerReferences: [reference] };
    const spec = { containers: [{ name: 'app', image: 'app:1' }] };
    return [() => void admission.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec })];
  };
}

function pods(cluster: SimulatedCluster): Pod[] {
  return cluster.list(PODS, 'shop') as Pod[];
}

/** As the budget was promised: so many pods are available in the world at any time. */
function holds({ admission }: World) {
  return (cluster: SimulatedCluster) => {
    const available = pods(cluster).filter((pod) => admission.isAvailable(pod)).length;
    if (available < RULES.minimum) throw new Error(`only ${available} pods are available`);
  };
}

/** Does something to all such pods, in rounds: who is refused asks again when all has come to rest. */
async function disturb(
  made: World,
  isMeant: (pod: Pod) => boolean,
  ask: (pod: Pod) => boolean,
  actors: readonly ((cluster: SimulatedCluster) => readonly (() => void)[])[] = [],
): Promise<void> {
  const { cluster, admission } = made;
  for (let round = 0; round < 8 && pods(cluster).some(isMeant); round++) {
    const refused = new Set<string>();
    const next = () =>
      pods(cluster)
        .filter((pod) => isMeant(pod) && !refused.has(pod.metadata.uid))
        .map((pod) => () => {
          if (!ask(pod)) refused.add(pod.metadata.uid);
        });
    await cluster.rest({ actors: [admission.actor, ...actors, next], invariant: holds(made) });
  }
}

function status({ cluster }: World): JsonObject {
  return cluster.get(BUDGETS, NAME)?.status as JsonObject;
}

describe.each(SEEDS)('with seed %i', (seed) => {
  it('a drain of all pods is held back by the budget, and ends', async () => {
    const made = await world(seed);
    const { cluster, admission } = made;
    const old = new Map(pods(cluster).map(({ metadata }) => [metadata.uid, metadata]));
    const isOld = (pod: Pod) => old.has(pod.metadata.uid) && isActive(pod);
    await disturb(made, isOld, (pod) => admission.delete(pod), [replicaSet(admission)]);
    expect(pods(cluster).some(({ metadata }) => old.has(metadata.uid))).toBe(false);
    expect(status(made)).toMatchObject({
      currentAvailable: 8,
      desiredAvailable: 6,
      unavailableAllowed: 2,
      totalReplicas: 8,
    });
    expect(status(made)).not.toHaveProperty('disruptedPods');
    expect(await cluster.outstanding()).toEqual({});
  });

  it('a new image for all pods is held back too, and arrives', async () => {
    const made = await world(seed);
    const { cluster, admission, isOldImage } = made;
    await disturb(made, isOldImage, (pod) => {
      const spec = { ...pod.spec, containers: [{ name: 'app', image: 'app:2' }] };
      return admission.update(pod, { ...pod, spec });
    });
    expect(pods(cluster).filter(isOldImage)).toEqual([]);
    expect(status(made)).toMatchObject({ currentAvailable: 8, unavailableAllowed: 2 });
    expect(await cluster.outstanding()).toEqual({});
  });
});

it('pods that were there before their budget are linked to it', async () => {
  const made = await world(1);
  const { cluster, admission } = made;
  cluster.delete(BUDGETS, NAME);
  const selector = { matchLabels: { app: 'web' } };
  cluster.create(BUDGETS, { metadata: { namespace: 'shop', name: 'other' }, spec: { selector, maxUnavailable: 1 } });
  await cluster.rest({ actors: [admission.actor] });
  for (const { metadata } of pods(cluster))
    expect(metadata.annotations).toMatchObject({ 'pub.kruise.io/related-pub': 'other' });
  expect(cluster.get(BUDGETS, { namespace: 'shop', name: 'other' })?.status).toMatchObject({ unavailableAllowed: 1 });
  const [first, second] = pods(cluster);
  expect([first, second].map((pod) => pod !== undefined && admission.delete(pod))).toEqual([true, false]);
});
