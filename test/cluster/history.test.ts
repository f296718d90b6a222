// Units of budgets under everything at once: deletions, evictions and updates from many sides, two gateways that are killed and
// held, a controller that settles what was taken, and others who write. What the API server stored, in its order, is held
// against a model: what is granted and not settled is never more than a budget allows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { kinds } from '../../api/kinds/index.ts';
import { processInput } from '../../component/flags.ts';
import type { Client as KubeClient } from '../../kube/client.ts';
import { readConnection } from '../../kube/connection.ts';
import { LineCutter, readEvent } from '../../kube/frames.ts';
import { PODS, type Resource, resourceOf } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { Bed } from './bed/bed.ts';
import { type BudgetStatus, Budgets, deletionReview } from './bed/budgets.ts';
import type { Client } from './bed/client.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { missingPrograms } from './bed/required.ts';
import { Service } from './bed/service.ts';

const missing = await missingPrograms();

const { SLUICE_HISTORY_SECONDS: wanted = '60' } = processInput().environment;
const RUN_MS = Number(wanted) * 1000;
const NAMES = ['red', 'green', 'blue'];
const PODS_EACH = 10;
const DESIRED = 6;
/** Longer than the API server waits for a webhook: what was granted has been carried out by then, or never will be. */
const SETTLE_MS = 12_000;
const TOGETHER = 8;

type Version = { version: number; type: string; object: JsonObject };
type Deed = 'delete' | 'evict' | 'update' | 'dry run';
type Grant = { budget: string; pod: string; deed: Deed };

