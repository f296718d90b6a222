// C020: a budget for a Rollout, whose pods it has through ReplicaSets, protects them (openkruise/kruise#2571).
import { expect, test } from 'vitest';
import { REPLICA_SETS, type Resource } from '../../kube/resource.ts';
import { BudgetCluster } from '../support/budget-cluster.ts';

const ROLLOUTS: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  plural: 'rollouts',
  kind: 'Rollout',
  namespaced: true,
};
const selector = { matchLabels: { app: 'web' } };

test.each<[string, boolean]>([
  ['created after it', true],
  ['that no webhook has seen', false],
])('pods %s are linked, counted and kept', async (_what, isAdmitted) => {
  const cluster = new BudgetCluster();
  const targetRef = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web' };
  cluster.budget('web', { targetRef, maxUnavailable: 1 });
  const rollout = cluster.workload(ROLLOUTS, 'web', { replicas: 4, selector });
  const [stable, canary] = ['stable', 'canary'].map((name) =>
    cluster.workload(REPLICA_SETS, `web-${name}`, { replicas: 2, selector }, rollout),
  );
  await cluster.rest();
  cluster.pods(2, stable ?? {}, { isAdmitted, prefix: 'stable' });
  cluster.pods(2, canary ?? {}, { isAdmitted, prefix: 'canary' });
  if (isAdmitted) expect(Object.values(cluster.links)).toEqual(['web', 'web', 'web', 'web']);
  await cluster.rest();
  expect(Object.values(cluster.links)).toEqual(['web', 'web', 'web', 'web']);
  expect(cluster.status('web')).toMatchObject({
    totalReplicas: 4,
    desiredAvailable: 3,
    currentAvailable: 4,
    unavailableAllowed: 1,
  });
  expect(cluster.deleteAll()).toHaveLength(1);
});
