// The requests of one connection, as long as they are written as API servers write them: read from it and answered on it
// without Node.js' parser and streams of requests, which cost more than a decision (docs/decisions/0013). With the first
// request that is written in another way the connection is handed over to them for good.

import type { Route } from '../routes.ts';
import type { Answer, AnswerWriter } from './answer-form.ts';
import type { Connection } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { plainHead } from './plain-head.ts';
import type { Reply } from './reply.ts';

/** Who takes the requests. */
export type PlainOwner = {
  readonly writer: AnswerWriter;
  /** Undefined when the URL leads to nothing that takes reviews. */
  routeOf(url: string): Route | undefined;
  /** A request with a body of so many bytes; undefined when it was answered at once. */
  begin(reply: Reply, route: Route, bodyLength: number): Exchange | undefined;
  /** The connection and all that it brings from now on. */
  handOver(connection: Connection): void;
};

export class PlainRequests implements Reply {
  readonly connection: Connection;
  readonly #owner: PlainOwner;
  /** The request that has no answer yet. */
  #exchange: Exchange | undefined;
  /** The start of a head. */
  #cut: Buffer | undefined;
  /** Bytes of a body that have not come yet. */
  #left = 0;
  /** Was the last answer sent? */
  #isClosing = false;

  constructor(connection: Connection, owner: PlainOwner) {
    this.connection = connection;
    this.#owner = owner;
    connection.socket.on('data', this.#take);
    // Nothing is read any more from one that breaks; that it is closed is seen elsewhere.
    connection.socket.on('error', () => connection.socket.destroy());
  }

  readonly #take = (bytes: Buffer): void => {
    const body = this.#left > 0 ? bytes : this.#begin(bytes);
    if (body === undefined || body.length === 0) return;
    const wanted = body.length > this.#left ? body.subarray(0, this.#left) : body;
    this.#left -= wanted.length;
    if (wanted !== body && !this.#isClosing) this.#putBack(body.subarray(wanted.length));
    this.#exchange?.take(wanted);
    if (this.#left > 0 || this.#exchange !== undefined) return;
    if (this.#isClosing) this.connection.socket.destroySoon();
    else this.connection.requestEnded();
  };

  /** What of the body came with the start of a request; undefined when it is not read here or not yet. */
  #begin(bytes: Buffer): Buffer | undefined {
    const { writable, writableNeedDrain } = this.connection.socket;
    if (this.#isClosing || !writable) return undefined;
    if (this.#exchange !== undefined || writableNeedDrain) {
      this.#putBack(bytes);
      return undefined;
    }
    const all = this.#cut === undefined ? bytes : Buffer.concat([this.#cut, bytes]);
    const head = plainHead(all);
    this.#cut = head === 'cut' ? all : undefined;
    if (head === 'cut') return undefined;
    const route = head === undefined ? undefined : this.#owner.routeOf(head.url);
    if (head === undefined || route === undefined) {
      this.#handOver(all);
      return undefined;
    }
    this.#left = head.bodyLength;
    this.#exchange = this.#owner.begin(this, route, head.bodyLength);
    return all.subarray(head.size);
  }

  /** Bytes behind a request come again once its answer is on its way: who takes no answers is not served more. */
  #putBack(bytes: Buffer): void {
    const { socket } = this.connection;
    socket.pause();
    socket.unshift(bytes);
    this.#release();
  }

  readonly #release = (): void => {
    const { socket } = this.connection;
    if (this.#exchange !== undefined) return;
    if (socket.writableNeedDrain) socket.once('drain', this.#release);
    else socket.resume();
  };

  #handOver(bytes: Buffer): void {
    const { socket } = this.connection;
    socket.off('data', this.#take);
    socket.pause();
    socket.unshift(bytes);
    this.#owner.handOver(this.connection);
    socket.resume();
  }

  send(answer: Answer, closes: boolean): void {
    this.#exchange = undefined;
    const { socket } = this.connection;
    if (!socket.writable) return;
    socket.write(this.#owner.writer.write(answer, closes), 'latin1');
    if (closes) {
      this.#isClosing = true;
      socket.destroySoon();
    } else if (socket.isPaused()) this.#release();
  }

  sendAndClose(answer: Answer, deadline: number): void {
    this.#exchange = undefined;
    const { socket } = this.connection;
    if (!socket.writable) return;
    this.#isClosing = true;
    socket.write(this.#owner.writer.write(answer, true), 'latin1');
    if (this.#left === 0) socket.destroySoon();
    else this.connection.reading = { deadline, expire: () => socket.destroy() };
  }
}