describe.skipIf(missing.length > 0)(`${wanted} seconds of two gateways in trouble`, () => {
  let bed: Bed;
  let client: Client;
  let kube: KubeClient;
  let budgets: Budgets;
  let service: Service;
  const gateways: LiveGateway[] = [];
  const watching = new AbortController();
  const stored = { pods: [] as Version[], budgets: [] as Version[] };
  /** Of what the controller wrote. */
  const settled = new Set<number>();
  const grants: Grant[] = [];
  const counts = { granted: 0, denied: 0, failed: 0, killed: 0, held: 0, conflicts: 0 };
  let isEnded = false;
  let serial = 0;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    const monotonic = () => performance.now();
    kube = createClient(await readConnection({ kubeconfig: bed.kubeconfig, environment: {}, monotonic }));
    budgets = new Budgets(client);
    service = await Service.start();
    await installUnserved(bed);
    gateways.push(await started(), await started());
    await untilServed(bed);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    watching.abort();
    for (const { process } of gateways) await process.end();
    await kube?.close();
    await service?.close();
    await bed?.close();
  });

  async function started(): Promise<LiveGateway> {
    const featureGates = 'PodUnavailableBudgetUpdateGate=true';
    const gateway = await startLiveGateway(bed, { name: `gateway-${serial++}`, service: service.port, featureGates });
    await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
    service.add(gateway.port);
    return gateway;
  }

  /** Notes every version of a resource in the order in which they were stored. */
  async function record(resource: Resource, into: Version[]): Promise<void> {
    const { metadata } = await kube.list(resource, { namespace: 'shop' });
    const options = { namespace: 'shop', resourceVersion: metadata.resourceVersion, timeoutSeconds: 3600 };
    const cutter = new LineCutter();
    for await (const chunk of kube.watch(resource, { ...options, signal: watching.signal })) {
      for (const line of cutter.push(chunk)) {
        const { type, object } = readEvent(line);
        if (type === 'BOOKMARK') continue;
        into.push({ version: Number(object.metadata.resourceVersion), type, object: object as unknown as JsonObject });
      }
    }
  }

  async function disturb(): Promise<void> {
    const name = any(NAMES) ?? '';
    // One that is not ready takes no unit; it may be by the time that an eviction is carried out, which nobody can help.
    const pods = (await budgets.pods(name)).filter(isReady);
    const pod = any(pods)?.metadata.name;
    if (pod === undefined) return;
    const deed = any<Deed>(['delete', 'delete', 'evict', 'evict', 'update', 'dry run']) ?? 'delete';
    const { status, body } = await carryOut(deed, pod);
    if (status === 403 && String(body.message).includes('is forbidden')) counts.denied++;
    else if (status >= 300) counts.failed++;
    else if (deed !== 'dry run') {
      counts.granted++;
      grants.push({ budget: name, pod, deed });
      if (deed !== 'update') await budgets.runningPod(`${name}-${serial++}`, name);
    }
  }

  function carryOut(deed: Deed, pod: string) {
    if (deed === 'evict') return budgets.evict(pod);
    if (deed !== 'update') return budgets.deletePod(pod, deed === 'dry run' ? '?dryRun=All' : '');
    const image = `registry.example.com/main:${serial++}`;
    const operations = [{ op: 'replace', path: '/spec/containers/0/image', value: image }] as unknown as JsonObject;
    return client.send('PATCH', `/api/v1/namespaces/shop/pods/${pod}`, operations, 'application/json-patch+json');
  }

  /** As the controller does: what is gone or old is not taken any more, and the rest is counted anew. */
  async function settle(name: string): Promise<void> {
    const budget = await budgets.get(name);
    const present = new Map((await budgets.pods(name)).map((pod) => [pod.metadata.name, pod]));
    const isOpen = ([pod, time]: [string, string]) => present.has(pod) && Date.parse(time) > Date.now() - SETTLE_MS;
    const kept = (records: Record<string, string> = {}) => Object.fromEntries(Object.entries(records).filter(isOpen));
    const status = budget.status as BudgetStatus & { unavailablePods?: Record<string, string> };
    const [disruptedPods, unavailablePods] = [kept(status.disruptedPods), kept(status.unavailablePods)];
    const taken = new Set([...Object.keys(disruptedPods), ...Object.keys(unavailablePods)]);
    const available = [...present.values()].filter((pod) => isReady(pod) && !taken.has(pod.metadata.name)).length;
    const { status: code, body } = await budgets.write(budget, {
      unavailableAllowed: Math.max(0, available - DESIRED),
      currentAvailable: available,
      desiredAvailable: DESIRED,
      totalReplicas: PODS_EACH,
      disruptedPods,
      unavailablePods,
    } as BudgetStatus);
    if (code < 300) settled.add(Number((body.metadata as JsonObject).resourceVersion));
    else if (code === 409) counts.conflicts++;
  }

  /** Now and then a gateway is killed and another takes its place, or one is held for a while. */
  async function trouble(): Promise<void> {
    const index = serial % gateways.length;
    const victim = gateways[index];
    if (victim === undefined) return;
    if (Math.random() < 0.5) {
      counts.held++;
      victim.process.signal('SIGSTOP');
      await pause(500 + Math.random() * 1500);
      victim.process.signal('SIGCONT');
    } else {
      counts.killed++;
      await victim.process.end();
      service.remove(victim.port);
      gateways[index] = await started();
    }
  }

  async function touch(): Promise<void> {
    const path = `/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets/${any(NAMES)}`;
    await client.send('PATCH', path, { metadata: { annotations: { touched: String(serial++) } } });
  }

  test('grant no unit twice, and none that there is not', { timeout: RUN_MS + 120_000 }, async () => {
    const budgetKind = kinds.find(({ kind }) => kind === 'PodUnavailableBudget');
    if (budgetKind === undefined) throw new Error('there are no budgets');
    const records = Promise.allSettled([record(PODS, stored.pods), record(resourceOf(budgetKind), stored.budgets)]);
    await until('changes are seen', async () => {
      await budgets.create(`probe-${serial++}`, 1);
      return stored.budgets.length > 0;
    });
    // Pods of a budget that nobody has heard of yet are no part of it.
    for (const name of NAMES) await budgets.create(name, 0);
    const { items } = await client.must(client.get('/apis/policy.kruise.io/v1beta1/podunavailablebudgets'));
    const line = `sluice_mirror_objects{resource="podunavailablebudgets.policy.kruise.io"} ${(items as unknown[]).length}\n`;
    for (const gateway of gateways)
      await until('budgets are seen', async () => (await gateway.metrics()).includes(line));
    for (const name of NAMES) {
      const [pod = ''] = await budgets.runningPods(name, PODS_EACH);
      const review = { ...(await deletionReview(client, pod)), dryRun: true };
      for (const gateway of gateways) {
        await until(
          'its status is seen',
          async () => (await gateway.ask('/validate-pod', review)).response.allowed === false,
        );
      }
    }
    for (const name of NAMES) await settle(name);
    const repeat = async (deed: () => Promise<unknown>, everyMs: number) => {
      while (!isEnded) {
        // What breaks with a gateway is tried again by whoever wanted it.
        await deed().catch(() => counts.failed++);
        await pause(Math.random() * 2 * everyMs);
      }
    };
    const all = Promise.all([
      ...Array.from({ length: TOGETHER }, () => repeat(disturb, 20)),
      ...NAMES.map((name) => repeat(() => settle(name), 200)),
      repeat(touch, 300),
      repeat(trouble, 2500),
    ]);
    await pause(RUN_MS);
    isEnded = true;
    await all;
    const last = Math.max(
      ...(await Promise.all(NAMES.map(async (name) => Number((await budgets.get(name)).metadata.resourceVersion)))),
    );
    await until('all was seen', async () => (stored.budgets.at(-1)?.version ?? 0) >= last);
    watching.abort();
    await records;
    console.log(JSON.stringify({ ...counts, budgetVersions: stored.budgets.length, podVersions: stored.pods.length }));
    for (const name of NAMES) {
      expect(faultsOfLedger(name)).toEqual([]);
      expect(faultsOfPods(name)).toEqual([]);
    }
    expect(faultsOfGrants()).toEqual([]);
    expect(counts.granted).toBeGreaterThan(10);
    expect(counts.killed + counts.held).toBeGreaterThan(3);
  });

  /** Whoever is not the controller takes one unit for each pod that it records, and none that is not there. */
  function faultsOfLedger(name: string): string[] {
    const faults: string[] = [];
    let before: Ledger | undefined;
    for (const { version, object } of versionsOf(stored.budgets, name)) {
      const now = ledgerOf(object);
      if (before !== undefined && !settled.has(version)) {
        const added = [...now.taken].filter((pod) => before?.taken.has(pod) === false);
        const lost = [...before.taken].filter((pod) => !now.taken.has(pod));
        if (lost.length > 0) faults.push(`${version}: ${lost} are not recorded any more`);
        if (before.left - now.left !== added.length)
          faults.push(`${version}: ${before.left} - ${now.left} for ${added}`);
      }
      if (now.left < 0) faults.push(`${version}: ${now.left} units`);
      before = now;
    }
    return faults;
  }

  /** There were never fewer pods that run than the budget wants. */
  function faultsOfPods(name: string): string[] {
    const faults: string[] = [];
    const ready = new Set<string>();
    let isFull = false;
    for (const { version, type, object } of stored.pods) {
      const { name: pod, labels } = object.metadata as { name: string; labels: { app: string } };
      if (labels.app !== name) continue;
      if (type !== 'DELETED' && isReady(object as never)) ready.add(pod);
      else ready.delete(pod);
      isFull ||= ready.size >= PODS_EACH;
      if (isFull && ready.size < DESIRED) faults.push(`${version}: ${ready.size} pods are left`);
    }
    return faults;
  }

  /** What was granted is on record at some time. */
  function faultsOfGrants(): string[] {
    const recorded = new Set(
      NAMES.flatMap((name) => versionsOf(stored.budgets, name).flatMap(({ object }) => [...ledgerOf(object).taken])),
    );
    return grants.filter(({ pod }) => !recorded.has(pod)).map(({ pod, deed }) => `${deed} of ${pod} is nowhere`);
  }
});

type Ledger = { left: number; taken: ReadonlySet<string> };

function ledgerOf({ status }: JsonObject): Ledger {
  const {
    unavailableAllowed = 0,
    disruptedPods,
    unavailablePods,
  } = (status ?? {}) as Record<string, JsonObject | number>;
  return {
    left: Number(unavailableAllowed),
    taken: new Set([...Object.keys(disruptedPods ?? {}), ...Object.keys(unavailablePods ?? {})]),
  };
}

function versionsOf(versions: readonly Version[], name: string): Version[] {
  return versions.filter(({ object, type }) => type !== 'DELETED' && (object.metadata as JsonObject).name === name);
}

function isReady({ metadata, status }: { metadata: object; status?: JsonObject }): boolean {
  const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
  return !('deletionTimestamp' in metadata) && conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

function any<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
