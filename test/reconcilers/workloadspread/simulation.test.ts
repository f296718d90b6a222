// A spread keeps its subsets through scale-out, scale-in and a rolling update, while caches lag, writes fail and pods that
// were admitted never come.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { type KubeObject, keyOf } from '../../../kube/objects.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../kube/resource.ts';
import { isActive, type Pod } from '../../../reconcilers/shared/pod.ts';
import { workloadSpread } from '../../../reconcilers/workloadspread/controller.ts';
import { matchedOf, SPREADS, versionOfPod } from '../../../reconcilers/workloadspread/spread.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';
import { SimulatedAdmission } from '../../support/simulation/admission.ts';
import { COST, type StatusIn } from './support.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const NAME = { namespace: 'shop', name: 'web' };
const MAX = 3;
const selector = { matchLabels: { app: 'web' } };

type World = { cluster: SimulatedCluster; admission: SimulatedAdmission; lose: { every: number } };

/** A Deployment `web` without pods, spread over a(3) and b. */
async function world(seed: number): Promise<World> {
  const cluster = new SimulatedCluster({ seed, failures: 0.2, controllers: [workloadSpread(SYSTEM_NAMESPACE)] });
  const admission = new SimulatedAdmission(cluster, [SPREADS]);
  onTestFinished(() => admission.end());
  cluster.create(DEPLOYMENTS, { metadata: { ...NAME }, spec: { replicas: 0, selector, template: template('h1') } });
  replicaSet(cluster, 'h1');
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const subsets = [{ name: 'a', maxReplicas: MAX }, { name: 'b' }];
  cluster.create(SPREADS, { metadata: { ...NAME }, spec: { targetRef, subsets, scheduleStrategy: {} } });
  const made = { cluster, admission, lose: { every: 0 } };
  await rest(made);
  return made;
}

function template(hash: string, labels: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: 'web', ...labels } },
    spec: { containers: [{ name: 'app', image: `app:${hash}` }] },
  };
}

function replicaSet(cluster: SimulatedCluster, hash: string): void {
  const uid = cluster.get(DEPLOYMENTS, NAME)?.metadata.uid ?? '';
  const labels = { app: 'web', 'pod-template-hash': hash };
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }];
  const metadata = { namespace: 'shop', name: `web-${hash}`, labels, ownerReferences };
  cluster.create(REPLICA_SETS, { metadata, spec: { replicas: 0, selector, template: template(hash, labels) } });
}

function scale(cluster: SimulatedCluster, replicas: number, hash: string): void {
  const to = (object: JsonObject) => ({ ...object, spec: { ...(object.spec as JsonObject), replicas } });
  cluster.change(REPLICA_SETS, { namespace: 'shop', name: `web-${hash}` }, to);
  // The Deployment wants what its ReplicaSets want together.
  const sets = cluster.list(REPLICA_SETS, 'shop').map(({ spec }) => (spec as { replicas: number }).replicas);
  const sum = sets.reduce((one, other) => one + other, 0);
  cluster.change(DEPLOYMENTS, NAME, (object) => ({
    ...object,
    spec: { ...(object.spec as JsonObject), replicas: sum },
  }));
}

/** The controller of ReplicaSets: one pod at a time comes, or the cheapest goes. */
function workloads({ admission, lose }: World) {
  let created = 0;
  return (cluster: SimulatedCluster) =>
    cluster.list(REPLICA_SETS, 'shop').flatMap((set) => {
      const { replicas } = set.spec as { replicas: number };
      const own = podsOf(cluster, set);
      const isLost = () => lose.every > 0 && ++created % lose.every === 0;
      if (own.length < replicas) return [() => void admission.create(newPod(set), isLost())];
      const [cheapest] = own.toSorted((a, b) => costOf(a) - costOf(b));
      return own.length > replicas && cheapest !== undefined ? [() => void admission.delete(cheapest)] : [];
    });
}

function newPod({ metadata, spec }: KubeObject): JsonObject {
  const { template: made } = spec as { template: JsonObject };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: metadata.name, uid: metadata.uid, controller: true };
  const own = {
    namespace: 'shop',
    generateName: `${metadata.name}-`,
    labels: { ...metadata.labels },
    ownerReferences: [owner],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: own, spec: made.spec ?? {} };
}

function podsOf(cluster: SimulatedCluster, { metadata }: KubeObject): Pod[] {
  const pods = cluster.list(PODS, 'shop') as Pod[];
  return pods.filter((pod) => isActive(pod) && pod.metadata.ownerReferences?.[0]?.uid === metadata.uid);
}

function costOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[COST] ?? 0);
}

async function rest(made: World): Promise<void> {
  await made.cluster.rest({ actors: [made.admission.actor, workloads(made)], invariant: holds });
}

/** Active pods by version and subset. */
function spreadIn(cluster: SimulatedCluster): Record<string, number> {
  const pods = (cluster.list(PODS, 'shop') as Pod[]).filter(isActive);
  const groups = Map.groupBy(pods, (pod) => `${versionOfPod(pod)} ${matchedOf(pod).subset}`);
  return Object.fromEntries([...groups].map(([group, own]) => [group, own.length]));
}

/** A subset never has more pods of one version than it takes. */
function holds(cluster: SimulatedCluster): void {
  for (const [group, count] of Object.entries(spreadIn(cluster))) {
    if (group.endsWith(' a') && count > MAX) throw new Error(`${count} pods in ${group}`);
  }
}

function status({ cluster }: World): StatusIn {
  return cluster.get(SPREADS, NAME)?.status as StatusIn;
}

/** What is left for the controller to do but for looking again. */
async function settled({ cluster }: World): Promise<void> {
  expect(await cluster.outstanding()).toEqual({});
}

describe.each(SEEDS)('with seed %i', (seed) => {
  it('scale-out fills the first subset first, and scale-in empties the last one first', async () => {
    const made = await world(seed);
    for (const [replicas, expected] of [
      [2, { 'h1 a': 2 }],
      [6, { 'h1 a': 3, 'h1 b': 3 }],
      [4, { 'h1 a': 3, 'h1 b': 1 }],
      [1, { 'h1 a': 1 }],
      [5, { 'h1 a': 3, 'h1 b': 2 }],
    ] as const) {
      scale(made.cluster, replicas, 'h1');
      await rest(made);
      expect(spreadIn(made.cluster)).toEqual(expected);
      await settled(made);
    }
    expect(status(made).versionedSubsetStatuses?.h1).toMatchObject([
      { name: 'a', replicas: 3, missingReplicas: 0 },
      { name: 'b', replicas: 2, missingReplicas: -1 },
    ]);
    expect(JSON.stringify(status(made))).not.toMatch(/creatingPods|deletingPods/);
  });

  it('a rolling update ends with the same spread', async () => {
    const made = await world(seed);
    const { cluster } = made;
    scale(cluster, 5, 'h1');
    await rest(made);
    replicaSet(cluster, 'h2');
    cluster.change(DEPLOYMENTS, NAME, (object) => ({
      ...object,
      spec: { ...(object.spec as JsonObject), template: template('h2') },
    }));
    for (let next = 1; next <= 5; next++) {
      scale(cluster, next, 'h2');
      await rest(made);
      scale(cluster, 5 - next, 'h1');
      // The first subset of the old version goes first, so that the new pods have the nodes to themselves.
      await rest(made);
      expect(spreadIn(cluster)['h1 a'] ?? 0).toBe(Math.max(3 - next, 0));
    }
    expect(spreadIn(cluster)).toEqual({ 'h2 a': 3, 'h2 b': 2 });
    expect(Object.keys(status(made).versionedSubsetStatuses ?? {})).toEqual(['h2']);
    await settled(made);
  });

  it('pods that were booked and never came leave their places to others', async () => {
    const made = await world(seed);
    made.lose.every = 2;
    scale(made.cluster, 4, 'h1');
    await rest(made);
    made.lose.every = 0;
    // Lost bookings are over by now; what they kept away from the first subset stays in the last.
    scale(made.cluster, 12, 'h1');
    await rest(made);
    expect(spreadIn(made.cluster)).toMatchObject({ 'h1 a': 3, 'h1 b': 9 });
    expect(JSON.stringify(status(made))).not.toMatch(/creatingPods/);
    await settled(made);
  });
});

it('every pod that was booked is counted, or told of', async () => {
  const made = await world(3);
  made.lose.every = 1;
  const { cluster, admission } = made;
  const set = cluster.get(REPLICA_SETS, { namespace: 'shop', name: 'web-h1' });
  if (set === undefined) throw new Error('there is no ReplicaSet');
  for (let i = 0; i < 3; i++) admission.create(newPod(set), true);
  await rest(made);
  const told = cluster.events.filter(({ reason }) => reason === 'CreatePodFailed');
  expect(new Set(told.map(({ message }) => message)).size).toBe(3);
  expect(told.every(({ regarding }) => keyOf(regarding.metadata) === 'shop/web')).toBe(true);
});
