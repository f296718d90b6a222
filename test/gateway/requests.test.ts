// What counts as an admission request, and what every other request gets (faults F28, F29, F35).

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Peer, type RequestChange, request, responseOf, review } from './support/peer.ts';
import { startServer, type TestServer } from './support/server.ts';

const MIB = 1024 * 1024;

let server: TestServer;
const peers: Peer[] = [];

beforeEach(async () => {
  server = await startServer();
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await server.close();
});

async function connect(): Promise<Peer> {
  const peer = await Peer.tls(server.port);
  peers.push(peer);
  return peer;
}

test('a review is answered with the uid of its request, and the connection is kept', async () => {
  const peer = await connect();
  const first = await peer.send(request(review('one'))).answer();
  const second = await peer.send(request(review('two', { deny: true }))).answer();
  expect(first.status).toBe(200);
  expect(first.headers['Content-Type']).toBe('application/json');
  expect(responseOf(first)).toMatchObject({ uid: 'one', allowed: true });
  expect(responseOf(second)).toMatchObject({ uid: 'two', allowed: false, status: { code: 403 } });
  expect(peer.isClosed).toBe(false);
});

test('requests that are sent behind each other without waiting are answered in order', async () => {
  const peer = await connect();
  peer.send(request(review('1')) + request(review('2')) + request(review('3')));
  const uids = [await peer.answer(), await peer.answer(), await peer.answer()].map((answer) => responseOf(answer).uid);
  expect(uids).toEqual(['1', '2', '3']);
});

test('a body in many pieces, of declared length or in chunks, is put together byte by byte', async () => {
  const body = review('pieces', { padding: 'ä'.repeat(40_000) });
  const bytes = Buffer.from(request(body));
  const peer = await connect();
  for (let at = 0; at < bytes.length; at += 3001) {
    peer.send(bytes.subarray(at, at + 3001));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(responseOf(await peer.answer()).uid).toBe('pieces');
  const content = Buffer.from(body);
  const half = content.length >> 1;
  const chunks = [content.subarray(0, half), content.subarray(half)].map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  peer.send(request('', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }));
  for (const chunk of chunks) peer.send(chunk);
  expect(responseOf(await peer.send('0\r\n\r\n').answer()).uid).toBe('pieces');
  expect(server.evaluator.bodies).toEqual([body, body]);
});

