// A budget does not hold on to pods whose workload is deleted or scaled down (podunavailablebudget 8 and 13).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../../../kube/resource.ts';
import { BudgetCluster } from '../../support/budget-cluster.ts';

const selector = { matchLabels: { app: 'web' } };
const DEPLOYMENT = { namespace: 'shop', name: 'web' };
const budgets: [string, JsonObject][] = [
  ['by labels', { selector, maxUnavailable: 1 }],
  ['by its workload', { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxUnavailable: 1 }],
];

async function running(spec: JsonObject): Promise<BudgetCluster> {
  const cluster = new BudgetCluster();
  cluster.budget('web', spec);
  const owner = cluster.workload(DEPLOYMENTS, 'web', { replicas: 5, selector });
  const set = cluster.workload(REPLICA_SETS, 'web-1', { replicas: 5, selector }, owner);
  cluster.pods(5, set);
  await cluster.rest();
  expect(cluster.status('web')).toMatchObject({ totalReplicas: 5, currentAvailable: 5 });
  return cluster;
}

// With a budget that lets nobody go, no pod tells that anything has changed.
const none = budgets.map(([how, spec]): [string, JsonObject] => [
  `${how} that lets nobody go`,
  { ...spec, maxUnavailable: 0 },
]);

test.each([...budgets, ...none])(
  'a budget %s lets all pods of a Deployment go that is being deleted',
  async (_how, spec) => {
    const cluster = await running(spec);
    cluster.world.change(DEPLOYMENTS, DEPLOYMENT, (object) => ({
      ...object,
      metadata: { ...(object.metadata as JsonObject), finalizers: ['foregroundDeletion'] },
    }));
    cluster.world.delete(DEPLOYMENTS, DEPLOYMENT);
    await cluster.rest();
    expect(cluster.status('web')).toMatchObject({ desiredAvailable: 0 });
    expect(cluster.deleteAll()).toHaveLength(5);
  },
);

test.each(budgets)('a budget %s lets those go that a Deployment wants no more', async (_how, spec) => {
  const cluster = await running(spec);
  cluster.world.change(DEPLOYMENTS, DEPLOYMENT, (object) => ({
    ...object,
    spec: { ...(object.spec as JsonObject), replicas: 2 },
  }));
  await cluster.rest();
  expect(cluster.status('web')).toMatchObject({ desiredAvailable: 1, currentAvailable: 5, unavailableAllowed: 4 });
  expect(cluster.deleteAll()).toHaveLength(4);
});
