// Requests of every form, read by Node.js: for connections that were handed over (plain-requests.ts).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from '../metrics/rows.ts';
import type { Answer } from './answer-form.ts';
import type { Connection } from './connections.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';
import { endWhole } from './whole-answer.ts';

/** Who takes the requests. */
export type ParsedOwner = {
  /** Undefined when it was answered at once. */
  requested(request: IncomingMessage, reply: Reply): Exchange | undefined;
  /** Something came that is no request; it was answered. */
  malformed(reason: Refusal): void;
};

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const HEADERS_TOO_LARGE =
  'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** The peer ended its side in the middle of a request. */
const LEFT = 'HPE_INVALID_EOF_STATE';

const CONNECTION = Symbol('connection');
/** A socket that was handed over. */
type Carrier = { [CONNECTION]?: Connection };

export class ParsedRequests {
  readonly #server: Server;
  readonly #owner: ParsedOwner;

  constructor(owner: ParsedOwner, maxHeaderSize: number) {
    this.#owner = owner;
    const server = createServer({ maxHeaderSize });
    // Limits in time are kept by `Connections`; see there why not by these.
    server.headersTimeout = 0;
    server.requestTimeout = 0;
    server.keepAliveTimeout = 0;
    server.maxHeadersCount = 0;
    server.on('request', this.#requested);
    server.on('checkContinue', (request, response) => {
      this.#requested(request, response);
      if (!response.headersSent) response.writeContinue();
    });
    server.on('connect', (_request, socket) => this.#malformed(undefined, socket as Socket));
    server.on('clientError', (error, socket) => this.#malformed(error, socket as Socket));
    this.#server = server;
  }

  /** Reads from the connection from now on. */
  adopt(connection: Connection): void {
    (connection.socket as Carrier)[CONNECTION] = connection;
    this.#server.emit('connection', connection.socket);
  }

  readonly #requested = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = (request.socket as Carrier)[CONNECTION] as Connection;
    const exchange = this.#owner.requested(request, new ParsedReply(connection, request, response));
    if (exchange === undefined) return;
    request.on('data', (piece: Buffer) => exchange.take(piece));
    request.on('end', () => exchange.end(request.rawTrailers));
  };

  #malformed(error: NodeJS.ErrnoException | undefined, socket: Socket): void {
    const code = error?.code ?? '';
    const isOfParser = error === undefined || code.startsWith('HPE_');
    if (!isOfParser || code === LEFT || !socket.writable) {
      socket.destroy();
      return;
    }
    const isTooLarge = code === 'HPE_HEADER_OVERFLOW';
    this.#owner.malformed(isTooLarge ? 'headers_too_large' : 'malformed_request');
    socket.end(isTooLarge ? HEADERS_TOO_LARGE : BAD_REQUEST);
    socket.destroySoon();
  }
}

class ParsedReply implements Reply {
  readonly connection: Connection;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(connection: Connection, request: IncomingMessage, response: ServerResponse) {
    this.connection = connection;
    this.#request = request;
    this.#response = response;
  }

  send(answer: Answer, closes: boolean): void {
    this.#begin(answer, closes);
    if (!this.#request.complete) this.#request.once('end', () => this.connection.requestEnded());
    endWhole(this.#response, answer.content, this.connection.socket);
  }

  sendAndClose(answer: Answer, deadline: number): void {
    this.#begin(answer, true);
    const [request, response] = [this.#request, this.#response];
    if (request.complete) {
      response.end(answer.content, 'latin1');
      return;
    }
    response.write(answer.content, 'latin1');
    this.connection.reading = { deadline, expire: () => request.socket.destroy() };
    request.on('end', () => response.end());
    request.resume();
  }

  #begin({ status, headers }: Answer, closes: boolean): void {
    if (closes) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, [...headers]);
  }
}
