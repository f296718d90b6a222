// Requests that the gateway reads by itself and those that Node.js reads for it, on one connection and beside each other.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpAnswer, OTHER_FORM, Peer, request, responseOf, review } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const peers: Peer[] = [];

beforeEach(async () => {
  server = await startServer();
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await server.close();
});

async function connect(to = server): Promise<Peer> {
  const peer = await Peer.tls(to.port);
  peers.push(peer);
  return peer;
}

/** But for the second in which it was given. */
function timeless({ headers: { Date: _, ...headers }, ...answer }: HttpAnswer): HttpAnswer {
  return { ...answer, headers };
}

test.each([
  ['an admission', review('one', { padding: 'ä' })],
  ['a denial', review('one', { deny: true })],
  ['a failure', review('one', { fail: true })],
  ['an answer of 200 KB', review('one', { answerBytes: 200_000 })],
])('%s has the same bytes either way', async (_name, body) => {
  const peer = await connect();
  const plain = await peer.send(request(body)).answer();
  const parsed = await peer.send(request(body, { headers: OTHER_FORM })).answer();
  expect(Object.keys(plain.headers)).toEqual(Object.keys(parsed.headers));
  expect(timeless(plain)).toEqual(timeless(parsed));
  expect(Math.abs(Date.parse(String(plain.headers.Date)) - Date.now())).toBeLessThan(60_000);
});

test.each([
  ['before the objects are there', { isReady: () => false }],
  ['with a body that is too large', { limits: { bodyBytes: 10 } }],
  ['above the limit in flight', { limits: { requestsInFlight: 0 } }],
])('so has a refusal %s', async (_name, change) => {
  const strict = await startServer(change);
  const [one, other] = [await connect(strict), await connect(strict)];
  const plain = await one.send(request(review('one'))).answer();
  const parsed = await other.send(request(review('one'), { headers: OTHER_FORM })).answer();
  expect(timeless(plain)).toEqual(timeless(parsed));
  expect(plain.status).not.toBe(200);
  await strict.close();
});

test('an answer that is not ASCII comes byte by byte', async () => {
  server.evaluator.answer = () => ({ status: 200, body: Buffer.from('{"message":"größer, 大, \u{1f600}"}') });
  const peer = await connect();
  for (const headers of [{}, OTHER_FORM]) {
    const answer = await peer.send(request(review('one'), { headers })).answer();
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe('{"message":"größer, 大, \u{1f600}"}');
  }
});

test('a request may be cut anywhere', async () => {
  const wire = Buffer.from(request(review('cut')));
  for (let at = 1; at < wire.length; at++) {
    const peer = await connect();
    peer.socket.setNoDelay(true);
    peer.send(wire.subarray(0, at));
    await new Promise((resolve) => setImmediate(resolve));
    expect(responseOf(await peer.send(wire.subarray(at)).answer()).uid, `cut at ${at}`).toBe('cut');
    peer.close();
  }
});

test('a thousand requests behind each other, some of another form, are answered in order', async () => {
  for (const others of [[], [0], [500], [3, 4, 500]]) {
    const peer = await connect();
    const uids = Array.from({ length: 1000 }, (_, index) => `${index}`);
    // Node.js takes less than 200 of them at once, so most are read here.
    const sent = others.length === 0 ? uids : uids.slice(0, (others[0] ?? 0) + 100);
    const wire = sent.map((uid, index) => request(review(uid), { headers: others.includes(index) ? OTHER_FORM : {} }));
    const before = server.counters.handedOver[0] ?? 0;
    peer.send(wire.join(''));
    for (const uid of sent) expect(responseOf(await peer.answer()).uid).toBe(uid);
    expect(server.counters.handedOver[0]).toBe(before + Math.min(others.length, 1));
    peer.close();
  }
});

test('bodies of many records behind each other do not mix', async () => {
  const peer = await connect();
  const uids = Array.from({ length: 30 }, (_, index) => `${index}`);
  peer.send(uids.map((uid) => request(review(uid, { padding: uid.repeat(40_000) }))).join(''));
  for (const uid of uids) expect(responseOf(await peer.answer()).uid).toBe(uid);
  expect(server.evaluator.bodies).toEqual(uids.map((uid) => review(uid, { padding: uid.repeat(40_000) })));
});

test('what follows a refused body on a connection that is kept is answered', async () => {
  const strict = await startServer({ limits: { bufferedBytes: 30_000 } });
  const peer = await connect(strict);
  peer.send(request(review('large', { padding: 'p'.repeat(100_000) })) + request(review('next')));
  expect((await peer.answer()).status).toBe(503);
  expect(responseOf(await peer.answer()).uid).toBe('next');
  await strict.close();
});

test('what follows a request is not read once the connection ends', async () => {
  const peer = await connect();
  server.server.drain();
  peer.send(request(review('last')) + request(review('late')));
  const answer = await peer.answer();
  expect(answer.headers.Connection).toBe('close');
  expect(await peer.closed).toBe('');
  expect(server.evaluator.bodies).toEqual([review('last')]);
});

test('a connection that breaks while its review is decided costs nobody else', async () => {
  const [gone, peer] = [await connect(), await connect()];
  gone.send(request(review('gone')));
  gone.close();
  expect(responseOf(await peer.send(request(review('kept'))).answer()).uid).toBe('kept');
  expect(server.counters.inFlight[0]).toBe(0);
});
