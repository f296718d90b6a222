// What happens to servers happens to the gateway and its API server (F01, F02, F04, F08, F16, F17): nothing is decided by what
// is not known, no unit is given twice, and what is planned costs no request.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { Budgets, deletionReview } from './bed/budgets.ts';
import type { Client } from './bed/client.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { missingPrograms } from './bed/required.ts';
import { Service } from './bed/service.ts';

const missing = await missingPrograms();

const POD_PATH = '/validate-pod';
const CONFIGURATION =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kruise-validating-webhook-configuration';

describe.skipIf(missing.length > 0)('a gateway behind a Service', () => {
  let bed: Bed;
  let client: Client;
  let budgets: Budgets;
  let service: Service;
  let gateways: LiveGateway[] = [];
  let number = 0;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    budgets = new Budgets(client);
    service = await Service.start();
    await installUnserved(bed);
    await add();
    await add();
    await untilServed(bed);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    for (const { process } of gateways) await process.end();
    await service?.close();
    await bed?.close();
  });

  /** One more replica, that gets connections once it is ready. */
  async function add(): Promise<LiveGateway> {
    const gateway = await startLiveGateway(bed, {
      name: `gateway-${number++}`,
      service: service.port,
      drainDelay: '1s',
    });
    await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
    service.add(gateway.port);
    gateways.push(gateway);
    return gateway;
  }

  async function isSeen(gateway: LiveGateway): Promise<void> {
    const { items } = await client.must(client.get('/apis/policy.kruise.io/v1beta1/podunavailablebudgets'));
    const line = `sluice_mirror_objects{resource="podunavailablebudgets.policy.kruise.io"} ${(items as unknown[]).length}\n`;
    await until('all budgets are seen', async () => (await gateway.metrics()).includes(line));
  }

  async function budget(name: string, units: number): Promise<void> {
    await budgets.create(name, units);
    for (const gateway of gateways) await isSeen(gateway);
  }

  /** Creates pods until it is told to stop; resolves to how many there were, and what failed. */
  function load(): { stop(): Promise<{ count: number; failures: string[] }> } {
    let isEnded = false;
    let count = 0;
    const failures: string[] = [];
    const one = async (worker: number) => {
      while (!isEnded) {
        const pod = {
          metadata: { name: `load-${worker}-${count++}` },
          spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
        };
        const { status, body } = await client.send('POST', '/api/v1/namespaces/shop/pods?dryRun=All', pod);
        if (status !== 201) failures.push(String(body.message));
      }
    };
    const workers = Promise.all(Array.from({ length: 6 }, (_, worker) => one(worker)));
    return {
      stop: async () => {
        isEnded = true;
        await workers;
        return { count, failures };
      },
    };
  }

  const pick = (index: number): LiveGateway => gateways[index] as LiveGateway;

  test('that is asked the same at two replicas gives one unit, and the same answer (F16)', async () => {
    await budget('twice', 2);
    await budgets.runningPods('twice', 1);
    const review = await deletionReview(client, 'twice-0');
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => pick(i % 2).ask(POD_PATH, review)));
    expect(answers.map(({ response }) => response.allowed)).toEqual(Array(16).fill(true));
    const { unavailableAllowed, disruptedPods = {} } = await budgets.status('twice');
    expect([unavailableAllowed, Object.keys(disruptedPods)]).toEqual([1, ['twice-0']]);
  });

  test('that was held while the last unit went does not give it again (F17)', async () => {
    await budget('held', 1);
    await budgets.runningPods('held', 2);
    const reviews = await Promise.all(['held-0', 'held-1'].map((name) => deletionReview(client, name)));
    const [first = {}, second = {}] = reviews;
    pick(1).process.signal('SIGSTOP');
    const late = pick(1).ask(POD_PATH, second);
    expect((await pick(0).ask(POD_PATH, first)).response.allowed).toBe(true);
    pick(1).process.signal('SIGCONT');
    expect((await late).response).toMatchObject({ allowed: false, status: { code: 403 } });
    expect((await budgets.status('held')).unavailableAllowed).toBe(0);
  });

  test('that is replaced 20 times under load fails no request (F02)', { timeout: 300_000 }, async () => {
    const running = load();
    for (let round = 0; round < 20; round++) {
      const [oldest] = gateways;
      await add();
      if (oldest === undefined) throw new Error('there is no gateway');
      gateways = gateways.slice(1);
      oldest.process.signal('SIGTERM');
      // Whoever forwards learns a little later that it is going away.
      await until('it is unready', async () => (await oldest.health('/readyz').catch(() => '')) !== 'ok');
      service.remove(oldest.port);
      expect(await oldest.process.ended()).toBe(0);
    }
    const { count, failures } = await running.stop();
    console.log(`20 replacements, ${count} requests`);
    expect(failures).toEqual([]);
  });

  test('that is killed fails only what it was answering (F01)', async () => {
    const running = load();
    const victim = pick(0);
    gateways = gateways.slice(1);
    await victim.process.end();
    service.remove(victim.port);
    await add();
    const { count, failures } = await running.stop();
    console.log(`${failures.length} of ${count} requests failed`);
    // As many as were under way, and those that came before the endpoint was taken out.
    expect(failures.length).toBeLessThanOrEqual(24);
  });

  test('goes on without the API server where it need not write, and recovers (F08)', async () => {
    await budget('alone', 2);
    await budgets.runningPods('alone', 2);
    const reviews = await Promise.all(['alone-0', 'alone-1'].map((name) => deletionReview(client, name)));
    await bed.apiServer.kill();
    const pod = {
      metadata: { name: 'new', namespace: 'shop' },
      spec: { containers: [{ name: 'main', image: 'main:1' }] },
    };
    const creation = {
      ...(reviews[0] as JsonObject),
      name: 'new',
      operation: 'CREATE',
      object: pod,
      oldObject: null,
      options: {},
    };
    expect((await pick(0).ask('/mutate-pod', creation)).response.allowed).toBe(true);
    const started = performance.now();
    const refused = await pick(0).ask(POD_PATH, reviews[0] as JsonObject);
    expect(refused.response).toMatchObject({ allowed: false, status: { code: 429, reason: 'TooManyRequests' } });
    expect(performance.now() - started).toBeLessThan(9000);
    expect(await pick(0).health('/readyz')).toBe('ok');
    expect(await pick(0).health('/readyz?verbose')).toMatch(/\[!\]podunavailablebudgets.policy.kruise.io degraded/);
    await bed.apiServer.startAgain();
    await until('units are given again', async () => {
      return (await pick(0).ask(POD_PATH, reviews[0] as JsonObject)).response.allowed === true;
    });
    expect(Object.keys((await budgets.status('alone')).disruptedPods ?? {})).toEqual(['alone-0']);
  });

  test('that starts without the API server says what it lacks, and answers no review (F04)', async () => {
    await bed.apiServer.kill();
    const early = await startLiveGateway(bed, { name: 'early', service: service.port, isLate: true });
    try {
      expect(await early.health('/livez')).toBe('ok');
      const text = await early.health('/readyz?verbose');
      expect(text).toContain('[-]sidecarsets.apps.kruise.io failed: ');
      expect(text).toContain('[-]webhook-configurations failed: ');
      const review = { uid: 'u', operation: 'CREATE', object: {}, kind: {}, resource: {} } as JsonObject;
      const { status, response } = await early.ask('/mutate-pod', review);
      expect([status, response.allowed]).toEqual([503, false]);
      await bed.apiServer.startAgain();
      await until('it is ready', async () => (await early.health('/readyz')) === 'ok');
    } finally {
      await early.process.end();
    }
  });

  test('has been called at the Service all the time', async () => {
    const { webhooks } = await client.must(client.get(CONFIGURATION));
    const urls = (webhooks as { clientConfig: { url: string } }[]).map(
      ({ clientConfig }) => new URL(clientConfig.url).port,
    );
    expect([...new Set(urls)]).toEqual([String(service.port)]);
  });
});
