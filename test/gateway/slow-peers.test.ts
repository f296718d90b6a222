// Peers that are slow, silent or many (faults F03, F23, F24). Where minutes would pass the server's clock is moved
// instead; its limits are those of production unless a test says otherwise.

import { afterEach, expect, test } from 'vitest';
import { LIMITS } from '../../gateway/limits.ts';
import { Clock } from './support/clock.ts';
import { eventually } from './support/eventually.ts';
import { OTHER_FORM, Peer, request, responseOf, review } from './support/peer.ts';
import { startServer, type TestServer } from './support/server.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(change: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const server = await startServer(change);
  open.push(server);
  return server;
}

async function connect(server: TestServer): Promise<Peer> {
  const peer = await Peer.tls(server.port);
  open.push(peer);
  return peer;
}

async function startOnClock(): Promise<{ server: TestServer; clock: Clock }> {
  const clock = new Clock();
  const server = await start({ monotonic: clock.read, limits: { tickMs: 1 } });
  return { server, clock };
}

async function ask(peer: Peer, uid: string): Promise<string> {
  return responseOf(await peer.send(request(review(uid))).answer()).uid;
}

test('the limits in use are those that a review through the API server needs', () => {
  expect(LIMITS).toMatchObject({ handshakeMs: 10_000, headersMs: 10_000, bodyMs: 15_000, answerMs: 15_000 });
  expect(LIMITS).toMatchObject({ headerBytes: 16 * 1024, bodyBytes: 7 * 1024 * 1024 });
  // The API server gives an idle connection up after 90 s, and must be the first to do so.
  expect(LIMITS.idleMs).toBe(120_000);
});

test('2000 connections idle for 5, 60, 90 and 119.9 seconds are all used again without a reset', {
  timeout: 30_000,
}, async () => {
  const { server, clock } = await startOnClock();
  const peers: Peer[] = [];
  for (let i = 0; i < 40; i++) peers.push(...(await Promise.all(Array.from({ length: 50 }, () => connect(server)))));
  for (const seconds of [5, 60, 90, 119.9]) {
    await clock.pass(seconds * 1000);
    for (let i = 0; i < peers.length; i += 100) {
      const uids = await Promise.all(peers.slice(i, i + 100).map((peer, j) => ask(peer, `${seconds}-${i + j}`)));
      expect(uids).toEqual(uids.map((_, j) => `${seconds}-${i + j}`));
    }
  }
  expect(peers.filter((peer) => peer.isClosed)).toEqual([]);
});

test('a connection that was opened and not used yet may wait as long as one between two requests', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  await clock.pass(119_000);
  expect(await ask(peer, 'first')).toBe('first');
});

test('a connection is closed once it was idle for two minutes', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  await ask(peer, 'only');
  clock.move(120_000);
  expect(await peer.closed).toBe('');
});

test('the time of an idle connection does not count for the headers of its next request', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  await ask(peer, 'before');
  await clock.pass(100_000);
  const [head, tail] = [request(review('after')).slice(0, 20), request(review('after')).slice(20)];
  peer.send(head);
  await clock.pass(1000);
  await clock.pass(8000);
  expect(responseOf(await peer.send(tail).answer()).uid).toBe('after');
});

test.each([
  ['the first request', 0],
  ['a later request', 1],
])('headers that take longer than 10 seconds end %s with 408', async (_name, before) => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  for (let i = 0; i < before; i++) await ask(peer, 'before');
  peer.send('POST /mutate-pod HTTP/1.1\r\nHo');
  await peerHeard(server, peer);
  await clock.pass(0);
  await clock.pass(5000);
  peer.send('s');
  await clock.pass(4900);
  expect(peer.isClosed).toBe(false);
  clock.move(100);
  expect(await peer.closed).toMatch(/^HTTP\/1.1 408 /);
  expect(server.refused('headers_too_slow')).toBe(1);
});

/** Waits until the server has read what the peer sent: it answers another connection, to which it comes later. */
async function peerHeard(server: TestServer, peer: Peer): Promise<void> {
  await new Promise<void>((resolve) => peer.socket.write('', () => resolve()));
  await ask(await connect(server), 'marker');
}

