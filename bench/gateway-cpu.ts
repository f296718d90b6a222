// CPU of a review over HTTPS, and how many fit on one core: the gateway beside the floor server, in turns.
// Budgets: at most 1.5 times the floor; with 1,000 more sets that do not match at most 1.2 times one; over 20,000 a second.

import { percentile, run } from './support/load.ts';
import { type Server, startFloor, startGateway } from './support/servers.ts';
import { constantAnswer, reviewBody, sidecarSet } from './support/subject.ts';

const ROUNDS = 10;
const REQUESTS = 10_000;
const CONNECTIONS = 8;
const body = reviewBody();
const one = [sidecarSet('logs', { app: 'web' })];
const many = [...one, ...Array.from({ length: 1000 }, (_, i) => sidecarSet(`other-${i}`, { app: `other-${i}` }))];
const servers: Record<string, Server> = {
  floor: await startFloor(constantAnswer),
  'one set': await startGateway(one),
  '1,001 sets': await startGateway(many),
};
const micros: Record<string, number[]> = {};
const seconds: Record<string, number[]> = {};
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const before = await server.cpuMs();
    const load = { port: server.port, path: '/mutate-pod', body, connections: CONNECTIONS, requests: REQUESTS };
    const { elapsedMs, latencies } = await run(load);
    const cpu = (((await server.cpuMs()) - before) * 1000) / REQUESTS;
    // The first round warms up.
    if (round === 0) continue;
    micros[name] = [...(micros[name] ?? []), cpu];
    seconds[name] = [...(seconds[name] ?? []), (REQUESTS * 1000) / elapsedMs];
    console.log(`${name}: ${cpu.toFixed(1)} us CPU, p50 ${percentile(latencies, 0.5).toFixed(3)} ms`);
  }
}
for (const server of Object.values(servers)) await server.stop();

/** Of all rounds: one is short against the ticks in which the kernel counts, and against what else the machine does. */
const mean = (values: number[] = []): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const floor = mean(micros.floor);
const single = mean(micros['one set']);
const thousand = mean(micros['1,001 sets']);
console.log(`body ${body.length} bytes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${REQUESTS}, means`);
console.log(
  `CPU of a review: floor ${floor.toFixed(1)} us, one set ${single.toFixed(1)} us, 1,001 sets ${thousand.toFixed(1)} us`,
);
console.log(`one set / floor: ${(single / floor).toFixed(2)} (budget 1.5)`);
console.log(`1,001 sets / one set: ${(thousand / single).toFixed(2)} (budget 1.2)`);
console.log(
  `reviews a second on one core, by CPU: ${Math.round(1e6 / single)} (budget 20,000); seen with this client: ${Math.round(mean(seconds['one set']))}, floor ${Math.round(mean(seconds.floor))}`,
);
