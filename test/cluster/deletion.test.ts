// Deletions and evictions through a real API server: what is labelled as protected stays.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { RECORDED_GATES_FLAG } from '../support/gates.ts';
import { Bed } from './bed/bed.ts';
import type { Client } from './bed/client.ts';
import { startGateway } from './bed/gateway.ts';
import { install } from './bed/installation.ts';
import type { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const LABEL = 'policy.kruise.io/delete-protection';
const REFUSAL = `forbidden by ResourcesProtectionDeletion for ${LABEL}=Always`;
const SHOP = '/namespaces/shop';

const template = {
  metadata: { labels: { app: 'cart' } },
  spec: { containers: [{ name: 'cart', image: 'registry.example.com/shop/cart:3.1' }] },
};
const pod = { apiVersion: 'v1', kind: 'Pod', ...template, metadata: { name: 'cart', namespace: 'shop' } };
const workload = { replicas: 0, selector: { matchLabels: { app: 'cart' } }, template };
const names = { plural: 'carts', singular: 'cart', kind: 'Cart', listKind: 'CartList' };
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };

/** Resource as kubectl writes it, path of the collection, name, specification. */
const protectable: [resource: string, path: string, name: string, spec: JsonObject][] = [
  ['deployments.apps', `/apis/apps/v1${SHOP}/deployments`, 'cart', workload],
  ['replicasets.apps', `/apis/apps/v1${SHOP}/replicasets`, 'cart', workload],
  ['statefulsets.apps', `/apis/apps/v1${SHOP}/statefulsets`, 'cart', { ...workload, serviceName: 'cart' }],
  ['services', `/api/v1${SHOP}/services`, 'cart', { ports: [{ port: 80 }] }],
  [
    'ingresses.networking.k8s.io',
    `/apis/networking.k8s.io/v1${SHOP}/ingresses`,
    'cart',
    { defaultBackend: { service: { name: 'cart', port: { number: 80 } } } },
  ],
  ['namespaces', '/api/v1/namespaces', 'cart', {}],
  [
    'customresourcedefinitions.apiextensions.k8s.io',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'carts.example.com',
    { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  ],
  ['clonesets.apps.kruise.io', `/apis/apps.kruise.io/v1beta1${SHOP}/clonesets`, 'cart', workload],
  [
    'statefulsets.apps.kruise.io',
    `/apis/apps.kruise.io/v1beta1${SHOP}/statefulsets`,
    'cart',
    { ...workload, serviceName: 'cart' },
  ],
];

describe.skipIf(missing.length > 0)('through a real API server', () => {
  let bed: Bed;
  let gateway: Process | undefined;
  let client: Client;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    const objects = join(bed.folder, 'objects');
    mkdirSync(objects);
    // A gateway that decides by files finds there the pods that it needs to look at.
    writeFileSync(join(objects, 'pod.json'), JSON.stringify(pod));
    const started = await startGateway({ folder: bed.folder, objects: [objects], featureGates: RECORDED_GATES_FLAG });
    gateway = started.process;
    await install(client, started.endpoint);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    await gateway?.end();
    await bed?.close();
  });

  test.each(protectable)('one of %s stays while it is protected', async (resource, path, name, spec) => {
    const metadata = { name, labels: { [LABEL]: 'Always' } };
    const identity = resource.endsWith('.kruise.io') ? kruiseIdentity(resource) : {};
    await client.must(client.send('POST', path, { ...identity, metadata, spec }));
    const place = path.includes(SHOP) ? ['--namespace', 'shop'] : [];

    const refused = await bed.kubectl(['delete', resource, name, ...place, '--wait=false']);
    expect([refused.stdout, refused.code]).toEqual(['', 1]);
    expect(refused.stderr).toContain(REFUSAL);
    const dry = await client.delete(`${path}/${name}?dryRun=All`);
    expect([dry.status, String(dry.body.message)]).toEqual([403, expect.stringContaining(REFUSAL)]);
    const kept = await client.must(client.get(`${path}/${name}`));
    expect(kept.metadata).not.toHaveProperty('deletionTimestamp');

    await client.must(client.send('PATCH', `${path}/${name}`, { metadata: { labels: { [LABEL]: null } } }));
    await client.must(client.delete(`${path}/${name}`));
  });

  test('a pod without a budget is evicted', async () => {
    const pods = `/api/v1${SHOP}/pods`;
    await client.must(client.send('POST', pods, pod));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'cart', namespace: 'shop' } };
    await client.must(client.send('POST', `${pods}/cart/eviction?dryRun=All`, eviction));
    expect((await client.get(`${pods}/cart`)).status).toBe(200);
    await client.must(client.send('POST', `${pods}/cart/eviction`, eviction));
    expect((await client.get(`${pods}/cart`)).status).toBe(404);
  });

  test('nothing went wrong between the API server and the gateway', () => {
    const lines = bed.apiServer.process.log.split('\n');
    expect(lines.filter((line) => /failed calling webhook|conversion webhook/i.test(line))).toEqual([]);
  });
});

function kruiseIdentity(resource: string): JsonObject {
  const kind = resource.startsWith('clonesets') ? 'CloneSet' : 'StatefulSet';
  return { apiVersion: 'apps.kruise.io/v1beta1', kind };
}
