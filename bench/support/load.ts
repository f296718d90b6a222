// A client like the API server's: HTTP/1.1 over TLS connections that stay open, one request at a time on each. Bounded.

import { connect, type TLSSocket } from 'node:tls';

export type Load = { port: number; path: string; body: Buffer; connections: number; requests: number };

/** Milliseconds of each request, in no order, and of the whole run. Throws when an answer is not HTTP 200. */
export type Measured = { latencies: Float64Array; elapsedMs: number };

export async function run(load: Load): Promise<Measured> {
  const head = [
    `POST ${load.path}?timeout=10s HTTP/1.1`,
    `Host: 127.0.0.1:${load.port}`,
    'User-Agent: kube-apiserver-admission',
    `Content-Length: ${load.body.length}`,
    'Accept: application/json, */*',
    'Content-Type: application/json',
  ];
  const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), load.body]);
  const state = { left: load.requests, done: 0, latencies: new Float64Array(load.requests) };
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const began = performance.now();
  await Promise.all(sockets.map((socket) => drive(socket, request, state)));
  const elapsedMs = performance.now() - began;
  for (const socket of sockets) socket.destroy();
  return { latencies: state.latencies, elapsedMs };
}

/** The value below which this share of the measurements lies. */
export function percentile(latencies: Float64Array, share: number): number {
  const sorted = latencies.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function open(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    const socket = connect(options, () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

type State = { left: number; done: number; latencies: Float64Array };

function drive(socket: TLSSocket, request: Buffer, state: State): Promise<void> {
  return new Promise((resolve, reject) => {
    let began = 0;
    let received = 0;
    let expected = 0;
    const send = (): void => {
      if (state.left <= 0) {
        resolve();
        return;
      }
      state.left--;
      received = 0;
      expected = 0;
      began = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      if (expected === 0) expected = answerLength(chunk);
      if (expected < 0) return reject(new Error(`unexpected answer: ${chunk.toString('latin1', 0, 200)}`));
      received += chunk.length;
      if (received < expected) return;
      state.latencies[state.done++] = performance.now() - began;
      send();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed the connection')));
    send();
  });
}

/** Bytes of the whole answer, told by its head; -1 for any status but 200. */
function answerLength(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return head.startsWith('HTTP/1.1 200') && length !== undefined ? end + 4 + Number(length) : -1;
}
