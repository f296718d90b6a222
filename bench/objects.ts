// Memory of a gateway that keeps 10,000 SidecarSets, and the time until it serves with them. Budget: under 200 MB.

import { run } from './support/load.ts';
import { startGateway } from './support/servers.ts';
import { reviewBody, sidecarSet } from './support/subject.ts';

const OBJECTS = 10_000;
const objects = Array.from({ length: OBJECTS }, (_, i) => sidecarSet(`set-${i}`, { app: `app-${i}` }));
const began = performance.now();
const server = await startGateway(objects);
console.log(`${OBJECTS} SidecarSets are served after ${((performance.now() - began) / 1000).toFixed(1)} s`);
const idle = await server.residentBytes();
await run({ port: server.port, path: '/mutate-pod', body: reviewBody(), connections: 8, requests: 50_000 });
const loaded = await server.residentBytes();
await server.stop();
console.log(`memory: ${(idle / 1e6).toFixed(1)} MB, after 50,000 reviews ${(loaded / 1e6).toFixed(1)} MB (budget 200)`);