test('a body that takes longer than 15 seconds is 408 and never evaluated', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  const wire = request(review('slow'), { path: '/mutate-pod?timeout=30s' });
  peer.send(wire.slice(0, -10));
  await peerHeard(server, peer);
  server.evaluator.bodies.length = 0;
  await clock.pass(14_900);
  peer.send(wire.slice(-10, -5));
  expect(peer.isClosed).toBe(false);
  await clock.pass(100);
  expect((await peer.answer()).status).toBe(408);
  clock.move(LIMITS.lingerMs);
  await peer.closed;
  expect(server.evaluator.bodies).toEqual([]);
});

test('a body is not waited for longer than its caller waits for the answer', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  peer.send(request(review('slow'), { path: '/mutate-pod?timeout=5s' }).slice(0, -10));
  await peerHeard(server, peer);
  await clock.pass(4000);
  expect((await peer.answer()).status).toBe(408);
});

test('slow peers keep nobody waiting', async () => {
  const server = await start();
  for (let i = 0; i < 100; i++) (await connect(server)).send(request(review('slow')).slice(0, i % 2 === 0 ? 30 : -5));
  const peer = await connect(server);
  for (let i = 0; i < 20; i++) expect(await ask(peer, `${i}`)).toBe(`${i}`);
});

test('a peer that does not take its answers is cut', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  peer.socket.pause();
  // More than the buffers of both kernels take.
  peer.send(request(review('large', { answerBytes: 32 * 1024 * 1024 })));
  await eventually(() => expect(server.evaluator.bodies.length).toBeGreaterThan(0));
  await clock.pass(0);
  clock.move(LIMITS.answerMs);
  await eventually(() => expect(server.refused('answer_not_taken')).toBe(1));
  peer.socket.resume();
  await peer.closed;
});

test.each([
  ['written as API servers do', {}],
  ['written in another way', OTHER_FORM],
])(
  'a caller whose next request, %s, comes while the end of a long answer is on its way gets both',
  async (_, headers) => {
    const server = await start();
    const peer = await connect(server);
    peer.socket.pause();
    peer.send(request(review('long', { answerBytes: 32 * 1024 * 1024 })));
    await eventually(() => expect(server.evaluator.bodies).toHaveLength(1));
    // Larger than what is read from a connection at once.
    peer.send(request(review('next', { padding: 'x'.repeat(300_000) }), { headers }));
    peer.socket.resume();
    await eventually(() => expect(server.evaluator.bodies).toHaveLength(2));
    peer.send(request(review('last'), { headers: { Connection: 'close' } }));
    const uids = [...(await peer.closed).matchAll(/"uid":"(\w+)"/g)].map(([, uid]) => uid);
    expect(uids).toEqual(['long', 'next', 'last']);
    expect(server.refused('malformed_request')).toBe(0);
  },
);

test('handshakes that do not come to an end are cut, whatever part of them was sent', async () => {
  const server = await start({ limits: { handshakeMs: 200 } });
  const silent = await Peer.plain(server.port);
  const partial = await Peer.plain(server.port);
  // The start of a ClientHello: a record that announces more than follows.
  partial.send(Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc));
  await Promise.all([silent.closed, partial.closed]);
  expect(server.refused('handshake_too_slow')).toBe(2);
});

test('a flood of unfinished handshakes gives way to healthy callers', { timeout: 20_000 }, async () => {
  const server = await start({ limits: { handshakes: 100 } });
  const healthy = await connect(server);
  const flood: Peer[] = [];
  for (let i = 0; i < 600; i++) flood.push(await Peer.plain(server.port));
  open.push(...flood);
  expect(await ask(healthy, 'kept')).toBe('kept');
  expect(await ask(await connect(server), 'new')).toBe('new');
  expect(server.refused('handshake_limit')).toBeGreaterThanOrEqual(500);
  await Promise.all(flood.slice(0, 400).map((peer) => peer.closed));
});

test('connections above the limit are closed at once; those that are open go on', async () => {
  const server = await start({ limits: { connections: 3 } });
  const peers = [await connect(server), await connect(server), await connect(server)];
  await (await Peer.plain(server.port)).closed;
  expect(server.refused('connection_limit')).toBe(1);
  for (const peer of peers) expect(await ask(peer, 'still')).toBe('still');
  peers[0]?.close();
  await peers[0]?.closed;
  expect(server.counters.connections[0]).toBeLessThanOrEqual(3);
});
