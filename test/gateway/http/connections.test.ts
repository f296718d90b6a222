// What a connection may be in the middle of when its peer leaves, a limit passes or the server ends.

import { afterEach, describe, expect, test } from 'vitest';
import type { Answer, Evaluator } from '../../../gateway/evaluation.ts';
import { LIMITS } from '../../../gateway/limits.ts';
import { Clock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { OTHER_FORM, Peer, request, responseOf, review } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';

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

/** Decides when the test says so. */
class Patient implements Evaluator {
  readonly #waiting: (() => void)[] = [];
  paths = (): readonly string[] => ['/mutate-pod'];
  apply = (): void => undefined;
  remove = (): void => undefined;

  get waiting(): number {
    return this.#waiting.length;
  }

  answer(_path: string, body: Uint8Array): Promise<Answer> {
    const { uid } = (JSON.parse(Buffer.from(body).toString()) as { request: { uid: string } }).request;
    const answer = { response: { uid, allowed: true, status: { code: 200 } } };
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve({ status: 200, body: Buffer.from(JSON.stringify(answer)) }));
    });
  }

  /** Decides the one that waits as the `index`th. */
  decide(index = 0): void {
    this.#waiting.splice(index, 1)[0]?.();
  }
}

async function startPatient(): Promise<{ server: TestServer; evaluator: Patient }> {
  const evaluator = new Patient();
  return { server: await start({ evaluator }), evaluator };
}

async function startOnClock(limits = {}): Promise<{ server: TestServer; clock: Clock }> {
  const clock = new Clock();
  return { server: await start({ monotonic: clock.read, limits: { tickMs: 1, ...limits } }), clock };
}

async function ask(peer: Peer, uid: string, headers = {}): Promise<string> {
  return responseOf(await peer.send(request(review(uid), { headers })).answer()).uid;
}

