// The plain-HTTP ports of a program: health questions and metrics, for probes and scrapers. No admission here.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

/** What a port answers; a part that is left out is 404 there. */
export type StatusParts = { health?: Health; metrics?: Metrics };

/** A listening port. `close` ends it and its connections. */
export type StatusPort = { port: number; close(): Promise<void> };

const MAX_CONNECTIONS = 100;
const LIMIT_MS = 10_000;

/** Listens on `port` (0 takes a free one). Rejects when the address cannot be had. */
export async function openStatusPort(host: string, port: number, parts: StatusParts): Promise<StatusPort> {
  const server = createServer({ headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS, maxHeaderSize: 8192 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    respond(request, response, parts).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

async function respond(request: IncomingMessage, response: ServerResponse, parts: StatusParts): Promise<void> {
  const url = request.url ?? '';
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET is served here\n');
  const health = parts.health?.answer(url);
  if (health !== undefined) return send(response, health.status, health.body);
  if (parts.metrics !== undefined && (url === '/metrics' || url.startsWith('/metrics?'))) {
    return send(response, 200, await parts.metrics.expose(), parts.metrics.contentType);
  }
  send(response, 404, 'not found\n');
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  const headers = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(status, { ...headers, 'Cache-Control': 'no-store' });
  response.end(body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
