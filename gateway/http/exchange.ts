// One request while its body comes in: collects the bytes, within limits, and hands them on once they are complete.

import type { Route } from '../routes.ts';
import type { Deadline } from './connections.ts';
import type { Reply } from './reply.ts';

/** Who is told how reading a body went; exactly one of `complete`, `failed` and `lost` is called, once. */
export type ExchangeOwner = {
  /** Asks for room for so many more bytes; false when there is none. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  /** The whole body is there; nobody writes over it. */
  complete(exchange: Exchange, body: Buffer): void;
  failed(exchange: Exchange, failure: BodyFailure): void;
  /** The connection went away. */
  lost(exchange: Exchange): void;
};
export type BodyFailure = 'body_too_large' | 'body_too_slow' | 'body_missing' | 'overloaded' | 'trailers';

export class Exchange implements Deadline {
  readonly reply: Reply;
  readonly route: Route;
  /** When the headers were read, and the earliest time at which the request can have reached this machine. */
  readonly started: number;
  readonly arrived: number;
  deadline: number;
  readonly #owner: ExchangeOwner;
  readonly #maxBytes: number;
  readonly #length: number;
  #received = 0;
  #pieces: Buffer[] | undefined;
  #done = false;

  constructor(parts: ExchangeParts, owner: ExchangeOwner, maxBytes: number) {
    this.reply = parts.reply;
    this.route = parts.route;
    this.started = parts.started;
    this.arrived = parts.arrived;
    this.deadline = parts.deadline;
    this.#length = parts.length;
    this.#owner = owner;
    this.#maxBytes = maxBytes;
    this.reply.connection.reading = this;
  }

  take(piece: Buffer): void {
    if (this.#done) return;
    this.#received += piece.length;
    if (this.#received > this.#maxBytes) this.#fail('body_too_large');
    else if (this.#received === this.#length && this.#pieces === undefined) this.#complete(piece);
    else if (!this.#owner.reserve(piece.length)) this.#fail('overloaded');
    else {
      this.#pieces ??= [];
      this.#pieces.push(piece);
      if (this.#received === this.#length) this.#complete(this.#assemble());
    }
  }

  /** The body came in chunks, and this was the last. */
  end(trailers: readonly string[]): void {
    if (this.#done) return;
    if (trailers.length > 0) this.#fail('trailers');
    else if (this.#received === 0) this.#fail('body_missing');
    else this.#complete(this.#assemble());
  }

  expire(): void {
    if (!this.#done) this.#fail('body_too_slow');
  }

  /** The connection was closed by the peer, or broke. */
  abandon(): void {
    if (this.#done) return;
    this.#finish();
    this.#owner.lost(this);
  }

  #assemble(): Buffer {
    return Buffer.concat(this.#pieces ?? []);
  }

  #complete(body: Buffer): void {
    this.#finish();
    this.#owner.complete(this, body);
  }

  #fail(failure: BodyFailure): void {
    this.#finish();
    this.#owner.failed(this, failure);
  }

  #finish(): void {
    this.#done = true;
    const { connection } = this.reply;
    if (connection.reading === this) connection.reading = undefined;
    if (this.#pieces !== undefined) {
      let held = 0;
      for (const piece of this.#pieces) held += piece.length;
      this.#owner.release(held);
      this.#pieces = undefined;
    }
  }
}

export type ExchangeParts = {
  reply: Reply;
  route: Route;
  started: number;
  arrived: number;
  deadline: number;
  /** The declared length of the body; -1 when it comes in chunks without one. */
  length: number;
};
