import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConnectionError, StatusError } from '../../component/errors.ts';
import { createLogger } from '../../component/logger.ts';
import { Client, type ClientOptions } from '../../kube/client.ts';
import { NAMESPACES, PODS } from '../../kube/resource.ts';
import { FakeApiServer, type Fault } from '../support/fake-apiserver.ts';

const NAMED = { namespace: 'default', name: 'web' };
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: NAMED, spec: { nodeName: 'n1' } };

let server: FakeApiServer;
let clients: Client[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  clients = [];
});

afterEach(async () => {
  for (const client of clients) await client.close();
  await server.close();
});

function connect(options: Partial<ClientOptions> = {}): Client {
  const client = new Client(server.connection, {
    userAgent: 'kruise-manager/test',
    qps: 0,
    burst: 1,
    timeoutMs: 10_000,
    random: () => 0,
    monotonic: () => performance.now(),
    logger: createLogger('test', 'error'),
    ...options,
  });
  clients.push(client);
  return client;
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expect.fail(`resolved to ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

describe('verbs', () => {
  test('an object is created, read, replaced, patched and deleted', async () => {
    const client = connect();
    const created = await client.create(PODS, POD);
    expect(created.metadata.uid).not.toBe('');
    expect(await client.get(PODS, NAMED)).toEqual(created);
    const labelled = {
      ...POD,
      metadata: { ...NAMED, resourceVersion: created.metadata.resourceVersion, labels: { a: 'b' } },
    };
    const updated = await client.update(PODS, labelled);
    const patched = await client.patch(PODS, NAMED, { metadata: { labels: { c: 'd' } } }, { patchType: 'merge' });
    expect(patched.metadata.labels).toEqual({ a: 'b', c: 'd' });
    expect(await rejection(client.update(PODS, labelled))).toMatchObject({ code: 409, reason: 'Conflict' });
    const { resourceVersion } = updated.metadata;
    expect(await rejection(client.delete(PODS, NAMED, { resourceVersion }))).toMatchObject({ code: 409 });
    await client.delete(PODS, NAMED, { uid: created.metadata.uid });
    expect(await rejection(client.get(PODS, NAMED))).toMatchObject({
      name: 'StatusError',
      code: 404,
      reason: 'NotFound',
    });
  });
});
