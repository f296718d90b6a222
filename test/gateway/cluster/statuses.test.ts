// A status is written for the version that was decided on, or the present object is found; never both, never neither.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { Statuses } from '../../../gateway/cluster/statuses.ts';
import type { Client } from '../../../kube/client.ts';
import { Discovery } from '../../../kube/discovery.ts';
import { createClient } from '../../support/client.ts';
import { FakeApiServer } from '../../support/fake-apiserver.ts';
import { protecting } from '../../support/protection.ts';

const BUDGETS = '/apis/policy.kruise.io/v1beta1/podunavailablebudgets';
const TARGET = { collection: BUDGETS, namespace: 'shop', name: 'web-pub', subresource: '' };
const NEVER = new AbortController().signal;

let server: FakeApiServer;
let client: Client;
let statuses: Statuses;
let stored: JsonObject;
let outcomes: string[];
beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection);
  outcomes = [];
  const discovery = new Discovery(client, () => performance.now());
  statuses = new Statuses(client, discovery, (_, outcome) => outcomes.push(outcome));
  stored = server.objects.create({ ...TARGET, name: '' }, protecting());
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const effect = (more: JsonObject = {}) => {
  const { uid, resourceVersion } = stored.metadata as { uid: string; resourceVersion: string };
  const { apiVersion, kind } = protecting() as { apiVersion: string; kind: string };
  return {
    apiVersion,
    kind,
    namespace: 'shop',
    name: 'web-pub',
    uid,
    resourceVersion,
    status: { unavailableAllowed: 0 },
    ...more,
  };
};
const isWrite = ({ method }: { method: string }) => method === 'PUT';
const status = () => server.objects.get(TARGET).status;

test('goes out in one request, and nothing is read before', async () => {
  const written = await statuses.write(effect(), NEVER);
  expect(written).toMatchObject({ outcome: 'done', object: { status: { unavailableAllowed: 0 } } });
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'PUT /apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets/web-pub/status',
  ]);
  expect(status()).toEqual({ unavailableAllowed: 0 });
});

test.each([
  ['another version', { resourceVersion: '1' }],
  ['another object of the name', { uid: 'uid-before' }],
])('that was decided on %s is not written, and the present one comes back', async (_, more) => {
  expect(await statuses.write(effect(more), NEVER)).toEqual({
    outcome: 'conflict',
    object: expect.objectContaining({ status: protecting().status }),
  });
  expect(outcomes).toEqual(['conflict']);
});

test('of an object that is gone is a conflict with nothing', async () => {
  server.objects.delete(TARGET);
  expect(await statuses.write(effect(), NEVER)).toEqual({ outcome: 'conflict', object: null });
});

test('whose answer never came is looked for', async () => {
  // Done, and the connection breaks.
  server.intercept((request) => {
    if (!isWrite(request)) return undefined;
    server.objects.update({ ...TARGET, subresource: 'status' }, JSON.parse(request.body) as JsonObject);
    return { breaks: true };
  });
  const written = await statuses.write(effect(), NEVER);
  expect(written).toMatchObject({ outcome: 'conflict', object: { status: { unavailableAllowed: 0 } } });
});

test.each([500, 504])('that ends in code %d is looked for too', async (code) => {
  server.intercept((request) => (isWrite(request) ? { status: code, body: '' } : undefined));
  expect(await statuses.write(effect(), NEVER)).toMatchObject({
    outcome: 'conflict',
    object: { status: protecting().status },
  });
});

test('that is refused is not written', async () => {
  const refusal = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'may not' };
  server.intercept((request) => (isWrite(request) ? { status: 403, body: JSON.stringify(refusal) } : undefined));
  expect(await statuses.write(effect(), NEVER)).toEqual({
    outcome: 'failed',
    error: expect.stringContaining('may not'),
  });
  expect(outcomes).toEqual(['failed']);
});

test('is given up when nobody waits for it any longer', async () => {
  server.intercept((request) => (isWrite(request) ? { hangs: true } : undefined));
  expect(await statuses.write(effect(), AbortSignal.timeout(20))).toMatchObject({ outcome: 'failed' });
});
