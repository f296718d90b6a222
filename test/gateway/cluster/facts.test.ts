// What decisions ask is read from the API server, never without a bound.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { Facts } from '../../../gateway/cluster/facts.ts';
import type { Client } from '../../../kube/client.ts';
import { Discovery } from '../../../kube/discovery.ts';
import { createClient } from '../../support/client.ts';
import { FakeApiServer } from '../../support/fake-apiserver.ts';

let server: FakeApiServer;
let client: Client;
let facts: Facts;
let now: number;
let asked: string[];
beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection);
  now = 1000;
  asked = [];
  const monotonic = () => now;
  const discovery = new Discovery(client, monotonic);
  facts = new Facts({ client, discovery, monotonic, asked: (outcome) => asked.push(outcome) });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const target = (collection: string, name = '') => ({ collection, namespace: 'shop', name, subresource: '' });
const create = (collection: string, name: string, more: JsonObject = {}) => {
  const { metadata = {}, ...rest } = more as { metadata?: JsonObject };
  return server.objects.create(target(collection), { ...rest, metadata: { ...metadata, name } });
};
const get = (apiVersion: string, kind: string, name: string) => {
  return facts.answer({ get: { apiVersion, kind, namespace: 'shop', name } });
};
const count = (kind: string, where: 'active' | 'bound' | 'live', limit = 5) => {
  return facts.answer({ count: { apiVersion: 'v1', kind, namespace: 'shop', where, limit } });
};

describe('an object', () => {
  test('is answered as it is, without the book-keeping of field managers', async () => {
    create('/api/v1/pods', 'web-0', {
      kind: 'Pod',
      metadata: { managedFields: [{ manager: 'kubectl' }], labels: { app: 'web' } },
    });
    const answer = await get('v1', 'Pod', 'web-0');
    expect(answer).toMatchObject({ answer: { kind: 'Pod', metadata: { name: 'web-0', labels: { app: 'web' } } } });
    expect(JSON.stringify(answer)).not.toContain('managedFields');
  });

  test('that is not there is answered by null, also when its kind is not there', async () => {
    expect(await get('v1', 'Pod', 'web-0')).toEqual({ answer: null });
    server.intercept(({ path }) =>
      path === '/apis/example.com/v1' ? { status: 404, body: '{"code":404}' } : undefined,
    );
    expect(await get('example.com/v1', 'Game', 'one')).toEqual({ answer: null });
  });

  test('of a kind that nobody knows beforehand is found by asking which resources there are, once', async () => {
    const resources = [
      { name: 'games', kind: 'Game', namespaced: true },
      { name: 'games/scale', kind: 'Scale', namespaced: true },
    ];
    server.intercept(({ path }) => {
      return path === '/apis/example.com/v1' ? { status: 200, body: JSON.stringify({ resources }) } : undefined;
    });
    create('/apis/example.com/v1/games', 'one', { spec: { replicas: 3 } });
    expect(await get('example.com/v1', 'Game', 'one')).toMatchObject({ answer: { spec: { replicas: 3 } } });
    await get('example.com/v1', 'Game', 'two');
    expect(server.requests.filter(({ path }) => path === '/apis/example.com/v1')).toHaveLength(1);
  });

  test('that cannot be read is answered by why', async () => {
    const status = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'pods is forbidden' };
    server.intercept(() => ({ status: 403, body: JSON.stringify(status) }));
    expect(await get('v1', 'Pod', 'web-0')).toEqual({ error: expect.stringContaining('pods is forbidden') });
    expect(asked).toEqual(['failed']);
  });

  test('is read once for all who ask meanwhile, but a pod for each of them', async () => {
    create('/apis/apps/v1/deployments', 'web');
    create('/api/v1/pods', 'web-0');
    await Promise.all([1, 2, 3].map(() => get('apps/v1', 'Deployment', 'web')));
    expect(server.requests).toHaveLength(1);
    await get('apps/v1', 'Deployment', 'web');
    expect(server.requests).toHaveLength(2);
    await Promise.all([1, 2, 3].map(() => get('v1', 'Pod', 'web-0')));
    expect(server.requests).toHaveLength(5);
  });

  test('that is a ReplicaSet of a Deployment is remembered for a while', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }];
    create('/apis/apps/v1/replicasets', 'web-1', { metadata: { ownerReferences } });
    create('/apis/apps/v1/replicasets', 'alone');
    for (const name of ['web-1', 'web-1', 'alone', 'alone']) await get('apps/v1', 'ReplicaSet', name);
    expect(server.requests).toHaveLength(3);
    now += 61_000;
    await get('apps/v1', 'ReplicaSet', 'web-1');
    expect(server.requests).toHaveLength(4);
  });
});

describe('a count', () => {
  test('of active pods leaves out the finished ones on the server, and those that end here', async () => {
    create('/api/v1/pods', 'a');
    create('/api/v1/pods', 'b', { metadata: { deletionTimestamp: '2026-07-02T08:00:00Z' } });
    create('/api/v1/pods', 'c');
    expect(await count('Pod', 'active')).toEqual({ answer: { count: 2, names: ['a', 'c'] } });
    const [request] = server.requests;
    expect(request?.query.get('fieldSelector')).toBe('status.phase!=Succeeded,status.phase!=Failed');
    expect(request?.headers.accept).toContain('PartialObjectMetadataList');
  });

  test('of bound claims looks at their phase', async () => {
    create('/api/v1/persistentvolumeclaims', 'a', { status: { phase: 'Bound' } });
    create('/api/v1/persistentvolumeclaims', 'b', { status: { phase: 'Pending' } });
    expect(await count('PersistentVolumeClaim', 'bound')).toEqual({ answer: { count: 1, names: ['a'] } });
  });

  test('goes through pages, and ends at its limit', async () => {
    for (let i = 0; i < 600; i++) create('/api/v1/pods', `pod-${String(i).padStart(3, '0')}`);
    const answer = await count('Pod', 'active', 300);
    expect(answer).toMatchObject({ answer: { count: 300 } });
    expect(server.requests).toHaveLength(2);
    expect(server.requests.every(({ query }) => Number(query.get('limit')) > 0)).toBe(true);
  });
});

test('a list has an end', async () => {
  create('/apis/storage.k8s.io/v1/storageclasses', 'fast');
  server.intercept(({ path }) => {
    const resources = [{ name: 'storageclasses', kind: 'StorageClass', namespaced: false }];
    return path === '/apis/storage.k8s.io/v1' ? { status: 200, body: JSON.stringify({ resources }) } : undefined;
  });
  const question = { list: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' } };
  expect(await facts.answer(question)).toMatchObject({ answer: [{ metadata: { name: 'fast' } }] });
  const endless = { metadata: { resourceVersion: '1', continue: 'more' }, items: [] };
  server.intercept(({ path }) =>
    path.endsWith('classes') ? { status: 200, body: JSON.stringify(endless) } : undefined,
  );
  expect(await facts.answer(question)).toEqual({ error: expect.stringContaining('there are more than') });
});
