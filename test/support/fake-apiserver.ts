// A small API server on loopback that can be made to misbehave: it stores objects, serves pages and watch streams, and
// answers what a test puts in its way. It checks no types and knows no defaults.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isObject, type JsonObject, parseJson } from '../../api/core/json.ts';
import type { Connection } from '../../kube/connection.ts';
import { FakeObjects, Refusal, type Target, targetOf, type WatchEvent } from './fake-objects.ts';

export type FakeRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The how many-th connection it came on. */
  readonly connection: number;
};

/** What is done with a request instead of serving it. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** The connection breaks: before an answer, or after a part of one. */
  | { readonly breaks: true; readonly after?: string }
  /** No answer, ever. */
  | { readonly hangs: true }
  /** Served as usual, but not before this promise resolves. */
  | { readonly until: Promise<unknown> };

export class FakeApiServer {
  readonly objects = new FakeObjects();
  /** Every request, in order. */
  readonly requests: FakeRequest[] = [];
  /** How many bytes of a stream are written at once; all by default. */
  chunkBytes = Number.POSITIVE_INFINITY;
  readonly #server: Server;
  readonly #streams = new Set<Stream>();
  readonly #faults = new Set<(request: FakeRequest) => Fault | undefined>();
  readonly #numbers = new WeakMap<Socket, number>();
  #connections = 0;
  readonly #waiting = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#numbers.set(socket, ++this.#connections));
    server.on('request', (request, response) => {
      // A client that goes away in the middle is what tests do.
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.objects.onChange((collection, event) => {
      for (const stream of this.#streams) if (stream.wants(collection, event)) stream.event(event);
    });
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeApiServer(server);
  }

  get connection(): Connection {
    const { port } = this.#server.address() as AddressInfo;
    return {
      server: new URL(`http://127.0.0.1:${port}`),
      namespace: undefined,
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      renew: () => false,
    };
  }

  /** Asks `fault` about each request until what is returned is called; the first that gives one counts. */
  intercept(fault: (request: FakeRequest) => Fault | undefined): () => void {
    this.#faults.add(fault);
    return () => this.#faults.delete(fault);
  }

  /** The next requests that `matches` accepts get these faults, one each. */
  failNext(faults: readonly Fault[], matches: (request: FakeRequest) => boolean = () => true): void {
    const left = [...faults];
    this.intercept((request) => (matches(request) ? left.shift() : undefined));
  }

  /** Connections that were made so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Watch streams that are open. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Resolves once the condition holds; it is looked at after each request, and when streams open or close. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Writes bytes to all streams as they are. */
  sendRaw(bytes: string | Uint8Array): void {
    for (const stream of this.#streams) stream.write(Buffer.from(bytes as Uint8Array));
  }

  /** Sends an event that nothing stands behind. */
  sendEvent(event: { type: string; object: JsonObject }): void {
    this.sendRaw(`${JSON.stringify(event)}\n`);
  }

  sendBookmark(): void {
    this.sendEvent({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.objects.version) } } });
  }

  /** An ERROR event with the Status that expired watches get. */
  sendGone(): void {
    const message = 'too old resource version';
    this.sendEvent({ type: 'ERROR', object: statusOf(new Refusal(410, 'Expired', message)) });
  }

  /** Ends all streams, in an orderly way or by a broken connection. */
  endStreams(how: 'end' | 'break' = 'end'): void {
    for (const stream of this.#streams) stream.end(how);
  }

  /** From now on streams that are open get nothing any more, and stay open. */
  silenceStreams(): void {
    for (const stream of this.#streams) stream.isSilent = true;
  }

  async close(): Promise<void> {
    this.endStreams('break');
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = { ...(await read(incoming)), connection: this.#numbers.get(incoming.socket) ?? 0 };
    this.requests.push(request);
    const fault = this.#faultFor(request);
    this.#wake();
    if (fault !== undefined && 'until' in fault) await fault.until;
    else if (fault !== undefined) return fail(fault, response);
    const target = targetOf(request.path);
    try {
      if (request.path === '/version') return send(response, 200, { gitVersion: 'v1.36.0' });
      if (target === undefined) throw new Refusal(404, 'NotFound', `the server could not find ${request.path}`);
      if (request.query.get('watch') === 'true') return this.#watch(target, request, response);
      send(response, request.method === 'POST' ? 201 : 200, this.#answer(target, request));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, error.code, statusOf(error));
    }
  }

  #faultFor(request: FakeRequest): Fault | undefined {
    for (const fault of this.#faults) {
      const found = fault(request);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #answer(target: Target, { method, query, body }: FakeRequest): JsonObject {
    if (method === 'GET') {
      if (target.name !== '') return this.objects.get(target);
      return this.objects.list(target, Number(query.get('limit') ?? 0), query.get('continue') ?? '');
    }
    const parsed = body === '' ? {} : parseJson(body);
    const given = isObject(parsed) ? parsed : {};
    if (method === 'POST' && target.subresource === 'eviction')
      return this.objects.delete(target, preconditionsOf(given.deleteOptions));
    if (method === 'POST') return this.objects.create(target, given);
    if (method === 'PUT') return this.objects.update(target, given);
    if (method === 'DELETE') return this.objects.delete(target, preconditionsOf(given));
    return this.objects.update(target, merge(this.objects.get(target), given));
  }

  #watch(target: Target, { query }: FakeRequest, response: ServerResponse): void {
    const missed = this.objects.since(target.collection, Number(query.get('resourceVersion') ?? 0));
    const stream = new Stream(target, response, () => this.chunkBytes);
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    this.#streams.add(stream);
    response.on('close', () => {
      this.#streams.delete(stream);
      this.#wake();
    });
    for (const event of missed) if (stream.wants(target.collection, event)) stream.event(event);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

class Stream {
  isSilent = false;
  readonly #target: Target;
  readonly #response: ServerResponse;
  readonly #chunkBytes: () => number;

  constructor(target: Target, response: ServerResponse, chunkBytes: () => number) {
    this.#target = target;
    this.#response = response;
    this.#chunkBytes = chunkBytes;
  }

  wants(collection: string, { object }: WatchEvent): boolean {
    if (collection !== this.#target.collection) return false;
    const { namespace } = isObject(object.metadata) ? object.metadata : {};
    return this.#target.namespace === '' || namespace === this.#target.namespace;
  }

  event(event: WatchEvent): void {
    this.write(Buffer.from(`${JSON.stringify(event)}\n`));
  }

  write(bytes: Buffer): void {
    if (this.isSilent) return;
    const step = this.#chunkBytes();
    for (let at = 0; at < bytes.length; at += step) this.#response.write(bytes.subarray(at, at + step));
  }

  end(how: 'end' | 'break'): void {
    if (how === 'end') this.#response.end();
    else this.#response.destroy();
  }
}

async function read(incoming: IncomingMessage): Promise<Omit<FakeRequest, 'connection'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  return {
    method: incoming.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function fail(fault: Exclude<Fault, { until: unknown }>, response: ServerResponse): void {
  if ('hangs' in fault) return;
  if ('breaks' in fault) {
    if (fault.after !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000000' });
      response.write(fault.after, () => response.destroy());
    } else response.destroy();
    return;
  }
  response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function statusOf({ code, reason, message }: Refusal): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

function preconditionsOf(options: unknown): JsonObject {
  const { preconditions } = (options ?? {}) as { preconditions?: JsonObject };
  return preconditions ?? {};
}

// RFC 7396.
function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const old = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? merge(isObject(old) ? old : {}, value) : value;
  }
  return merged;
}
