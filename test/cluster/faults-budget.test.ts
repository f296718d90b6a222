// Units that are taken and not used, rights that are taken away, budgets that are replaced (F13, F18, F20): what a budget has
// lost comes back, and nothing else is touched.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { Budgets, deletionReview } from './bed/budgets.ts';
import type { Client } from './bed/client.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const POD_PATH = '/validate-pod';
const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

describe.skipIf(missing.length > 0)('a budget', () => {
  let bed: Bed;
  let client: Client;
  let budgets: Budgets;
  let gateway: LiveGateway;
  let reconcilers: Reconcilers;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    budgets = new Budgets(client);
    await installUnserved(bed);
    gateway = await startLiveGateway(bed);
    await untilServed(bed);
    await bed.createNamespace('shop');
    reconcilers = new Reconcilers(bed);
    reconcilers.start();
    await reconcilers.leader();
  });
  afterAll(async () => {
    await reconcilers?.end();
    await gateway?.process.end();
    await bed?.close();
  });

  async function create(name: string, maxUnavailable: number): Promise<void> {
    await client.must(
      client.send('POST', BUDGETS, {
        apiVersion: 'policy.kruise.io/v1beta1',
        kind: 'PodUnavailableBudget',
        metadata: { name },
        spec: { selector: { matchLabels: { app: name } }, maxUnavailable, protectTotalReplicas: 3 },
      }),
    );
  }

  /** A budget that lets one of three pods go; resolves when the controller has counted them. */
  async function protectThree(name: string): Promise<string[]> {
    await create(name, 1);
    const pods = await budgets.runningPods(name, 3);
    await until('its pods are counted', async () => {
      const { status } = await budgets.get(name);
      return status?.unavailableAllowed === 1 && status.currentAvailable === 3;
    });
    return pods;
  }

  /** Asks for a pod until it has its unit: before a gateway has heard of a budget its pods are free. */
  async function take(name: string, pod: string): Promise<void> {
    await until('the unit is taken', async () => {
      await gateway.ask(POD_PATH, await deletionReview(client, pod));
      return (await budgets.status(name)).disruptedPods?.[pod] !== undefined;
    });
  }

  test('gets a unit back within 20 seconds when the pod stays, and says so on the pod (F18)', async () => {
    const [first = '', second = ''] = await protectThree('stays');
    // What the API server does when another webhook refuses the same deletion.
    await take('stays', first);
    const taken = performance.now();
    expect((await gateway.ask(POD_PATH, await deletionReview(client, second))).response.allowed).toBe(false);
    await until('the unit is back', async () => (await budgets.status('stays')).unavailableAllowed === 1);
    const seconds = (performance.now() - taken) / 1000;
    console.log(`the unit is back after ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(22);
    const path = `/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3D${first}`;
    await until('there is an event', async () => {
      const { items } = await client.must(client.get(path));
      return (items as { reason: string }[]).some(({ reason }) => reason === 'NotDeleted');
    });
    await take('stays', second);
  });

  test('that has been made anew is decided by as it is, and the one before is forgotten (F20)', async () => {
    const [first = '', second = ''] = await protectThree('anew');
    await take('anew', first);
    await budgets.delete('anew');
    await create('anew', 0);
    const { metadata } = await budgets.get('anew');
    await until('the new one counts', async () => {
      const { response } = await gateway.ask(POD_PATH, await deletionReview(client, second));
      return response.allowed === false;
    });
    const { metadata: after, status } = await budgets.get('anew');
    expect([after.uid, status?.unavailableAllowed, status?.disruptedPods ?? {}]).toEqual([metadata.uid, 0, {}]);
  });

  test('that may not be written is kept, and nothing else is: the reason is told, and it heals (F13)', async () => {
    const rules: JsonObject[] = [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ];
    const metadata = { name: 'sluice-reader' };
    await client.must(client.send('POST', ROLES, { metadata, rules } as unknown as JsonObject));
    const subject = { kind: 'ServiceAccount', name: 'default', namespace: 'shop' };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'sluice-reader' };
    await client.must(
      client.send('POST', BINDINGS, { metadata, roleRef, subjects: [subject] } as unknown as JsonObject),
    );
    const kubeconfig = await asAccount();
    const reader = await startLiveGateway(bed, { name: 'reader', kubeconfig, isLate: true });
    try {
      const [first = ''] = await protectThree('rights');
      await until('objects are read', async () =>
        (await reader.health('/readyz?verbose')).includes('[+]configmaps ok'),
      );
      const ask = async () => (await reader.ask(POD_PATH, await deletionReview(client, first))).response;
      await until('reviews are answered', async () => (await ask()).status !== undefined && !isNotReady(await ask()));
      expect(await ask()).toMatchObject({ allowed: false, status: { code: 429 } });
      expect((await budgets.status('rights')).unavailableAllowed).toBe(1);
      const all = [...rules, { apiGroups: ['policy.kruise.io'], resources: ['*'], verbs: ['update'] }];
      const role = await client.must(client.get(`${ROLES}/sluice-reader`));
      await client.must(client.send('PUT', `${ROLES}/sluice-reader`, { ...role, rules: all } as unknown as JsonObject));
      await until('it may be written', async () => (await ask()).allowed === true);
    } finally {
      await reader.process.end();
    }
  });

  /** The kubeconfig of the account `default` of namespace `shop`. */
  async function asAccount(): Promise<string> {
    const path = '/api/v1/namespaces/shop/serviceaccounts/default/token';
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const { status } = await client.must(client.send('POST', path, request));
    const { stdout } = await bed.kubectl(['config', 'view', '--raw', '-o', 'json']);
    const config = JSON.parse(stdout) as { users: { name: string; user: JsonObject }[] };
    const users = config.users.map(({ name }) => ({ name, user: { token: (status as JsonObject).token } }));
    const folder = join(bed.folder, 'reader');
    mkdirSync(folder);
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, JSON.stringify({ ...config, users }));
    return file;
  }
});

function isNotReady(response: JsonObject): boolean {
  return (response.status as JsonObject | undefined)?.code === 503;
}
