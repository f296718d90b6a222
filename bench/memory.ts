// Memory of the gateway over a million reviews. Budgets: under 120 MB, no growth from the 100,000th to the last.
// `node bench/memory.ts [reviews]`.

import { run } from './support/load.ts';
import { startGateway } from './support/servers.ts';
import { reviewBody, sidecarSet } from './support/subject.ts';

const reviews = Number(process.argv[2] ?? 1_000_000);
const server = await startGateway([sidecarSet('logs', { app: 'web' })]);
const load = { port: server.port, path: '/mutate-pod', body: reviewBody(), connections: 8 };
const resident: number[] = [];
for (let tenth = 1; tenth <= 10; tenth++) {
  await run({ ...load, requests: Math.ceil(reviews / 10) });
  resident.push(await server.residentBytes());
  console.log(`after ${Math.ceil((reviews * tenth) / 10)} reviews: ${(resident.at(-1) ?? 0) / 1e6} MB`);
}
await server.stop();
const [first = 0, last = 0] = [resident[0], resident.at(-1)];
console.log(`at the end / after a tenth: ${(last / first).toFixed(3)}; ${(last / 1e6).toFixed(1)} MB (budget 120)`);
