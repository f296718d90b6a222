// C019: a budget that was there before its pods counts them when they come (openkruise/kruise#1857).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../../kube/resource.ts';
import { BudgetCluster } from '../support/budget-cluster.ts';

const selector = { matchLabels: { app: 'web' } };
const SECONDS = 1000;

const budgets: [string, JsonObject][] = [
  ['by labels', { selector, maxUnavailable: '30%' }],
  ['by its workload', { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxUnavailable: '30%' }],
];
const ways: [string, boolean][] = [
  ['linked at their creation', true],
  ['that no webhook has seen', false],
];
const cases = budgets.flatMap(([how, spec]) => ways.map(([what, isAdmitted]) => ({ how, spec, what, isAdmitted })));

test.each(cases)('a budget $how counts pods $what', async ({ spec, isAdmitted }) => {
  const cluster = new BudgetCluster();
  cluster.budget('web', spec);
  await cluster.rest();
  expect(cluster.status('web')).toMatchObject({ totalReplicas: 0, currentAvailable: 0, unavailableAllowed: 0 });
  expect(cluster.world.events.map(({ reason }) => reason)).toEqual(['NoPods']);

  const owner = cluster.workload(DEPLOYMENTS, 'web', { replicas: 10, selector });
  const set = cluster.workload(REPLICA_SETS, 'web-1', { replicas: 10, selector }, owner);
  await cluster.rest({ forMs: 0 });
  const came = cluster.world.now;
  cluster.pods(10, set, { isAdmitted });
  // Nothing but the pods tells the controller to look.
  await cluster.rest({ forMs: 5 * SECONDS });
  expect(cluster.status('web')).toMatchObject({
    totalReplicas: 10,
    desiredAvailable: 7,
    currentAvailable: 10,
    unavailableAllowed: 3,
  });
  expect(new Set(Object.values(cluster.links))).toEqual(new Set(['web']));
  expect(cluster.world.now - came).toBeLessThanOrEqual(5 * SECONDS);
  expect(cluster.deleteAll()).toHaveLength(3);
});
