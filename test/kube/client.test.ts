import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import type { StatusError } from '../../component/errors.ts';
import type { Client } from '../../kube/client.ts';
import { PODS } from '../../kube/resource.ts';
import type { ClientOptions } from '../../kube/sender.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer, type FakeRequest, type Fault } from '../support/fake-apiserver.ts';
import { rejection } from '../support/rejection.ts';

const NAMED = { namespace: 'default', name: 'web' };
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: NAMED, spec: { nodeName: 'n1' } };
const BUSY: Fault = { status: 429, headers: { 'retry-after': '1' }, body: 'too many' };
const DOWN: Fault = { status: 503 };

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
  const client = createClient(server.connection, options);
  clients.push(client);
  return client;
}

describe('verbs', () => {
  test('an object is created, read, replaced, patched and deleted', async () => {
    const client = connect();
    const created = await client.create(PODS, POD);
    expect(created.metadata.uid).not.toBe('');
    expect(await client.get(PODS, NAMED)).toEqual(created);
    const { resourceVersion, uid } = created.metadata;
    const labelled = { ...POD, metadata: { ...NAMED, resourceVersion, labels: { a: 'b' } } };
    const updated = await client.update(PODS, labelled);
    const patched = await client.patch(PODS, NAMED, { metadata: { labels: { c: 'd' } } }, { patchType: 'merge' });
    expect(patched.metadata.labels).toEqual({ a: 'b', c: 'd' });
    expect(await rejection(client.update(PODS, labelled))).toMatchObject({ code: 409, reason: 'Conflict' });
    const outdated = { resourceVersion: updated.metadata.resourceVersion };
    expect(await rejection(client.delete(PODS, NAMED, outdated))).toMatchObject({ code: 409 });
    await client.delete(PODS, NAMED, { uid });
    expect(await rejection(client.get(PODS, NAMED))).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  test('the status is replaced alone', async () => {
    const client = connect();
    await client.create(PODS, POD);
    const changed = { ...POD, spec: {}, status: { phase: 'Running' } };
    const updated = await client.update(PODS, changed, { subresource: 'status' });
    expect(updated).toMatchObject({ spec: POD.spec, status: { phase: 'Running' } });
  });

  test('a collection is read in pages, and its items say what they are', async () => {
    const client = connect();
    for (const name of ['a', 'b', 'c']) await client.create(PODS, { metadata: { namespace: 'default', name } });
    const first = await client.list(PODS, { limit: 2 });
    const rest = await client.list(PODS, { limit: 2, continue: first.metadata.continue });
    expect([...first.items, ...rest.items].map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['Pod', 'a'],
      ['Pod', 'b'],
      ['Pod', 'c'],
    ]);
    expect(rest.metadata.continue).toBeUndefined();
  });

  test('digits are kept that a double cannot hold', async () => {
    const client = connect();
    server.failNext([{ status: 200, body: '{"metadata":{"name":"x"},"spec":{"big":9007199254740993,"one":1.0}}' }]);
    expect(JSON.stringify(await client.get(PODS, NAMED))).toContain('"big":9007199254740993,"one":1.0');
  });

  test('the server learns who asks, what is only tried, and who applies', async () => {
    const client = connect();
    await client.create(PODS, POD, { dryRun: true });
    await client.patch(PODS, NAMED, POD, { patchType: 'apply', force: true });
    await client.as('kruise-manager/other').patch(PODS, NAMED, [], { patchType: 'json', subresource: 'resize' });
    const [created, applied, patched] = server.requests;
    expect(created?.query.get('dryRun')).toBe('All');
    expect(applied?.headers).toMatchObject({
      'content-type': 'application/apply-patch+yaml',
      'user-agent': 'kruise-manager/test',
    });
    expect(applied?.query.toString()).toBe('fieldManager=kruise-manager&force=true');
    expect(patched?.headers['user-agent']).toBe('kruise-manager/other');
    expect(patched?.path).toBe('/api/v1/namespaces/default/pods/web/resize');
  });
});

describe('refusals', () => {
  test('a Status is told with its code, reason, message and causes', async () => {
    const status = {
      kind: 'Status',
      code: 403,
      reason: 'Forbidden',
      message: 'pods "web" is forbidden',
      details: { causes: [{ reason: 'NamespaceTerminating', message: 'it goes', field: 'metadata.namespace' }] },
    };
    server.failNext([{ status: 403, body: JSON.stringify(status) }]);
    expect(await rejection(connect().create(PODS, POD))).toMatchObject({
      name: 'StatusError',
      code: 403,
      reason: 'Forbidden',
      message: 'pods "web" is forbidden',
      details: { causes: ['NamespaceTerminating'] },
    });
  });

  test('what a proxy answers is shown, shortened', async () => {
    server.failNext([{ status: 403, body: `<html>${'x'.repeat(5000)}` }]);
    const error = await rejection(connect().get(PODS, NAMED));
    expect(error).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(String(error)).toMatch(
      /^StatusError: GET \/api\/v1\/namespaces\/default\/pods\/web: HTTP 403: <html>x{194}$/,
    );
  });

  test.each<[string, JsonObject]>([
    ['members of other types', { code: 'x', reason: 5, message: [], details: 'none' }],
    ['another code', { code: 200, details: { causes: ['x', null, {}], retryAfterSeconds: -5 } }],
    ['a time without end', { details: { retryAfterSeconds: 'soon' } }],
  ])('a Status with %s is told by the code of HTTP', async (_, status) => {
    server.failNext([
      { status: 422, headers: { 'retry-after': 'soon' }, body: JSON.stringify({ kind: 'Status', ...status }) },
    ]);
    const error = await rejection(connect().create(PODS, POD));
    expect(error).toMatchObject({ name: 'StatusError', code: 422, reason: 'Invalid' });
    expect((error as StatusError).details.retryAfterSeconds).toBeUndefined();
  });

  test.each(['{"metadata":', '[]', 'ok', ''])('a success that is no object is no answer: %j', async (body) => {
    server.failNext([{ status: 200, body }]);
    expect(await rejection(connect().get(PODS, NAMED))).toMatchObject({ name: 'ConnectionError' });
  });
});

describe('trying again', () => {
  test('a read is sent again after overload, failures and broken connections', async () => {
    const client = connect();
    await client.create(PODS, POD);
    server.failNext([{ status: 500 }, DOWN, { breaks: true }, { breaks: true, after: '{"meta' }]);
    expect((await client.get(PODS, NAMED)).metadata.name).toBe('web');
    expect(server.requests.filter(isRead)).toHaveLength(5);
  });

  test('the time that the server asks for is waited', async () => {
    const client = connect();
    server.failNext([BUSY]);
    const began = performance.now();
    await client.list(PODS);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1000);
  });

  test('when that is after the deadline the refusal is told at once, with the time', async () => {
    server.failNext([{ status: 429, headers: { 'retry-after': '60' } }]);
    expect(await rejection(connect().list(PODS))).toMatchObject({ code: 429, details: { retryAfterSeconds: 60 } });
  });

  test.each<[string, Fault]>([
    ['the answer is lost', { breaks: true }],
    ['the server failed', { status: 500 }],
    ['the server is not available', DOWN],
  ])('a write is not sent again when %s', async (_, fault) => {
    server.failNext([fault]);
    await rejection(connect().create(PODS, POD));
    expect(server.requests).toHaveLength(1);
  });

  test.each([429, 503])('a write that was not taken is sent again: %d with Retry-After', async (status) => {
    server.failNext([{ status, headers: { 'retry-after': '1' } }]);
    expect((await connect().create(PODS, POD)).metadata.name).toBe('web');
    expect(server.requests).toHaveLength(2);
  });

  test('an eviction that is refused for now is refused', async () => {
    server.failNext([BUSY]);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: NAMED };
    const evicted = connect().create(PODS, eviction, { subresource: 'eviction', reference: NAMED });
    expect(await rejection(evicted)).toMatchObject({ code: 429 });
    expect(server.requests).toHaveLength(1);
  });

  test('a server in trouble gets at most a fifth more requests than are made', async () => {
    const client = connect();
    const ways: Fault[] = [DOWN, { status: 500 }, { status: 429 }, { breaks: true }];
    let sent = 0;
    server.intercept(() => ways[sent++ % ways.length]);
    await Promise.all(Array.from({ length: 200 }, () => rejection(client.get(PODS, NAMED))));
    expect(server.requests.length).toBeGreaterThanOrEqual(200);
    expect(server.requests.length).toBeLessThanOrEqual(240);
  });

  test('nobody listens: no read and no write can have been done', async () => {
    const client = connect();
    await server.close();
    expect(await rejection(client.get(PODS, NAMED))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(await rejection(client.create(PODS, POD))).toMatchObject({ name: 'ConnectionError', sent: false });
  });
});

