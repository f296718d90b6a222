// The gateway on a real API server: what it decides by is what the cluster holds, and what it decides is written there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { Budgets } from './bed/budgets.ts';
import type { Client } from './bed/client.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
const SPREADS = '/apis/apps.kruise.io/v1beta1/namespaces/shop/workloadspreads';
const PODS = '/api/v1/namespaces/shop/pods';
const GATES =
  'ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true,PodUnavailableBudgetUpdateGate=true';

describe.skipIf(missing.length > 0)('two gateways of a cluster', () => {
  let bed: Bed;
  let client: Client;
  let budgets: Budgets;
  const gateways: LiveGateway[] = [];

  beforeAll(async () => {
    bed = await Bed.start({ controllers: true });
    client = bed.client;
    budgets = new Budgets(client);
    await installUnserved(bed);
    const start = (name: string, port: number) => {
      const log = ['--protection-log-path', join(bed.folder, name)];
      return startLiveGateway(bed, { name, port, featureGates: GATES, arguments: log });
    };
    const first = await start('gateway-a', 0);
    gateways.push(first, await start('gateway-b', first.port));
    for (const gateway of gateways) {
      await until('all are ready', async () => (await gateway.health('/readyz')) === 'ok');
    }
    await untilServed(bed);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    for (const { process } of gateways) await process.end();
    await bed?.close();
  });

  async function budget(name: string, units: number): Promise<void> {
    await budgets.create(name, units);
    await seen('podunavailablebudgets.policy.kruise.io', '/apis/policy.kruise.io/v1beta1/podunavailablebudgets');
  }

  /** Waits until all gateways have heard of all objects at a path. */
  async function seen(resource: string, path: string): Promise<void> {
    const pattern = new RegExp(`sluice_mirror_objects\\{resource="${resource.replaceAll('.', '\\.')}"\\} (\\d+)`);
    const { items } = await client.must(client.get(path));
    for (const gateway of gateways) {
      const count = async () => Number(pattern.exec(await gateway.metrics())?.[1] ?? -1);
      await until(`${resource} are seen`, async () => (await count()) === (items as unknown[]).length);
    }
  }

  async function eventsOf(pod: string): Promise<JsonObject[]> {
    let items: JsonObject[] = [];
    await until(`there is an event about ${pod}`, async () => {
      const path = `/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3D${pod}`;
      items = (await client.must(client.get(path))).items as JsonObject[];
      return items.length > 0;
    });
    return items;
  }

  function protectionLines(): JsonObject[] {
    const files = ['gateway-a', 'gateway-b'].map((name) => join(bed.folder, name, 'protection.log'));
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonObject);
  }

  test('are ready, say what they follow, and have written where they are called', async () => {
    for (const gateway of gateways) {
      const text = await gateway.health('/readyz?verbose');
      expect(text).toContain('[+]sidecarsets.apps.kruise.io ok');
      expect(text).toContain('[+]podunavailablebudgets.policy.kruise.io ok');
      expect(text).toContain('[+]webhook-configurations ok');
    }
  });

  test('stamp pods with their budget, and give its unit to one deletion', async () => {
    await budget('stamp', 1);
    const [first = '', second = ''] = await budgets.runningPods('stamp', 2);
    const pod = await client.must(client.get(`${PODS}/${first}`));
    expect((pod.metadata as { annotations: JsonObject }).annotations).toMatchObject({
      'pub.kruise.io/related-pub': 'stamp',
    });
    const { code, stderr } = await bed.kubectl(['delete', 'pod', '-n', 'shop', first, '--wait=false']);
    expect([code, stderr]).toEqual([0, '']);
    const refused = await bed.kubectl(['delete', 'pod', '-n', 'shop', second, '--wait=false']);
    expect(refused.stderr).toContain('podunavailablebudget.policy.kruise.io "stamp" is forbidden');
    const { unavailableAllowed, disruptedPods = {} } = await budgets.status('stamp');
    expect([unavailableAllowed, Object.keys(disruptedPods)]).toEqual([0, [first]]);

    const [event] = await eventsOf(second);
    expect(event).toMatchObject({
      type: 'Warning',
      reason: 'PubPreventPodDeletion',
      source: { component: 'pub-controller' },
    });
    const line = {
      Event: 'PodUnavailableBudget',
      Kind: 'unknown',
      Namespace: 'shop',
      Name: second,
      UserAgent: 'admin',
    };
    expect(protectionLines()).toContainEqual(line);
    const metrics = (await Promise.all(gateways.map((gateway) => gateway.metrics()))).join();
    expect(metrics).toContain(
      `pod_unavailable_budget{kind_namespace_name="unknown_shop_${second}",username="admin"} 1`,
    );
    const audit = readFileSync(join(bed.folder, 'audit.log'), 'utf8');
    expect(audit).toContain('"vpod.kb.io/budget":"shop/stamp"');
    expect(audit).toContain(`"vpod.kb.io/taken-by":"${first}"`);
  });

  test('leave no trace of a dry run that they deny', async () => {
    await budget('silent', 0);
    const [name = ''] = await budgets.runningPods('silent', 1);
    expect((await budgets.deletePod(name, '?dryRun=All')).status).toBe(403);
    expect((await budgets.evict(name, { dryRun: ['All'] })).status).toBe(403);
    expect(protectionLines().filter(({ Name }) => Name === name)).toEqual([]);
    const metrics = (await Promise.all(gateways.map((gateway) => gateway.metrics()))).join();
    expect(metrics).not.toContain(`unknown_shop_${name}`);
  });

  test('take nothing on dry runs, however they are written', async () => {
    await budget('dry', 1);
    const [name = ''] = await budgets.runningPods('dry', 1);
    const before = await client.must(client.get(`${BUDGETS}/dry`));
    const answers = [
      await budgets.deletePod(name, '?dryRun=All'),
      await budgets.evict(name, {}, '?dryRun=All'),
      await budgets.evict(name, { dryRun: ['All'] }),
    ];
    expect(answers.map(({ status }) => status < 300)).toEqual([true, true, true]);
    expect(await client.must(client.get(`${BUDGETS}/dry`))).toEqual(before);
    expect((await client.get(`${PODS}/${name}`)).status).toBe(200);
  });

  test('grant exactly ten of 500 deletions and evictions that are made at once', async () => {
    await budget('storm', 10);
    const names = await budgets.runningPods('storm', 500);
    const wide = client.withConnections(500);
    // Connections that are there: what is measured is deletions.
    await Promise.all(names.map((name) => wide.get(`${PODS}/${name}`)));
    const many = new Budgets(wide);
    const started = performance.now();
    const answers = await Promise.all(
      names.map(async (name, i) => {
        const { status } = await (i % 2 === 0 ? many.deletePod(name) : many.evict(name));
        return { status, seconds: (performance.now() - started) / 1000 };
      }),
    );
    wide.close();
    const seconds = answers.map((answer) => answer.seconds).sort((a, b) => a - b);
    const [middle = 0, longest = 0] = [seconds[250], seconds.at(-1)];
    console.log(`500 requests answered in ${longest.toFixed(2)} s, half of them in ${middle.toFixed(2)} s`);
    const granted = answers.filter(({ status }) => status < 300).length;
    const codes = new Set(answers.map(({ status }) => status));
    expect([granted, [...codes].filter((code) => code >= 300)]).toEqual([10, [403]]);
    const { unavailableAllowed, disruptedPods = {} } = await budgets.status('storm');
    expect([unavailableAllowed, Object.keys(disruptedPods).length]).toEqual([0, 10]);
    expect(longest).toBeLessThan(15);
  });

  test('let pods go once their budget is gone, also before they have heard of it', async () => {
    await budget('gone', 0);
    const [name = ''] = await budgets.runningPods('gone', 1);
    expect((await budgets.deletePod(name)).status).toBe(403);
    await client.must(client.delete(`${BUDGETS}/gone`));
    await until('the pod may go', async () => (await budgets.deletePod(name)).status < 300);
  });

  test('spread the pods of a Deployment by bookings that two gateways share', async () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
    };
    const subset = (name: string, maxReplicas?: number): JsonObject => ({
      name,
      ...(maxReplicas === undefined ? {} : { maxReplicas }),
      patch: { metadata: { labels: { subset: name } } },
    });
    await client.must(
      client.send('POST', SPREADS, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'WorkloadSpread',
        metadata: { name: 'web' },
        spec: {
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          subsets: [subset('first', 3), subset('rest')],
        },
      }),
    );
    await seen('workloadspreads.apps.kruise.io', '/apis/apps.kruise.io/v1beta1/workloadspreads');
    await client.must(
      client.send('POST', '/apis/apps/v1/namespaces/shop/deployments', {
        metadata: { name: 'web' },
        spec: { replicas: 12, selector: { matchLabels: { app: 'web' } }, template },
      }),
    );
    const pods = async () => {
      const { items } = await client.must(client.get(`${PODS}?labelSelector=app%3Dweb`));
      return items as { metadata: { labels: Record<string, string> } }[];
    };
    await until('all pods are there', async () => (await pods()).length === 12);
    const subsets = (await pods()).map(({ metadata }) => metadata.labels.subset);
    expect(subsets.filter((name) => name === 'first')).toHaveLength(3);
    expect(subsets.filter((name) => name === 'rest')).toHaveLength(9);
  });

  test('keep a namespace with pods, and a definition with objects', async () => {
    const label = { 'policy.kruise.io/delete-protection': 'Cascading' };
    await bed.createNamespace('kept', label);
    await client.must(
      client.send('POST', '/api/v1/namespaces/kept/pods', {
        metadata: { name: 'one' },
        spec: { containers: [{ name: 'one', image: 'registry.example.com/one:1' }] },
      }),
    );
    const refused = await client.delete('/api/v1/namespaces/kept');
    expect([refused.status, String(refused.body.message)]).toEqual([403, expect.stringContaining('active pods')]);
    await client.must(client.delete('/api/v1/namespaces/kept/pods/one?gracePeriodSeconds=0'));
    await until('the namespace may go', async () => (await client.delete('/api/v1/namespaces/kept')).status < 300);
  });

  test('were asked without a failure', () => {
    const lines = bed.apiServer.process.log.split('\n');
    expect(lines.filter((line) => /failed calling webhook/i.test(line)).filter((line) => !/:1\//.test(line))).toEqual(
      [],
    );
  });

  test('read every request of the API server without the HTTP parser', async () => {
    for (const gateway of gateways) {
      expect(await gateway.metrics()).toMatch(/^sluice_gateway_connections_handed_over_total 0$/m);
    }
  });
});
