// Sends requests for a client: within its limits and their deadlines, and again where that is safe. One question, one
// answer or error, however many tries it took.

import { ConnectionError } from '../component/errors.ts';
import type { Logger } from '../component/logger.ts';
import { bytesOf, isSuccess, statusErrorOf } from './answers.ts';
import { Deadline } from './deadline.ts';
import { RetryBudget, TokenBucket } from './flow-control.ts';
import { isTransient, retryDelayMs } from './retries.ts';
import { type HttpAnswer, type HttpRequest, nameOf, type Transport } from './transport.ts';

export type ClientOptions = {
  /** Who asks, as the server's audit log has it; its part before the first `/` is the default field manager. */
  readonly userAgent: string;
  /** Requests a second on average and at once; `qps` of 0 is no limit. */
  readonly qps: number;
  readonly burst: number;
  /** For a request with all its tries and waits, unless it says otherwise. */
  readonly timeoutMs: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Milliseconds of a clock that never steps. */
  readonly monotonic: () => number;
  readonly logger: Logger;
  /** Counts tries as `CLIENT_METRICS.requests`: HTTP code or `<error>`, host, method. */
  readonly counted?: ((code: string, host: string, method: string) => void) | undefined;
};

/** Of every request. */
export type RequestOptions = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined };

export class Sender {
  readonly transport: Transport;
  readonly options: ClientOptions;
  readonly #bucket: TokenBucket;
  readonly #retries = new RetryBudget();

  constructor(transport: Transport, options: ClientOptions) {
    this.transport = transport;
    this.options = options;
    this.#bucket = new TokenBucket(options);
  }

  /**
   * The body of the answer. Rejects with StatusError, ConnectionError or the reason of the caller's signal. `once`: a
   * refusal for now (429, 503) is an answer that the caller wants to see.
   */
  async ask(request: HttpRequest, options: RequestOptions, once = false): Promise<Uint8Array> {
    const deadline = this.#deadline(request, options);
    try {
      for (let tries = 1; ; tries++) {
        const outcome = await this.#try(request, deadline);
        if ('bytes' in outcome) return outcome.bytes;
        const delayMs = once ? undefined : this.#retryDelayMs(outcome.error, request, tries);
        if (delayMs === undefined || delayMs >= deadline.remainingMs || !this.#retries.spend()) throw outcome.error;
        const { path } = request;
        this.options.logger.debug({ path, tries, delayMs, error: String(outcome.error) }, 'a request is sent again');
        await deadline.wait(delayMs);
      }
    } finally {
      deadline.dispose();
    }
  }

  /** The chunks of an answer without an end; the time counts until it begins. Throws as `ask` rejects, never twice sent. */
  async *stream(request: HttpRequest, options: RequestOptions): AsyncGenerator<Uint8Array, void, undefined> {
    const deadline = this.#deadline(request, options);
    try {
      await this.#admit(request, deadline);
      const answer = await this.#send(request, deadline, 'stream');
      if (!isSuccess(answer)) throw statusErrorOf(answer, await bytesOf(answer), request);
      deadline.stopTimer();
      try {
        yield* answer.body;
      } finally {
        answer.body.destroy();
      }
    } finally {
      deadline.dispose();
    }
  }

  async #try(request: HttpRequest, deadline: Deadline): Promise<{ bytes: Uint8Array } | { error: unknown }> {
    try {
      await this.#admit(request, deadline);
      const answer = await this.#send(request, deadline, 'request');
      const bytes = await bytesOf(answer);
      if (!isTransient(answer.status)) this.#retries.earn();
      return isSuccess(answer) ? { bytes } : { error: statusErrorOf(answer, bytes, request) };
    } catch (error) {
      return { error };
    }
  }

  #retryDelayMs(error: unknown, { method }: HttpRequest, tries: number): number | undefined {
    if (this.transport.isClosed) return undefined;
    return retryDelayMs({ error, method, tries, random: this.options.random });
  }

  async #admit(request: HttpRequest, deadline: Deadline): Promise<void> {
    deadline.signal.throwIfAborted();
    const waitMs = this.#bucket.take(deadline.remainingMs);
    if (waitMs === undefined) {
      throw new ConnectionError(`${nameOf(request)}: too many requests wait to be sent`, { sent: false });
    }
    if (waitMs > 0) await deadline.wait(waitMs);
  }

  async #send(request: HttpRequest, { signal }: Deadline, kind: 'request' | 'stream'): Promise<HttpAnswer> {
    const signed = { ...request, headers: { ...request.headers, 'user-agent': this.options.userAgent } };
    let code = '<error>';
    try {
      const answer = await this.transport.send(signed, signal, kind);
      code = String(answer.status);
      return answer;
    } finally {
      this.options.counted?.(code, this.transport.connection.server.host, request.method);
    }
  }

  #deadline(request: HttpRequest, { signal, timeoutMs = this.options.timeoutMs }: RequestOptions): Deadline {
    return new Deadline({ what: nameOf(request), timeoutMs, signal, monotonic: this.options.monotonic });
  }
}
