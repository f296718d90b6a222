// Admission of the kinds, through the gateway: CPU of a UnitedDeployment of 200 KB, and what a stream of invalid objects
// costs, and the slowest of the largest objects. Budgets: under 10 ms for its two reviews; 1,000 invalid objects a second
// without growth of memory; 500 ms for the largest.

import { OBJECT_LENGTH_MOST } from '../api/core/decode.ts';
import type { Json, JsonObject } from '../api/core/json.ts';
import { run } from './support/load.ts';
import { startGateway } from './support/servers.ts';

const SIZE = 200_000;
const REVIEWS = 300;
const INVALID = 20_000;

const server = await startGateway([]);
const large = reviewOf('apps.kruise.io', 'UnitedDeployment', 'uniteddeployments', unitedDeployment(SIZE));
let millis = 0;
for (const path of ['/mutate-apps-kruise-io-uniteddeployment', '/validate-apps-kruise-io-uniteddeployment']) {
  const load = { port: server.port, path, body: large, connections: 2 };
  await run({ ...load, requests: REVIEWS });
  const before = await server.cpuMs();
  await run({ ...load, requests: REVIEWS });
  const cpu = ((await server.cpuMs()) - before) / REVIEWS;
  millis += cpu;
  console.log(`${path}: ${cpu.toFixed(2)} ms CPU for ${large.length} bytes`);
}
console.log(`both reviews of the UnitedDeployment: ${millis.toFixed(2)} ms CPU (budget 10)`);

const wrong = unitedDeployment(2_000);
(wrong.spec as JsonObject).selector = { matchLabels: { app: 'another' } };
const invalid = reviewOf('apps.kruise.io', 'UnitedDeployment', 'uniteddeployments', wrong);
const load = { port: server.port, path: '/validate-apps-kruise-io-uniteddeployment', body: invalid, connections: 8 };
await run({ ...load, requests: INVALID });
const resident = await server.residentBytes();
const { elapsedMs } = await run({ ...load, requests: INVALID });
const growth = (await server.residentBytes()) / resident;
const perSecond = (INVALID * 1000) / elapsedMs;
console.log(`invalid objects: ${Math.round(perSecond)} a second on one core (budget 1,000)`);
console.log(`memory after ${INVALID} more of them: ${growth.toFixed(3)} times (budget 1.1)`);

const huge = reviewOf('apps.kruise.io', 'CloneSet', 'clonesets', cloneSet(OBJECT_LENGTH_MOST - 2_000));
for (const path of ['/mutate-apps-kruise-io-cloneset', '/validate-apps-kruise-io-cloneset']) {
  const load = { port: server.port, path, body: huge, connections: 1 };
  await run({ ...load, requests: 3 });
  const before = await server.cpuMs();
  await run({ ...load, requests: 5 });
  const cpu = ((await server.cpuMs()) - before) / 5;
  console.log(`${path}: ${cpu.toFixed(0)} ms CPU for the slowest large object, ${huge.length} bytes (budget 500)`);
}
await server.stop();

/** A container with so many limits that the object has about this many bytes: of all members maps take the longest. */
function cloneSet(bytes: number): JsonObject {
  const limits: JsonObject = {};
  const labels = { app: 'web' };
  for (let i = 0, length = 0; length < bytes; i++) {
    const name = `example.com/a${i}`;
    limits[name] = 1;
    length += name.length + 5;
  }
  const containers = [{ name: 'web', image: 'registry.example.com/shop/web:1.4.2', resources: { limits } }];
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function reviewOf(group: string, kind: string, resource: string, object: Json): Buffer {
  const version = 'v1alpha1';
  const request = {
    uid: '0e3b2d4c-7b1f-4e0a-9a55-5d8f6c1b2a90',
    kind: { group, version, kind },
    resource: { group, version, resource },
    namespace: 'shop',
    operation: 'CREATE',
    userInfo: { username: 'kubernetes-admin', groups: ['system:masters'] },
    object,
    oldObject: null,
    dryRun: false,
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
}

/** One with so many subsets, each with a patch, that it has about this many bytes. */
function unitedDeployment(bytes: number): JsonObject {
  const labels = { app: 'web' };
  const container = { name: 'web', image: 'registry.example.com/shop/web:1.4.2', env: [] as JsonObject[] };
  const subset = (index: number): JsonObject => ({
    name: `zone-${index}`,
    replicas: 3,
    nodeSelectorTerm: { matchExpressions: [{ key: 'zone', operator: 'In', values: [`zone-${index}`] }] },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: `zone-${index}`, effect: 'NoSchedule' }],
    patch: { metadata: { annotations: { zone: `zone-${index}` } }, spec: { priorityClassName: `class-${index}` } },
  });
  const subsets: Json[] = [];
  const object: JsonObject = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'UnitedDeployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 30,
      selector: { matchLabels: labels },
      template: {
        deploymentTemplate: {
          metadata: { labels },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [container] } },
          },
        },
      },
      topology: { subsets },
    },
  };
  for (let i = 0; i < 20 && i * 300 < bytes; i++) subsets.push(subset(i));
  for (let i = 0; JSON.stringify(object).length < bytes; i++) {
    container.env.push({ name: `SETTING_${i}`, value: `value-of-setting-${i}` });
  }
  return object;
}