describe('limits', () => {
  test('an answer that does not come ends with the deadline', async () => {
    server.failNext([{ hangs: true }]);
    const error = await rejection(connect().create(PODS, POD, { timeoutMs: 50 }));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: true });
    expect(String(error)).toContain('POST /api/v1/namespaces/default/pods: no answer within 0.05 s');
  });

  test('the caller ends a request with a reason of its own, also while it waits for the next try', async () => {
    const reason = new Error('enough');
    for (const fault of [{ hangs: true }, BUSY] as const) {
      const controller = new AbortController();
      server.failNext([fault]);
      const asked = server.requests.length + 1;
      const answer = rejection(connect().get(PODS, NAMED, { signal: controller.signal }));
      await server.until(() => server.requests.length === asked);
      controller.abort(reason);
      expect(await answer).toBe(reason);
    }
    expect(await rejection(connect().get(PODS, NAMED, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  test('requests beyond the burst wait for their turn, and are refused when it comes too late', async () => {
    const client = connect({ qps: 20, burst: 3 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 5 }, () => client.list(PODS)));
    expect(performance.now() - began).toBeGreaterThanOrEqual(90);
    const answers = Array.from({ length: 10 }, () => client.list(PODS, { timeoutMs: 200 }));
    const refused = (await Promise.allSettled(answers)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(refused.at(-1)).toMatchObject({ reason: { name: 'ConnectionError', sent: false } });
  });

  test('many requests at once share a bounded number of connections', async () => {
    const client = connect();
    await Promise.all(Array.from({ length: 200 }, () => client.list(PODS)));
    expect(server.connections).toBeLessThanOrEqual(32);
  });

  test('connections that went silent together are not tried one after the other', async () => {
    const client = connect();
    await Promise.all([client.list(PODS), client.list(PODS), client.list(PODS)]);
    const silent = server.connections;
    expect(silent).toBeGreaterThan(1);
    server.intercept(({ connection }) => (connection <= silent ? { hangs: true } : undefined));
    await rejection(client.list(PODS, { timeoutMs: 50 }));
    await client.list(PODS);
  });

  test('newer certificates are shown on newer connections; what runs on an older one is not broken', async () => {
    let servername = 'first';
    const credentials = () => Promise.resolve({ headers: {}, tls: { servername } });
    const client = createClient({ ...server.connection, credentials });
    clients.push(client);
    let goOn = () => {};
    server.failNext([{ until: new Promise<void>((resolve) => (goOn = resolve)) }]);
    const slow = client.list(PODS);
    await server.until(() => server.requests.length === 1);
    servername = 'second';
    await client.list(PODS);
    await client.list(PODS);
    goOn();
    await slow;
    const [first, ...later] = server.requests.map(({ connection }) => connection);
    expect(later).not.toContain(first);
  });

  test('while others are answered a missed deadline costs its own connection only', async () => {
    const client = connect();
    const five = () => Promise.all(Array.from({ length: 5 }, () => client.list(PODS)));
    await five();
    const before = server.connections;
    server.failNext([{ hangs: true }]);
    const late = rejection(client.list(PODS, { timeoutMs: 100 }));
    await client.list(PODS);
    await late;
    await five();
    expect(server.connections).toBeLessThanOrEqual(before + 1);
  });

  test('every try is counted by its outcome', async () => {
    const counts: string[] = [];
    const client = connect({ counted: (...labels) => counts.push(labels.join(' ')) });
    server.failNext([DOWN, { breaks: true }]);
    await client.list(PODS);
    const { host } = server.connection.server;
    expect(counts).toEqual([`503 ${host} GET`, `<error> ${host} GET`, `200 ${host} GET`]);
  });

  test('a closed client asks nothing', async () => {
    const client = connect();
    await client.list(PODS);
    await client.close();
    expect(await rejection(client.list(PODS))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe('watches', () => {
  const watch = (client: Client, signal = new AbortController().signal, resourceVersion = '0') =>
    client.watch(PODS, { resourceVersion, timeoutSeconds: 60, signal });

  test('changes come as they were sent, whatever their chunks', async () => {
    const client = connect();
    server.chunkBytes = 1;
    const chunks = watch(client)[Symbol.asyncIterator]();
    const first = chunks.next();
    await server.until(() => server.openStreams === 1);
    await client.create(PODS, { metadata: { ...NAMED, annotations: { note: 'žluťoučký 🐎' } } });
    let text = Buffer.from((await first).value ?? '').toString('latin1');
    while (!text.endsWith('\n')) text += Buffer.from((await chunks.next()).value ?? '').toString('latin1');
    await chunks.return?.(undefined);
    expect(JSON.parse(Buffer.from(text, 'latin1').toString('utf8'))).toMatchObject({
      type: 'ADDED',
      object: { metadata: { annotations: { note: 'žluťoučký 🐎' } } },
    });
    await server.until(() => server.openStreams === 0);
  });

  test('an expired resourceVersion is refused as such', async () => {
    const client = connect();
    server.objects.compact();
    expect(await rejection(read(watch(client)))).toMatchObject({ code: 410, reason: 'Expired' });
    expect(server.requests).toHaveLength(1);
  });

  test('the end of a stream is told from its breaking', async () => {
    const client = connect();
    for (const how of ['end', 'break'] as const) {
      const bytes = read(watch(client)).then(
        () => 'end',
        (error: Error) => error.name,
      );
      await server.until(() => server.openStreams === 1);
      server.endStreams(how);
      expect(await bytes).toBe(how === 'end' ? 'end' : 'ConnectionError');
    }
  });

  test('a stream lasts longer than requests may, until the caller ends it', async () => {
    const client = connect({ timeoutMs: 200 });
    const controller = new AbortController();
    const chunks = watch(client, controller.signal)[Symbol.asyncIterator]();
    const first = chunks.next();
    await server.until(() => server.openStreams === 1);
    server.failNext([{ hangs: true }]);
    await rejection(client.get(PODS, NAMED, { timeoutMs: 300 }));
    server.sendBookmark();
    expect(Buffer.from((await first).value ?? '').toString()).toContain('BOOKMARK');
    const next = rejection(chunks.next());
    controller.abort(new Error('enough'));
    expect(await next).toMatchObject({ message: 'enough' });
    await server.until(() => server.openStreams === 0);
  });

  test('streams take no connections from requests', async () => {
    const client = connect();
    const streams = Array.from({ length: 40 }, () => read(watch(client)));
    await server.until(() => server.openStreams === 40);
    await client.list(PODS);
    server.endStreams();
    await Promise.all(streams);
  });
});

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

function isRead({ method }: FakeRequest): boolean {
  return method === 'GET';
}
