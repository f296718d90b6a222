// Memory and time of a mirror of 100,000 pods of 7 KB that an API server in another process serves, pods of workloads and
// then pods of which a fifth is random text. Budgets: under 4 KB a pod, listed and watched in under 60 s.
// `node bench/mirror.ts [pods]`.

import { spawn } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '../component/logger.ts';
import { Client } from '../kube/client.ts';
import { Mirror } from '../kube/mirror.ts';
import { PODS } from '../kube/resource.ts';
import { podOf } from './support/pods.ts';

const logger = createLogger('bench', 'error');
const count = Number(process.argv[2] ?? 100_000);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

for (const randomBytes of [0, 1400]) await measure(randomBytes);

async function measure(randomBytes: number): Promise<void> {
  const bytes = JSON.stringify(podOf(1, randomBytes)).length;
  const server = spawn(process.execPath, ['bench/support/pods.ts', String(count), String(randomBytes)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve) => {
    server.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
  const monotonic = () => performance.now();
  const client = new Client(
    {
      server: new URL(`http://127.0.0.1:${port}`),
      namespace: undefined,
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      renew: () => false,
    },
    { userAgent: 'bench', qps: 0, burst: 1, timeoutMs: 60_000, random: Math.random, monotonic, logger },
  );
  const mirror = new Mirror({
    client,
    resource: PODS,
    indexes: { node: ({ spec }) => [String((spec as { nodeName?: string }).nodeName)] },
    logger,
    random: Math.random,
    monotonic,
  });
  const before = memory();
  const ending = new AbortController();
  const events = (wanted: number) =>
    new Promise<void>((resolve) => {
      let seen = 0;
      const stop = mirror.onChange(() => {
        if (++seen < wanted) return;
        stop();
        resolve();
      });
    });
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const running = mirror.run(ending.signal);
  await mirror.whenSynced(ending.signal);
  const listed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = memory();
  const changedAt = performance.now();
  await events(count / 10);
  const watched = (performance.now() - changedAt) / 1000;
  const afterEvents = memory();
  const readAt = performance.now();
  const read = mirror.list('ns-1').length;
  const readMs = performance.now() - readAt;
  console.log(`${count} pods of ${bytes} bytes, ${randomBytes} of them random`);
  console.log(`  listed in ${listed.toFixed(1)} s (budget 60), ${((user + system) / 1e6).toFixed(1)} s of CPU`);
  console.log(`  ${((after - before) / count).toFixed(0)} bytes a pod (budget 4096)`);
  console.log(
    `  ${count / 10} changes in ${watched.toFixed(1)} s, then ${((afterEvents - before) / count).toFixed(0)} bytes a pod`,
  );
  console.log(`  ${read} pods of one namespace read in ${readMs.toFixed(0)} ms`);
  ending.abort();
  await running;
  await client.close();
  server.stdin.end();
}

function memory(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
