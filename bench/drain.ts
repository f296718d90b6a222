// A drain of 100 nodes on a real API server: 1,000 evictions from 100 sides at once against 50 budgets. Prints wall time, status
// writes and conflicts, with one gateway and with two. Needs the programs of `npm run cluster:setup` and `npm run -s build`.

import { Bed } from '../test/cluster/bed/bed.ts';
import { Budgets } from '../test/cluster/bed/budgets.ts';
import { until } from '../test/cluster/bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from '../test/cluster/bed/live-gateway.ts';
import { Service } from '../test/cluster/bed/service.ts';
import { percentile } from './support/load.ts';

const BUDGETS = 50;
const PODS_EACH = 20;
const SIDES = 100;

const bed = await Bed.start();
const budgets = new Budgets(bed.client);
const service = await Service.start();
const gateways: LiveGateway[] = [];
await installUnserved(bed);
for (const count of [1, 2]) {
  const gateway = await startLiveGateway(bed, { name: `gateway-${count}`, service: service.port });
  await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
  service.add(gateway.port);
  gateways.push(gateway);
  if (count === 1) {
    await untilServed(bed);
    await bed.createNamespace('shop');
  }
  await drain(count);
}
for (const { process } of gateways) await process.end();
await service.close();
await bed.close();

async function drain(count: number): Promise<void> {
  const names = Array.from({ length: BUDGETS }, (_, i) => `drain-${count}-${i}`);
  for (const name of names) await budgets.create(name, PODS_EACH);
  for (const gateway of gateways) {
    const line = `sluice_mirror_objects{resource="podunavailablebudgets.policy.kruise.io"} ${BUDGETS * count}\n`;
    await until('budgets are seen', async () => (await gateway.metrics()).includes(line));
  }
  const pods: string[] = [];
  for (const name of names) pods.push(...(await budgets.runningPods(name, PODS_EACH)));
  // A node has pods of many budgets.
  const shuffled = pods.map((pod, i) => [(i * 7919) % pods.length, pod] as const).toSorted(([a], [b]) => a - b);
  const before = await counted();
  const latencies: number[] = [];
  let refused = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: SIDES }, async (_, side) => {
      for (let i = side; i < shuffled.length; i += SIDES) {
        const at = performance.now();
        const { status } = await budgets.evict(shuffled[i]?.[1] ?? '');
        latencies.push(performance.now() - at);
        if (status >= 300) refused++;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const taken = Float64Array.from(latencies);
  const after = await counted();
  const left = await Promise.all(names.map(async (name) => (await budgets.status(name)).unavailableAllowed));
  console.log(
    `${count} gateway(s): ${pods.length} evictions in ${seconds.toFixed(1)} s, ${refused} refused, ` +
      `${after.done - before.done} status writes, ${after.conflict - before.conflict} conflicts, ` +
      `units left ${left.reduce((sum, units) => sum + units, 0)}, ` +
      `p50 ${percentile(taken, 0.5).toFixed(0)} ms, p99 ${percentile(taken, 0.99).toFixed(0)} ms (client's 8 connections included)`,
  );
}

async function counted(): Promise<{ done: number; conflict: number }> {
  const total = { done: 0, conflict: 0 };
  for (const gateway of gateways) {
    const text = await gateway.metrics();
    for (const outcome of ['done', 'conflict'] as const) {
      const pattern = new RegExp(
        `sluice_status_writes_total\\{kind="PodUnavailableBudget",outcome="${outcome}"\\} (\\d+)`,
      );
      total[outcome] += Number(pattern.exec(text)?.[1] ?? 0);
    }
  }
  return total;
}
