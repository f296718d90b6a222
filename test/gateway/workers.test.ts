// Several threads on one port: what one of them does to itself costs the others nothing (faults F01, F06).

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { Peer, request, responseOf, review } from './support/peer.ts';
import { GatewayProcess } from './support/process.ts';

const RESTARTS = 'sluice_gateway_worker_restarts_total';
const REQUESTS = 'controller_runtime_webhook_requests_total{webhook="/mutate-pod",code="200"}';

let gateway: GatewayProcess;
const peers: Peer[] = [];

beforeEach(async () => {
  gateway = await GatewayProcess.start({ flags: ['--workers', '2'], times: { hangMs: 1500 } });
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await gateway.close();
});

async function connect(): Promise<Peer> {
  const peer = await Peer.tls(gateway.port);
  peers.push(peer);
  return peer;
}

async function ask(peer: Peer, test: object = {}): Promise<string> {
  return responseOf(await peer.send(request(review('u', test))).answer()).status?.message ?? '';
}

/** A connection to each of the threads, by thread: the kernel spreads them. */
async function connectToAll(count = 2): Promise<Map<string, Peer>> {
  const byThread = new Map<string, Peer>();
  for (let i = 0; byThread.size < count && i < 200; i++) {
    const peer = await connect();
    byThread.set(await ask(peer, { thread: true }), peer);
  }
  expect(byThread.size).toBe(count);
  return byThread;
}

test('connections spread over the threads, and their counts are summed', async () => {
  const threads = await connectToAll();
  for (const peer of threads.values()) for (let i = 0; i < 5; i++) await ask(peer);
  // Every peer asked once to find its thread. An answer may arrive before it has been counted.
  await eventually(async () => expect(await gateway.metric(REQUESTS)).toBe(peers.length + 10));
  expect(await gateway.metric('sluice_gateway_workers')).toBe(2);
});

test('changed objects reach every thread, a broken change none', async () => {
  const threads = await connectToAll();
  const file = join(gateway.folder, 'a.yaml');
  await writeFile(file, 'apiVersion: v1\nkind: X\nmetadata: {name: seen}\n');
  for (const peer of threads.values()) await eventually(async () => expect(await ask(peer)).toBe('seen'));
  await writeFile(file, 'apiVersion: v1\nkind: X\nmetadata: {name: seen}\nspec: {wrong: 1}\n');
  await gateway.printed(/a\.yaml:4:\d+: spec\.wrong: must not be there/);
  for (const peer of threads.values()) expect(await ask(peer)).toBe('seen');
  await rm(file);
  for (const peer of threads.values()) await eventually(async () => expect(await ask(peer)).toBe(''));
});

test('a thread that hangs in a review is ended and replaced with all objects; the others answer all the time', {
  timeout: 20_000,
}, async () => {
  await writeFile(join(gateway.folder, 'a.json'), '{"apiVersion":"v1","kind":"X","metadata":{"name":"kept"}}');
  const threads = await connectToAll();
  for (const peer of threads.values()) await eventually(async () => expect(await ask(peer)).toBe('kept'));
  const [[, hanging], [, other]] = [...threads] as [[string, Peer], [string, Peer]];
  const served = await gateway.metric(REQUESTS);
  hanging.send(request(review('hang', { hang: true })));
  let answers = 0;
  while (!hanging.isClosed) {
    expect(await ask(other)).toBe('kept');
    answers++;
  }
  expect(answers).toBeGreaterThan(100);
  await eventually(async () => expect(await gateway.metric(RESTARTS)).toBe(1));
  await eventually(async () => expect(await gateway.metric('sluice_gateway_workers')).toBe(2));
  expect(await gateway.metric(REQUESTS)).toBeGreaterThanOrEqual(served + answers);
  await gateway.printed(/worker replaced/);
  for (const peer of (await connectToAll()).values()) expect(await ask(peer)).toBe('kept');
});

test('a thread that ends is replaced', { timeout: 20_000 }, async () => {
  const threads = await connectToAll();
  const [first] = threads.values();
  first?.send(request(review('exit', { exit: true })));
  await first?.closed;
  await eventually(async () => expect(await gateway.metric(RESTARTS)).toBe(1));
  await eventually(async () => expect(await gateway.metric('sluice_gateway_workers')).toBe(2));
  const after = await connectToAll();
  expect([...after.keys()].filter((thread) => threads.has(thread))).toHaveLength(1);
});

test('readiness is told by the threads as well', async () => {
  const peer = await connect();
  const asked = request('', { method: 'GET', path: '/readyz?verbose', headers: { 'Content-Length': undefined } });
  expect(await peer.send(asked).answer()).toMatchObject({
    status: 200,
    body: expect.stringContaining('[+]gateway ok'),
  });
});
