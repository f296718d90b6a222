// Latency with one client. Budgets: p50 under 0.15 ms, p99 under 1.5 ms. The floor server's is printed beside it.

import { percentile, run } from './support/load.ts';
import { startFloor, startGateway } from './support/servers.ts';
import { constantAnswer, reviewBody, sidecarSet } from './support/subject.ts';

const REQUESTS = 20_000;
const body = reviewBody();
const servers = {
  floor: await startFloor(constantAnswer),
  gateway: await startGateway([sidecarSet('logs', { app: 'web' })]),
};
for (const [name, server] of Object.entries(servers)) {
  const load = { port: server.port, path: '/mutate-pod', body, connections: 1 };
  await run({ ...load, requests: 5000 });
  const { latencies } = await run({ ...load, requests: REQUESTS });
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  console.log(`${name}: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`);
  await server.stop();
}
console.log('budget of the gateway: p50 0.15 ms, p99 1.5 ms');