test('bodies that arrive interleaved on several connections do not mix', async () => {
  const texts = ['a', 'b', 'c'].map((uid) => review(uid, { padding: uid.repeat(30_000) }));
  const all = await Promise.all(texts.map(() => connect()));
  const wires = texts.map((text) => Buffer.from(request(text)));
  const length = Math.max(...wires.map((wire) => wire.length));
  for (let at = 0; at < length; at += 7000) {
    for (const [i, peer] of all.entries()) peer.send((wires[i] as Buffer).subarray(at, at + 7000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const uids = (await Promise.all(all.map((peer) => peer.answer()))).map((answer) => responseOf(answer).uid);
  expect(uids).toEqual(['a', 'b', 'c']);
  expect([...server.evaluator.bodies].sort()).toEqual(texts);
});

const refused: [name: string, change: RequestChange, body: string, status: number, code: number | undefined][] = [
  ['another content type', { headers: { 'Content-Type': 'text/plain' } }, review('x'), 415, 400],
  [
    'a content type with a parameter',
    { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    review('x'),
    415,
    400,
  ],
  ['no content type', { headers: { 'Content-Type': undefined } }, review('x'), 415, 400],
  ['a content encoding', { headers: { 'Content-Encoding': 'gzip' } }, review('x'), 415, 415],
  ['no body', {}, '', 400, 400],
  ['neither length nor chunks', { headers: { 'Content-Length': undefined } }, '', 400, 400],
  ['an upgrade', { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } }, review('x'), 400, 400],
  ['announced trailers', { headers: { Trailer: 'X-Sum' } }, review('x'), 400, 400],
  ['another path', { path: '/mutate-pods' }, review('x'), 404, undefined],
  ['a path in another case', { path: '/Mutate-Pod' }, review('x'), 404, undefined],
  ['a path below a served one', { path: '/mutate-pod/' }, review('x'), 404, undefined],
  ['a whole URL', { path: 'https://localhost/mutate-pod' }, review('x'), 404, undefined],
  ['GET', { method: 'GET' }, '', 405, undefined],
  ['PUT', { method: 'PUT' }, review('x'), 405, undefined],
  ['a length over the limit', { headers: { 'Content-Length': String(7 * MIB + 1) } }, '', 413, 413],
  ['a length beyond any number', { headers: { 'Content-Length': '9'.repeat(18) } }, '', 413, 413],
];

test.each(refused)(
  '%s is refused before anything is evaluated, and the connection closed',
  async (_name, change, body, status, code) => {
    const peer = await connect();
    const answer = await peer.send(request(body, change)).answer();
    expect(answer.status).toBe(status);
    expect(answer.headers.Connection).toBe('close');
    if (code !== undefined) expect(responseOf(answer)).toMatchObject({ allowed: false, status: { code } });
    peer.socket.end();
    await peer.closed;
    expect(server.evaluator.bodies).toEqual([]);
  },
);

const smuggled: [string, string][] = [
  ['length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['chunks and length', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['two equal lengths', 'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
  ['two different lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['a list of lengths', 'Content-Length: 3, 3\r\n\r\nabc'],
  ['a signed length', 'Content-Length: +3\r\n\r\nabc'],
  ['a hexadecimal length', 'Content-Length: 0x3\r\n\r\nabc'],
  ['a folded header', 'Content-Length: 3\r\nX-A: a\r\n b\r\n\r\nabc'],
  ['a folded length', 'Content-Length:\r\n 3\r\n\r\nabc'],
  ['a folded coding', 'Transfer-Encoding:\r\n chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['an unknown coding', 'Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['a coding before chunked', 'Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['a space before the colon', 'Content-Length : 3\r\n\r\nabc'],
  ['a NUL in a header', 'X-A: a\0b\r\nContent-Length: 3\r\n\r\nabc'],
  ['two hosts', 'Host: other\r\nContent-Length: 3\r\n\r\nabc'],
  ['a bad chunk size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n'],
];

test.each(smuggled)('a request with %s is 400 and closed', async (_name, rest) => {
  const peer = await connect();
  peer.send(`POST /mutate-pod HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${rest}`);
  expect((await peer.answer()).status).toBe(400);
  await peer.closed;
  expect(server.evaluator.bodies).toEqual([]);
  expect(server.refused('malformed_request')).toBeGreaterThan(0);
});

test('trailers behind chunks are 400 although nobody announced them', async () => {
  const peer = await connect();
  const headers = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  peer.send(`${request('', { headers })}2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n`);
  expect((await peer.answer()).status).toBe(400);
  await peer.closed;
  expect(server.evaluator.bodies).toEqual([]);
});

test.each([
  ['HTTP/1.0', 'POST /mutate-pod HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}', 505],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no Host', 'POST /mutate-pod HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}', 400],
  ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['headers over 16 KiB', `POST /mutate-pod HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(16 * 1024)}\r\n\r\n`, 431],
])('%s is refused and the connection closed', async (_name, text, status) => {
  const peer = await connect();
  const [received] = await Promise.all([peer.send(text).closed, peer.socket.end()]);
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(server.evaluator.bodies).toEqual([]);
});

test('a body of exactly 7 MiB is evaluated whole', async () => {
  const frame = review('big', { padding: '' });
  const body = review('big', { padding: 'p'.repeat(7 * MIB - frame.length) });
  expect(body.length).toBe(7 * MIB);
  const peer = await connect();
  expect(responseOf(await peer.send(request(body)).answer()).uid).toBe('big');
  expect(server.evaluator.bodies[0]?.length).toBe(7 * MIB);
});

test('chunks without end are cut at 7 MiB with 413, and nothing is evaluated', async () => {
  const peer = await connect();
  peer.send(request('', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }));
  const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
  const pour = () => {
    while (!peer.socket.destroyed && peer.socket.write(chunk));
  };
  peer.socket.on('drain', pour);
  pour();
  const answer = await peer.answer();
  expect(answer.status).toBe(413);
  expect(responseOf(answer)).toMatchObject({ allowed: false, status: { code: 413 } });
  await peer.closed;
  expect(server.evaluator.bodies).toEqual([]);
  expect(server.refused('body_too_large')).toBe(1);
});

test('a peer that sends 10 MB before it looks sees the 413 and not a reset', async () => {
  const peer = await connect();
  peer.send(request('x'.repeat(10_000_000)));
  expect((await peer.answer()).status).toBe(413);
  expect(server.evaluator.bodies).toEqual([]);
});

test('a body shorter than its length is never evaluated', async () => {
  const peer = await connect();
  peer.send(request('{}', { headers: { 'Content-Length': '3' } }));
  peer.socket.end();
  await peer.closed;
  expect(server.evaluator.bodies).toEqual([]);
});

test('bytes behind the declared length end the connection', async () => {
  const peer = await connect();
  await peer.send(`${request(review('x'))}}}garbage`).closed;
  expect(server.refused('malformed_request')).toBe(1);
});

test('a client that asks first is told to continue, unless the request is refused anyway', async () => {
  const peer = await connect();
  const body = review('asked');
  peer.send(request('', { headers: { Expect: '100-continue', 'Content-Length': String(body.length) } }));
  expect((await peer.answer()).status).toBe(100);
  expect(responseOf(await peer.send(body).answer()).uid).toBe('asked');
  peer.send(request('', { headers: { Expect: '100-continue', 'Content-Length': '99999999' } }));
  expect((await peer.answer()).status).toBe(413);
});

test('an evaluator that fails costs that review alone: code 500 with its uid, and no word of the request in the log', async () => {
  const peer = await connect();
  const failed = responseOf(await peer.send(request(review('u-1', { fail: true }))).answer());
  expect(failed).toMatchObject({ uid: 'u-1', allowed: false, status: { code: 500, message: 'panic: TypeError' } });
  expect(responseOf(await peer.send(request(review('u-2'))).answer())).toMatchObject({ uid: 'u-2', allowed: true });
  expect(server.counters.panics[0]).toBe(1);
  expect(server.log.join('')).toContain('evaluator failed');
  expect(server.log.join('')).not.toContain('u-1');
});

test('a denial that cannot be told of is answered all the same, and so are those decided with it', async () => {
  const unlucky = await startServer({
    denied: () => {
      throw new TypeError('secret of a request');
    },
  });
  const both = await Promise.all([Peer.tls(unlucky.port), Peer.tls(unlucky.port)]);
  try {
    for (const [index, one] of both.entries()) one.send(request(review(`u-${index}`, { deny: true })));
    const answers = await Promise.all(both.map((one) => one.answer()));
    expect(answers.map((answer) => responseOf(answer))).toMatchObject([
      { uid: 'u-0', allowed: false, status: { code: 403 } },
      { uid: 'u-1', allowed: false, status: { code: 403 } },
    ]);
    expect(unlucky.counters.panics[0]).toBe(2);
    expect(unlucky.log.join('')).not.toContain('secret');
  } finally {
    for (const one of both) one.close();
    await unlucky.close();
  }
});

test('a failed conversion is answered as a conversion', async () => {
  const peer = await connect();
  const body = JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', request: { uid: 'c-1', test: { fail: true } } });
  const answer = await peer.send(request(body, { path: '/convert' })).answer();
  expect(JSON.parse(answer.body)).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: 'c-1',
      convertedObjects: [],
      result: { status: 'Failure', message: 'panic: TypeError', code: 500 },
    },
  });
});

test('nothing is evaluated before the objects are loaded', async () => {
  let ready = false;
  const early = await startServer({ isReady: () => ready });
  const peer = await Peer.tls(early.port);
  const refusedEarly = await peer.send(request(review('early'))).answer();
  expect(refusedEarly.status).toBe(503);
  expect(responseOf(refusedEarly)).toMatchObject({ allowed: false, status: { code: 503 } });
  expect(early.evaluator.bodies).toEqual([]);
  ready = true;
  const later = await Peer.tls(early.port);
  expect(responseOf(await later.send(request(review('late'))).answer()).allowed).toBe(true);
  await early.close();
});

test('health is answered on the admission port', async () => {
  server.health.addReadiness('objects', () => 'not loaded');
  for (const [path, status] of [
    ['/livez', 200],
    ['/healthz', 200],
    ['/readyz?verbose', 500],
  ] as const) {
    const peer = await connect();
    const answer = await peer
      .send(request('', { method: 'GET', path, headers: { 'Content-Length': undefined } }))
      .answer();
    expect(answer.status).toBe(status);
  }
});

test('a decision is logged at debug with uid, path and verdict, never with a body', async () => {
  const verbose = await startServer({ logLevel: 'debug' });
  const peer = await Peer.tls(verbose.port);
  await peer.send(request(review('logged', { padding: 'topsecret', deny: true }))).answer();
  const line = JSON.parse(verbose.log.find((text) => text.includes('review answered')) ?? '{}');
  expect(line).toMatchObject({ uid: 'logged', path: '/mutate-pod', allowed: false, code: 403 });
  expect(verbose.log.join('')).not.toContain('topsecret');
  peer.close();
  await verbose.close();
});
