// C021: pods that are marked for deletion while others stand in for them do not let a budget fall short
// (openkruise/kruise#2175): what may be disturbed is what is available beyond what has to be, whatever is deleted.
import { expect, test } from 'vitest';
import { PODS } from '../../kube/resource.ts';
import { CLONE_SETS } from '../../reconcilers/shared/workloads.ts';
import { BudgetCluster } from '../support/budget-cluster.ts';

const selector = { matchLabels: { app: 'web' } };
const REPLICAS = 5;
const DESIRED = 4;
const marked = { 'apps.kruise.io/specified-delete': 'true' };

/** A CloneSet of five with two pods marked for deletion, and the two that stand in for them. */
async function surging(options: { seed?: number; failures?: number } = {}): Promise<BudgetCluster> {
  const cluster = new BudgetCluster(options);
  cluster.budget('web', { selector, maxUnavailable: REPLICAS - DESIRED });
  const owner = cluster.workload(CLONE_SETS, 'web', { replicas: REPLICAS, selector });
  cluster.pods(3, owner, { prefix: 'kept' });
  cluster.pods(2, owner, { prefix: 'marked', labels: marked });
  cluster.pods(2, owner, { prefix: 'surge' });
  await cluster.rest();
  return cluster;
}

test('pods of a surge count, so that more may be disturbed than maxUnavailable says', async () => {
  const cluster = await surging();
  expect(cluster.status('web')).toMatchObject({
    totalReplicas: REPLICAS,
    desiredAvailable: DESIRED,
    currentAvailable: 7,
    unavailableAllowed: 3,
  });
});

test('a pod that is not ready yet does not stand in for anybody', async () => {
  const cluster = await surging();
  for (const name of ['surge-0', 'surge-1']) {
    cluster.world.kubelet.brokenImages.add('app:bad');
    cluster.world.change(PODS, { namespace: 'shop', name }, (object) => ({
      ...object,
      spec: { containers: [{ name: 'app', image: 'app:bad' }], nodeName: 'node-1' },
    }));
  }
  await cluster.rest();
  expect(cluster.status('web')).toMatchObject({ currentAvailable: 5, unavailableAllowed: 1 });
  expect(cluster.deleteAll()).toContain('surge-0');
  expect(cluster.available).toBeGreaterThanOrEqual(DESIRED);
});

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'whatever is deleted, in any order, four are available: seed %i',
  async (seed) => {
    const cluster = await surging({ seed, failures: 0.2 });
    const refused = new Set<string>();
    const deletions = () =>
      cluster.all
        .filter(({ metadata }) => !refused.has(metadata.uid) && metadata.deletionTimestamp === undefined)
        .map((pod) => () => {
          if (!cluster.admission.delete(pod)) refused.add(pod.metadata.uid);
        });
    const invariant = () => {
      if (cluster.available < DESIRED) throw new Error(`only ${cluster.available} pods are available`);
    };
    for (let round = 0; round < 4; round++) {
      refused.clear();
      await cluster.rest({ actors: [deletions], invariant });
    }
    expect(cluster.available).toBe(DESIRED);
  },
);
