// More than can be done: refused early and by rule, never late and by accident (fault F07).

import { afterEach, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { Peer, request, responseOf, review } from './support/peer.ts';
import { GatewayProcess } from './support/process.ts';
import { startServer } from './support/server.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function connect(port: number): Promise<Peer> {
  const peer = await Peer.tls(port);
  open.push(peer);
  return peer;
}

test('requests above the limit in flight are 503 at once, on a connection that is kept', async () => {
  const server = await startServer({ limits: { requestsInFlight: 2 } });
  open.push(server);
  const slow = [await connect(server.port), await connect(server.port)];
  const wire = request(review('slow'));
  for (const peer of slow) peer.send(wire.slice(0, -5));
  await eventually(() => expect(server.counters.inFlight[0]).toBe(2));
  const peer = await connect(server.port);
  const answer = await peer.send(request(review('more'))).answer();
  expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(responseOf(answer)).toMatchObject({ allowed: false, status: { code: 503 } });
  for (const [i, other] of slow.entries())
    expect(responseOf(await other.send(wire.slice(-5)).answer()).uid).toBe(i < 2 ? 'slow' : '');
  expect(responseOf(await peer.send(request(review('again'))).answer()).uid).toBe('again');
  expect(server.counters.inFlight[0]).toBe(0);
  expect(server.refused('overloaded')).toBe(1);
});

test('large bodies together never take more memory than their limit', async () => {
  const server = await startServer({ limits: { bufferedBytes: 1_000_000 } });
  open.push(server);
  const wire = request(review('large', { padding: 'p'.repeat(400_000) }));
  const peers = await Promise.all(Array.from({ length: 6 }, () => connect(server.port)));
  for (const peer of peers) peer.send(wire.slice(0, -5));
  await eventually(() => expect(server.refused('overloaded')).toBe(4));
  const answers = await Promise.all(peers.map((peer) => peer.send(wire.slice(-5)).answer()));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503, 503]);
  const peer = await connect(server.port);
  expect(responseOf(await peer.send(wire).answer()).uid).toBe('large');
});

test('a connection that breaks in the middle of a body gives back all that it held', async () => {
  const server = await startServer({ limits: { bufferedBytes: 1_000_000, requestsInFlight: 1 } });
  open.push(server);
  const wire = request(review('large', { padding: 'p'.repeat(900_000) }));
  for (let i = 0; i < 5; i++) {
    const peer = await connect(server.port);
    peer.send(wire.slice(0, -5));
    await eventually(() => expect(server.counters.inFlight[0]).toBe(1));
    peer.close();
    await eventually(() => expect(server.counters.inFlight[0]).toBe(0));
  }
  const peer = await connect(server.port);
  expect(responseOf(await peer.send(wire).answer()).uid).toBe('large');
});

test('reviews that waited until their caller has nearly given up are not evaluated but refused at once', {
  timeout: 20_000,
}, async () => {
  const gateway = await GatewayProcess.start();
  open.push(gateway);
  const peers: Peer[] = [];
  for (let i = 0; i < 40; i++) peers.push(await connect(gateway.port));
  const wire = request(review('slow', { blockMs: 100 }), { path: '/mutate-pod?timeout=1s' });
  const sent = performance.now();
  for (const peer of peers) peer.send(wire);
  const answers = await Promise.all(peers.map((peer) => peer.answer()));
  const took = performance.now() - sent;
  const evaluated = answers.filter(({ status }) => status === 200).length;
  const late = answers.filter(({ status }) => status === 503);
  expect(evaluated + late.length).toBe(40);
  // Eight of 100 ms fit into 80 % of the second; one more batch may be under way before the wait is known.
  expect(evaluated).toBeGreaterThan(0);
  expect(evaluated).toBeLessThan(20);
  expect(took).toBeLessThan(40 * 100);
  expect(responseOf(late[0] ?? (answers[0] as never))).toMatchObject({ uid: 'slow', allowed: false });
  expect(await gateway.metric('sluice_gateway_refusals_total{reason="late"}')).toBe(late.length);
  // The backlog is gone, and with it the refusals.
  const peer = await connect(gateway.port);
  expect((await peer.send(request(review('after'), { path: '/mutate-pod?timeout=1s' })).answer()).status).toBe(200);
});

test('5000 reviews at once over 100 connections are all answered', { timeout: 20_000 }, async () => {
  const gateway = await GatewayProcess.start();
  open.push(gateway);
  const peers = await Promise.all(Array.from({ length: 100 }, () => connect(gateway.port)));
  await Promise.all(
    peers.map(async (peer, i) => {
      for (let j = 0; j < 50; j++) {
        const answer = await peer.send(request(review(`${i}-${j}`))).answer();
        expect(responseOf(answer)).toMatchObject({ uid: `${i}-${j}`, allowed: true });
      }
    }),
  );
});
