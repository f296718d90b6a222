// What a cluster full of pods costs, on a real API server: memory of the gateway, which keeps no pods, with none and with 20,000;
// memory and idle CPU of the controllers with 10,000 pods and 20 budgets. Budgets: the same memory, 5 millicores.
// `node bench/cluster-memory.ts [pods]`. Needs the programs of `npm run cluster:setup` and `npm run -s build`.

import { readFileSync } from 'node:fs';
import type { JsonObject } from '../api/core/json.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../scripts/image/runtime.ts';
import { Bed } from '../test/cluster/bed/bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from '../test/cluster/bed/installation.ts';
import { startLiveGateway, untilServed } from '../test/cluster/bed/live-gateway.ts';
import { Process } from '../test/cluster/bed/process.ts';
import { Service } from '../test/cluster/bed/service.ts';
import { webhookConfigurations } from '../test/cluster/bed/webhook-configurations.ts';
import { run } from './support/load.ts';
import { podOf } from './support/pods.ts';
import { reviewBody } from './support/subject.ts';

const PODS = Number(process.argv[2] ?? 20_000);
const BUDGETS = 20;
const TOGETHER = 32;
const REVIEWS = 5_000;
const IDLE_MS = 60_000;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const PROGRAM = new URL('../dist/sluice.mjs', import.meta.url).pathname;
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

const bed = await Bed.start();
const client = bed.client.withConnections(TOGETHER);
await createCrds(client, chartCrds());
await bed.createNamespace('kruise-system');
await bed.createNamespace('shop');
const none = await gatewayMegabytes('without');
await createBudgets();
await createPods(0, PODS / 2, true);
await controllersIdle(PODS / 2);
await createPods(PODS / 2, PODS, false);
const many = await gatewayMegabytes('with');
console.log(
  `gateway after ${REVIEWS} reviews: ${none.toFixed(1)} MB without pods, ${many.toFixed(1)} MB with ${PODS}: ${(many / none).toFixed(3)}`,
);
client.close();
await bed.close();

/** Of one that serves the cluster, after it has answered reviews. Pods are created without it. */
async function gatewayMegabytes(name: string): Promise<number> {
  const nowhere = { host: '127.0.0.1', port: 1, ca: '' };
  const configurations = webhookConfigurations(nowhere, () => true).map(withoutAuthority);
  for (const configuration of configurations) await createConfiguration(client, configuration);
  const service = await Service.start();
  const gateway = await startLiveGateway(bed, { name: `gateway-${name}`, service: service.port });
  service.add(gateway.port);
  await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
  await untilServed(bed);
  await run({ port: gateway.port, path: '/mutate-pod', body: reviewBody(), connections: 8, requests: REVIEWS });
  const bytes = residentBytes(gateway.process.pid);
  await gateway.process.end();
  await service.close();
  for (const { kind, metadata } of configurations) {
    const plural = `${String(kind).toLowerCase()}s`;
    await client.must(client.delete(`${CONFIGURATIONS}/${plural}/${(metadata as JsonObject).name}`));
  }
  return bytes / 1e6;
}

function withoutAuthority(configuration: JsonObject): JsonObject {
  const webhooks = (configuration.webhooks as JsonObject[]).map((webhook) => {
    const { url } = webhook.clientConfig as { url: string };
    return { ...webhook, clientConfig: { url } };
  });
  return { ...configuration, webhooks };
}

async function createBudgets(): Promise<void> {
  for (let i = 0; i < BUDGETS; i++) {
    const object = {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name: `budget-${i}` },
      spec: { selector: { matchLabels: { budget: String(i) } }, maxUnavailable: '50%' },
    };
    await client.must(
      client.send('POST', '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets', object),
    );
  }
}

/** As large ones are, and running if they are to count. */
async function createPods(from: number, to: number, areRunning: boolean): Promise<void> {
  const started = performance.now();
  let next = from;
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (next < to) await createPod(next++, areRunning);
    }),
  );
  console.log(`${to} pods are there after ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

async function createPod(index: number, isRunning: boolean): Promise<void> {
  const { metadata, spec, status } = podOf(index, 0) as { metadata: JsonObject; spec: JsonObject; status: JsonObject };
  const budget = String(index % BUDGETS);
  const { labels, annotations } = metadata as { labels: JsonObject; annotations: JsonObject };
  const name = `pod-${index}`;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { ...labels, budget },
      annotations: { ...annotations, 'pub.kruise.io/related-pub': `budget-${budget}` },
    },
    spec,
  };
  const path = '/api/v1/namespaces/shop/pods';
  await client.must(client.send('POST', path, pod));
  if (isRunning) await client.must(client.send('PATCH', `${path}/${name}/status`, { status }));
}

/** Prints what the controllers need when nothing happens. */
async function controllersIdle(pods: number): Promise<void> {
  const given = ['reconcilers', '--kubeconfig', bed.kubeconfig, '--metrics-addr', '127.0.0.1:0'];
  const program = Process.start({
    folder: bed.folder,
    name: 'reconcilers',
    path: process.execPath,
    environment: NODE_ENVIRONMENT,
    arguments: [...NODE_FLAGS, PROGRAM, ...given, '--health-probe-addr', '127.0.0.1:0'],
  });
  const path = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
  await until(
    'all budgets are counted',
    async () => {
      if (program.isEnded) throw new Error(`the controllers ended: ${program.lastWords}`);
      const { items } = await client.must(client.get(path));
      const totals = (items as { status?: { currentAvailable?: number } }[]).map(
        ({ status }) => status?.currentAvailable,
      );
      return totals.every((total) => total === pods / BUDGETS);
    },
    120_000,
  );
  const before = cpuMs(program.pid);
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = cpuMs(program.pid) - before;
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `controllers with ${pods} pods: idle ${(idle / seconds).toFixed(2)} millicores over ${seconds.toFixed(0)} s (budget 5), ` +
      `${(residentBytes(program.pid) / 1e6).toFixed(1)} MB, ${before} ms of CPU until all budgets were counted`,
  );
  await program.end();
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