describe.each([
  ['as API servers do', {}],
  ['in another way', OTHER_FORM],
])('requests that are written %s', (_name, headers) => {
  const wire = (uid: string, test = {}): string => request(review(uid, test), { headers });

  test('a caller that leaves behind a request that is decided later leaves nothing behind', async () => {
    const { server, evaluator } = await startPatient();
    const peer = await connect(server);
    // The head of the second comes with the first, and is read at once where Node.js reads.
    peer.send(wire('first') + wire('second').slice(0, -5));
    await eventually(() => expect(evaluator.waiting).toBe(1));
    evaluator.decide();
    expect(responseOf(await peer.answer()).uid).toBe('first');
    await eventually(() => expect(server.counters.inFlight[0]).toBe(1));
    peer.close();
    await eventually(() => expect(server.counters.inFlight[0]).toBe(0));
    expect(server.counters.connections[0]).toBe(0);
  });

  test('a caller that leaves while its review is decided is not waited for', async () => {
    const { server, evaluator } = await startPatient();
    const peer = await connect(server);
    peer.send(wire('gone'));
    await eventually(() => expect(evaluator.waiting).toBe(1));
    peer.close();
    await eventually(() => expect(server.counters.connections[0]).toBe(0));
    expect(server.counters.inFlight[0]).toBe(1);
    evaluator.decide();
    await eventually(() => expect(server.counters.inFlight[0]).toBe(0));
  });

  test.each([
    ['head', 30],
    ['body', -5],
  ])('a caller that leaves in the middle of a %s is no fault of its request', async (_part, at) => {
    const { server } = await startPatient();
    const peer = await connect(server);
    peer.send(wire('gone').slice(0, at));
    peer.socket.end();
    expect(await peer.closed).toBe('');
    await eventually(() => expect(server.counters.connections[0]).toBe(0));
    expect(server.counters.inFlight[0]).toBe(0);
    expect(server.refused('malformed_request')).toBe(0);
  });

  test('the end waits for each answer that is being decided, in whatever order they are', async () => {
    const { server, evaluator } = await startPatient();
    const peer = await connect(server);
    peer.send(wire('first') + wire('second'));
    const ahead = headers === OTHER_FORM ? 2 : 1;
    await eventually(() => expect(evaluator.waiting).toBe(ahead));
    if (ahead === 2) evaluator.decide(1);
    await eventually(() => expect(server.counters.inFlight[0]).toBe(1));
    const ended = server.server.close(60_000);
    evaluator.decide();
    expect(responseOf(await peer.answer()).uid).toBe('first');
    await Promise.all([ended, peer.closed]);
    expect(server.counters.inFlight[0]).toBe(0);
  });

  test('the end waits for the answer to a request of which the head is half there', async () => {
    const server = await start();
    const peer = await connect(server);
    await ask(peer, 'before', headers);
    peer.send(wire('half').slice(0, 30));
    await ask(await connect(server), 'marker');
    const ended = server.server.close(60_000);
    const answer = await peer.send(wire('half').slice(30)).answer();
    expect(responseOf(answer).uid).toBe('half');
    expect(answer.headers.Connection).toBe('close');
    await ended;
  });

  test('the end closes a connection as soon as the answer that is on its way is taken', async () => {
    const server = await start();
    const peer = await connect(server);
    peer.socket.pause();
    // More than the buffers of both kernels take.
    peer.send(wire('large', { answerBytes: 12 << 20 }));
    await eventually(() => expect(server.evaluator.bodies).toHaveLength(1));
    await eventually(() => expect(server.counters.inFlight[0]).toBe(0));
    const ended = server.server.close(60_000);
    peer.socket.resume();
    const [received] = await Promise.all([peer.closed, ended]);
    expect(received.length).toBeGreaterThan(12 << 20);
  });

  test('a refused body that came to its end is no slow head: the connection may stay idle', async () => {
    const { server, clock } = await startOnClock({ requestsInFlight: 1 });
    const [busy, peer] = [await connect(server), await connect(server)];
    busy.send(wire('busy').slice(0, -5));
    await eventually(() => expect(server.counters.inFlight[0]).toBe(1));
    peer.send(wire('refused', { padding: 'p'.repeat(300_000) }).slice(0, 200_000));
    expect((await peer.answer()).status).toBe(503);
    peer.send(wire('refused', { padding: 'p'.repeat(300_000) }).slice(200_000));
    busy.send(wire('busy').slice(-5));
    await busy.answer();
    await clock.pass(1);
    await clock.pass(60_000);
    await clock.pass(1);
    expect(await ask(peer, 'after', headers)).toBe('after');
    expect(server.refused('headers_too_slow')).toBe(0);
  });

  test('while the server drains, a caller that is refused in the middle of its body sees the answer', async () => {
    const server = await start({ limits: { requestsInFlight: 0 } });
    const peer = await connect(server);
    server.server.drain();
    const all = wire('refused', { padding: 'p'.repeat(3_000_000) });
    peer.send(all.slice(0, 1000));
    const answer = await peer.answer();
    expect(answer).toMatchObject({ status: 503, headers: { Connection: 'close' } });
    expect(peer.isClosed).toBe(false);
    peer.send(all.slice(1000));
    expect(await peer.closed).toBe('');
    expect(peer.hasFailed).toBe(false);
  });
});

test('a head that came in part behind another request has as long as any other', async () => {
  const { server, clock } = await startOnClock();
  const peer = await connect(server);
  peer.send(request(review('first')) + request(review('slow')).slice(0, 30));
  expect(responseOf(await peer.answer()).uid).toBe('first');
  await clock.pass(0);
  clock.move(LIMITS.headersMs);
  expect(await peer.closed).toMatch(/^HTTP\/1.1 408 /);
  expect(server.refused('headers_too_slow')).toBe(1);
});

test('a caller that sends on and on and takes no answer is not served on and on, and cut in the end', async () => {
  const { server, clock } = await startOnClock();
  const [peer, other] = [await connect(server), await connect(server)];
  peer.socket.pause();
  // Together a gigabyte of answers, of which the buffers of both kernels take some megabytes.
  peer.send(request(review('on', { answerBytes: 10_000 })).repeat(100_000));
  let seen = 0;
  await eventually(() => {
    const before = seen;
    seen = server.evaluator.bodies.length;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBe(before);
  });
  expect(seen).toBeLessThan(20_000);
  expect(await ask(other, 'other')).toBe('other');
  await eventually(() => {
    clock.move(LIMITS.answerMs);
    expect(server.refused('answer_not_taken')).toBe(1);
  });
  expect(server.evaluator.bodies.length).toBeLessThan(20_000);
  expect(server.counters.inFlight[0]).toBe(0);
});
