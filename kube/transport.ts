// HTTP to one API server: connections that are kept, credentials that are renewed, and errors that say whether a request
// can have reached it. What is asked and what an answer means is left to the client.

import { isDeepStrictEqual } from 'node:util';
import type { Dispatcher } from 'undici';
import { ConnectionError } from '../component/errors.ts';
import type { Connection, Credentials, TlsOptions } from './connection.ts';
import { Pool } from './pool.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> & { destroy(): unknown };
};

/** Requests at the same time, streams not counted; more wait. Each takes a connection of its own. */
const MOST_CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
/** Idle connections are given up long before the API server does it (90 s): a request never meets a closing one. */
const IDLE_MS = 30_000;
/** Answers above this are not read further: texts end at twice this length. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Codes of errors from before there was a connection; the second line is of TLS. */
const UNSENT = new RegExp(
  '^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:CONNECT_TIMEOUT|INVALID_ARG|CLOSED)' +
    '|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*)$',
);

export class Transport {
  readonly connection: Connection;
  #pools: Pools | undefined;
  #isClosed = false;
  /** Heads and chunks of answers so far. */
  #heard = 0;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * Sends a request once, or twice if the credentials were refused and newer ones could be read. `stream` is for a body
   * without an end: it has a connection of its own, whatever the number of others. Rejects with the reason of the
   * signal, ConnectionError, or what `credentials` throws. The body must be read or destroyed.
   */
  async send(request: HttpRequest, signal: AbortSignal, kind: 'request' | 'stream' = 'request'): Promise<HttpAnswer> {
    const credentials = await this.connection.credentials(signal);
    const answer = await this.#sendOnce(request, credentials, signal, kind);
    if (answer.status !== 401 || !this.connection.renew(credentials)) return answer;
    answer.body.destroy();
    return await this.#sendOnce(request, await this.connection.credentials(signal), signal, kind);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Breaks all connections; nothing is sent any more. */
  async close(): Promise<void> {
    const pools = this.#pools;
    this.#pools = undefined;
    this.#isClosed = true;
    await Promise.all([pools?.request.destroy(), pools?.stream.destroy()]);
  }

  async #sendOnce(
    request: HttpRequest,
    { headers, tls }: Credentials,
    signal: AbortSignal,
    kind: 'request' | 'stream',
  ): Promise<HttpAnswer> {
    const pools = this.#poolsFor(tls);
    const heardBefore = this.#heard;
    try {
      const answer = await pools[kind].request({
        method: request.method,
        path: this.connection.server.pathname.replace(/\/$/, '') + request.path,
        headers: { ...request.headers, ...headers },
        body: request.body ?? null,
        signal,
      });
      this.#heard++;
      const heard = () => this.#heard++;
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: describing(answer.body, { request, signal, heard }),
      };
    } catch (error) {
      if (isLate(signal) && this.#heard === heardBefore) this.#replace(pools);
      throw connectionError(error, request, signal);
    }
  }

  // In all that time not one request was answered: the network may have lost the connections without a word. Those that are
  // idle are not used again.
  #replace(silent: Pools): void {
    if (this.#pools !== silent || this.#isClosed) return;
    this.#pools = { ...silent, request: this.#requestPool(silent.tls) };
    silent.request.close().catch(() => undefined);
  }

  // Certificates belong to a connection: newer ones need new connections, and what runs on the old ones ends by itself.
  #poolsFor(tls: TlsOptions): Pools {
    if (this.#isClosed) throw new ConnectionError('the client is closed', { sent: false });
    const known = this.#pools;
    if (known !== undefined && (known.tls === tls || isDeepStrictEqual(known.tls, tls))) return known;
    this.#pools = {
      tls,
      request: this.#requestPool(tls),
      stream: new Pool(this.connection.server.origin, poolOptions(tls)),
    };
    // Errors of requests reach those who made them.
    known?.request.close().catch(() => undefined);
    known?.stream.close().catch(() => undefined);
    return this.#pools;
  }

  #requestPool(tls: TlsOptions): Pool {
    const limits = { connections: MOST_CONNECTIONS, maxResponseSize: MOST_BYTES };
    return new Pool(this.connection.server.origin, { ...poolOptions(tls), ...limits });
  }
}

type Pools = { readonly tls: TlsOptions; readonly request: Pool; readonly stream: Pool };

function poolOptions(tls: TlsOptions): Pool.Options {
  return {
    connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: 15_000 },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The caller's deadline and the mirror's idle limit count.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

type Reading = { readonly request: HttpRequest; readonly signal: AbortSignal; readonly heard: () => void };

function describing(body: Dispatcher.ResponseData['body'], { request, signal, heard }: Reading): HttpAnswer['body'] {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for await (const chunk of body) {
          heard();
          yield chunk as Uint8Array;
        }
      } catch (error) {
        throw connectionError(error, request, signal);
      }
    },
    destroy: () => {
      // Destroying it is no error of anyone.
      body.on('error', () => undefined);
      body.destroy();
    },
  };
}

// A deadline was missed, as opposed to a caller who does not want the answer any more.
function isLate({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof ConnectionError;
}

function connectionError(error: unknown, request: HttpRequest, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new ConnectionError(`${nameOf(request)}: ${message}`, { sent: !UNSENT.test(code), cause: error });
}

/** A request in messages: method and path. */
export function nameOf({ method, path }: HttpRequest): string {
  return `${method} ${path.split('?')[0]}`;
}
