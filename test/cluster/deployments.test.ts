// Pods that the controllers of Kubernetes make, in a real control plane.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import type { Client } from './bed/client.ts';
import { startGateway } from './bed/gateway.ts';
import { install, until } from './bed/installation.ts';
import type { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms({ controllers: true });

const SIDECARS = new URL('../../examples/sidecars', import.meta.url).pathname;

describe.skipIf(missing.length > 0)('with the controllers of Kubernetes', () => {
  let bed: Bed;
  let gateway: Process | undefined;
  let client: Client;

  beforeAll(async () => {
    bed = await Bed.start({ controllers: true });
    client = bed.client;
    const started = await startGateway({ folder: bed.folder, objects: [SIDECARS] });
    gateway = started.process;
    await install(client, started.endpoint);
    await bed.createNamespace('shop', { mesh: 'enabled' });
  });
  afterAll(async () => {
    await gateway?.end();
    await bed?.close();
  });

  test('every pod of a Deployment gets its sidecars, and goes when the Deployment goes', async () => {
    const labels = { app: 'cart', logs: 'files' };
    const deployment = {
      metadata: { name: 'cart' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'cart' } },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'app', image: 'registry.example.com/cart:1' }] },
        },
      },
    };
    const path = '/apis/apps/v1/namespaces/shop/deployments';
    await client.must(client.send('POST', path, deployment));
    await until('three pods are there', async () => (await pods()).length === 3);
    for (const pod of await pods()) {
      const { containers } = pod.spec as { containers: JsonObject[] };
      expect(containers.map(({ name }) => name)).toEqual(['mesh-proxy', 'app', 'log-shipper']);
    }
    await client.must(client.delete(`${path}/cart?propagationPolicy=Background`));
    await until('the pods are gone', async () => (await pods()).length === 0);
  });

  async function pods(): Promise<JsonObject[]> {
    const { items } = await client.must(client.get('/api/v1/namespaces/shop/pods'));
    return items as JsonObject[];
  }
});
