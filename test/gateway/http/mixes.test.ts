// Requests of all forms behind each other on one connection, cut anywhere, and callers that leave at any time.

import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Answer, Evaluator } from '../../../gateway/evaluation.ts';
import { eventually } from '../support/eventually.ts';
import { OTHER_FORM, Peer, request, responseOf, review } from '../support/peer.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { StandIn } from '../support/stand-in.ts';

const BUFFERED_BYTES = 1_000_000;
let server: TestServer;

beforeEach(async () => {
  server = await startServer({ evaluator: standInThatMayTakeATurn(), limits: { bufferedBytes: BUFFERED_BYTES } });
});

afterEach(() => server.close());

/** Decides reviews with the word `later` in a later turn of the event loop. */
function standInThatMayTakeATurn(): Evaluator {
  const standIn = new StandIn();
  return {
    paths: () => standIn.paths(),
    apply: (object) => standIn.apply(object),
    remove: (reference) => standIn.remove(reference),
    answer: (path, body) => {
      const answer = standIn.answer(path, body);
      if (!Buffer.from(body).includes('"later":true')) return answer;
      return new Promise<Answer>((resolve) => {
        setImmediate(resolve, answer);
      });
    },
  };
}

type Subject = { form: 'plain' | 'other' | 'chunks'; later: boolean; answerBytes: number; padding: number };

const subjects: fc.Arbitrary<Subject[]> = fc.array(
  fc.record({
    form: fc.constantFrom('plain', 'plain', 'plain', 'other', 'chunks'),
    later: fc.boolean(),
    answerBytes: fc.constantFrom(0, 0, 0, 10, 100_000),
    padding: fc.constantFrom(0, 0, 100, 3000, 70_000),
  }),
  { minLength: 1, maxLength: 7 },
);

function wireOf({ form, later, answerBytes, padding }: Subject, index: number): string {
  const body = review(String(index), { later, answerBytes, padding: 'p'.repeat(padding) });
  if (form === 'plain') return request(body);
  if (form === 'other') return request(body, { headers: OTHER_FORM });
  const headers = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  return `${request('', { headers })}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** Each piece is a TLS record of its own, or several. */
async function sendInPieces(peer: Peer, wire: Buffer, sizes: readonly number[]): Promise<void> {
  let at = 0;
  for (const size of sizes) {
    peer.send(wire.subarray(at, at + size));
    at += size;
    await new Promise((resolve) => setImmediate(resolve));
  }
  peer.send(wire.subarray(at));
}

const pieces = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 50_000 })), {
  maxLength: 8,
});

test('whatever is sent behind each other is answered once each, in order', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(subjects, pieces, async (all, sizes) => {
      const peer = await Peer.tls(server.port);
      await sendInPieces(peer, Buffer.from(all.map(wireOf).join('')), sizes);
      for (const index of all.keys()) expect(responseOf(await peer.answer()).uid).toBe(String(index));
      peer.send(request(review('last'), { headers: { Connection: 'close' } }));
      expect(responseOf(await peer.answer()).uid).toBe('last');
      expect(await peer.closed).toBe('');
    }),
    { numRuns: 150 },
  );
});

type Leaving = 'reset' | 'end' | 'break';

async function callAndLeave(all: Subject[], part: number, leaving: Leaving): Promise<void> {
  const tcp = connectTcp({ port: server.port, host: '127.0.0.1' });
  const peer = await Peer.tls(server.port, { socket: tcp });
  peer.socket.pause();
  const wire = Buffer.from(all.map(wireOf).join(''));
  await sendInPieces(peer, wire.subarray(0, Math.ceil(wire.length * part)), []);
  await new Promise((resolve) => setImmediate(resolve));
  if (leaving === 'reset') tcp.resetAndDestroy();
  else if (leaving === 'break') tcp.destroy();
  else peer.socket.resume().end();
  await peer.closed;
}

test('however callers leave, nothing of them is left', { timeout: 60_000 }, async () => {
  const callers = fc.array(
    fc.tuple(subjects, fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom<Leaving>('reset', 'end', 'break')),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(callers, async (all) => {
      await Promise.all(all.map((caller) => callAndLeave(...caller)));
      await eventually(() => expect(server.counters.connections[0]).toBe(0));
      await eventually(() => expect(server.counters.inFlight[0]).toBe(0));
      // A body that needs all the room there is for bodies.
      const peer = await Peer.tls(server.port);
      peer.send(request(review('whole', { padding: 'p'.repeat(BUFFERED_BYTES - 200) })));
      expect(responseOf(await peer.answer()).uid).toBe('whole');
      peer.close();
      await eventually(() => expect(server.counters.connections[0]).toBe(0));
    }),
    { numRuns: 60 },
  );
});
