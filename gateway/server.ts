// The HTTPS server of the gateway: takes admission requests apart, refuses what cannot be one, and gives the rest to
// an evaluator. HTTP/1.1 only, as the API server speaks it.

import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { CONVERT_PATH } from '../api/webhooks.ts';
import type { Health } from '../component/health.ts';
import type { Logger } from '../component/logger.ts';
import type { Denial } from '../evaluator/denial.ts';
import { Backlog } from './backlog.ts';
import { errorCode, errorName, frames } from './error-words.ts';
import type { Answer as Evaluated, Evaluator } from './evaluation.ts';
import { Gathering } from './gathering.ts';
import { type Answer, AnswerWriter, type Content, contentOf, plainAnswer, reviewAnswer } from './http/answer-form.ts';
import { type Connection, Connections } from './http/connections.ts';
import { type BodyFailure, Exchange, type ExchangeOwner } from './http/exchange.ts';
import { type ParsedOwner, ParsedRequests } from './http/parsed-requests.ts';
import { type PlainOwner, PlainRequests } from './http/plain-requests.ts';
import type { Reply } from './http/reply.ts';
import * as form from './http/request-form.ts';
import type { Limits } from './limits.ts';
import type { Counters } from './metrics/counters.ts';
import type { Refusal } from './metrics/rows.ts';
import { refusalBody, uidOf, verdictOf } from './refusal.ts';
import { type Route, Routes } from './routes.ts';
import { callerName, handshakeFault, isAllowedCaller } from './tls/caller.ts';
import { tlsOptions } from './tls/options.ts';

/** What a server is made of. */
export type ServerParts = {
  evaluator: Evaluator;
  /** False as long as the evaluator lacks objects: nothing is evaluated then but conversions, which need none. */
  isReady: () => boolean;
  health: Health;
  counters: Counters;
  logger: Logger;
  limits: Limits;
  /** Key and certificate to start with, and the client CA if callers need a certificate. */
  secrets: SecureContextOptions;
  /** Common names of the callers to let in; empty: all that the client CA vouches for. */
  callers: readonly string[];
  /** Told of every decision against a request. */
  denied: (denial: Denial) => void;
  /** Milliseconds on a clock that never steps, for limits and latencies. */
  monotonic: () => number;
  /** Milliseconds since 1970, for decisions. */
  now: () => number;
};

export class AdmissionServer implements ExchangeOwner, ParsedOwner, PlainOwner {
  readonly writer: AnswerWriter;
  readonly #parts: ServerParts;
  readonly #server: Server;
  readonly #parsed: ParsedRequests;
  readonly #connections: Connections;
  readonly #routes: Routes;
  readonly #backlog: Backlog;
  readonly #tooLarge: form.RequestFault;
  readonly #logsDecisions: boolean;
  readonly #gathering: Gathering<Complete>;
  #draining = false;
  #inFlight = 0;
  #buffered = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { limits, monotonic } = parts;
    this.writer = new AnswerWriter(parts.now);
    this.#connections = new Connections(limits, monotonic, (reason) => this.#refused(reason));
    this.#routes = new Routes(parts.evaluator.paths(), limits.timeoutMs);
    this.#backlog = new Backlog(monotonic);
    this.#gathering = new Gathering(() => this.#connections.size, this.#decide);
    this.#tooLarge = form.bodyTooLarge(limits.bodyBytes);
    this.#logsDecisions = parts.logger.isLevelEnabled('debug');
    this.#parsed = new ParsedRequests(this, limits.headerBytes);
    this.#server = createServer({ ...tlsOptions(parts.secrets, limits), noDelay: true });
    this.#server.maxConnections = limits.connections;
    this.#server.on('connection', (socket: Socket) => this.#connections.accept(socket));
    this.#server.on('secureConnection', (socket) => this.#secured(socket));
    this.#server.on('tlsClientError', (error, socket) => this.#handshakeFailed(error, socket));
    this.#server.on('drop', () => this.#refused('connection_limit'));
  }

  /** Starts to listen and resolves with the port. Rejects when the address cannot be had. */
  listen(host: string, port: number, sharesPort: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, reusePort: sharesPort }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#parts.logger.error({ code: errorCode(error) }, 'listener failed'));
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Uses other secrets for all handshakes from now on; connections that are open stay as they are. */
  renew(secrets: SecureContextOptions): void {
    this.#server.setSecureContext(tlsOptions(secrets, this.#parts.limits));
  }

  /** Asks callers to leave: every answer from now on ends its connection. New connections are still taken. */
  drain(): void {
    this.#draining = true;
  }

  /** Takes no connection any more, ends the idle ones, and resolves when the last is gone, after `limitMs` by force. */
  close(limitMs: number): Promise<void> {
    this.#draining = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const force = setTimeout(() => this.#connections.destroyAll(), limitMs);
    this.#server.close(() => {
      clearTimeout(force);
      resolve();
    });
    this.#gathering.finish();
    this.#connections.close();
    return promise;
  }

  #secured(socket: TLSSocket): void {
    const { callers, secrets, counters, logger } = this.#parts;
    if (secrets.ca !== undefined && !isAllowedCaller(socket, callers)) {
      this.#refused('client_name');
      logger.warn({ peer: callerName(socket) }, 'peer is not allowed');
      socket.destroy();
      return;
    }
    new PlainRequests(this.#connections.open(socket), this);
    counters.connections[0] = this.#connections.size;
    socket.once('close', () => {
      counters.connections[0] = this.#connections.size;
    });
  }

  routeOf(url: string): Route | undefined {
    return this.#routes.find(url);
  }

  handOver(connection: Connection): void {
    this.#parts.counters.wasHandedOver();
    this.#parsed.adopt(connection);
  }

  requested(request: IncomingMessage, reply: Reply): Exchange | undefined {
    const route = this.#routes.find(request.url ?? '');
    if (route !== undefined && request.method === 'POST') {
      return this.begin(reply, route, form.bodyLength(request), form.headerFault(request));
    }
    this.#noReview(reply, request, route);
    return undefined;
  }

  malformed(reason: Refusal): void {
    this.#refused(reason);
  }

  begin(reply: Reply, route: Route, length: number, headerFault?: form.RequestFault): Exchange | undefined {
    const { limits, monotonic, counters } = this.#parts;
    const started = monotonic();
    const fault = headerFault ?? this.#bodyFault(length, route);
    if (fault !== undefined) {
      this.#turnAway({ reply, route, started }, fault);
      return undefined;
    }
    const arrived = this.#backlog.earliestArrival(started);
    const patience = Math.min(limits.bodyMs, limits.timeoutShare * route.timeoutMs - limits.tickMs);
    this.#inFlight++;
    reply.connection.unanswered++;
    counters.inFlightChanged(route.index, 1);
    const parts = { reply, route, started, arrived, deadline: started + patience, length };
    return new Exchange(parts, this, limits.bodyBytes);
  }

  #bodyFault(length: number, { path }: Route): form.RequestFault | undefined {
    if (length === 0) return form.BODY_MISSING;
    if (length > this.#parts.limits.bodyBytes) return this.#tooLarge;
    // Objects of old versions can be read only once they are converted here.
    if (!this.#parts.isReady() && path !== CONVERT_PATH) return form.NOT_READY;
    return this.#inFlight >= this.#parts.limits.requestsInFlight ? form.OVERLOADED : undefined;
  }

  reserve(bytes: number): boolean {
    if (this.#buffered + bytes > this.#parts.limits.bufferedBytes) return false;
    this.#buffered += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#buffered -= bytes;
  }

  complete(exchange: Exchange, body: Buffer): void {
    this.#gathering.add({ exchange, body });
  }

  /** Sends no answer before the last decision. */
  readonly #decide = (batch: readonly Complete[]): void => {
    const answers = batch.map(({ exchange, body }) => this.#answer(exchange, body));
    for (const answer of answers) if (answer !== undefined) this.#reply(answer);
  };

  /** The answer, as a copy: the evaluator writes over its own. Undefined when it is too late for one, or it comes later. */
  #answer(exchange: Exchange, body: Buffer): Decided | undefined {
    const { limits, monotonic } = this.#parts;
    const leftMs = limits.timeoutShare * exchange.route.timeoutMs - (monotonic() - exchange.arrived);
    if (leftMs <= 0) {
      this.#left(exchange);
      this.#turnAway(exchange, form.LATE, body);
      return undefined;
    }
    const answer = this.#evaluate(exchange.route, body, leftMs);
    if (answer instanceof Promise) {
      void this.#answerLater(exchange, body, answer);
      return undefined;
    }
    this.#left(exchange);
    return this.#decided(exchange, answer);
  }

  async #answerLater(exchange: Exchange, body: Buffer, answer: Promise<Evaluated>): Promise<void> {
    this.#buffered += body.length;
    const decided = await answer.catch((error: unknown) => this.#failed(exchange.route, body, error));
    this.#buffered -= body.length;
    this.#left(exchange);
    this.#reply(this.#decided(exchange, decided));
  }

  #decided(exchange: Exchange, answer: Evaluated): Decided {
    const content = contentOf(answer.body);
    const { allowed, code } = verdictOf(exchange.route.path, content);
    if (answer.denial !== undefined) this.#tell(exchange.route.path, answer.denial);
    return { exchange, status: answer.status, content, allowed, code };
  }

  /** What goes wrong in telling of a decision must not keep it, nor those of others, from being answered. */
  #tell(path: string, denial: Denial): void {
    try {
      this.#parts.denied(denial);
    } catch (error) {
      this.#noteFailure(path, error);
    }
  }

  /** The message of an error may quote the request, so the log gets only where it happened. */
  #noteFailure(path: string, error: unknown): void {
    this.#parts.counters.panicked();
    this.#parts.logger.error({ path, error: errorName(error), at: frames(error) }, 'evaluator failed');
  }

  #reply(answer: Decided): void {
    const { exchange, status, content, allowed, code } = answer;
    this.#send(exchange, status, content);
    this.#parts.counters.reviewed(exchange.route.index, allowed, code);
    if (code === 500) this.#parts.counters.traps[0] = this.#parts.evaluator.figures?.traps ?? 0;
    if (this.#logsDecisions) this.#log(answer);
  }

  failed(exchange: Exchange, failure: BodyFailure): void {
    this.#left(exchange);
    this.#turnAway(exchange, failure === 'body_too_large' ? this.#tooLarge : BODY_FAULTS[failure]);
  }

  lost(exchange: Exchange): void {
    this.#left(exchange);
  }

  #left(exchange: Exchange): void {
    this.#inFlight--;
    exchange.reply.connection.unanswered--;
    this.#parts.counters.inFlightChanged(exchange.route.index, -1);
  }

  #evaluate(route: Route, body: Buffer, leftMs: number): Evaluated | Promise<Evaluated> {
    const { evaluator, now } = this.#parts;
    try {
      return evaluator.answer(route.path, body, now(), leftMs);
    } catch (error) {
      return this.#failed(route, body, error);
    }
  }

  #failed(route: Route, body: Buffer, error: unknown): Evaluated {
    this.#noteFailure(route.path, error);
    return { status: 200, body: refusalBody(route.path, 500, `panic: ${errorName(error)}`, body) };
  }

  #send({ reply, route, started }: Asked, status: number, content: Content): void {
    reply.send(reviewAnswer(status, content), this.#draining);
    const now = this.#parts.monotonic();
    reply.connection.answered(now);
    this.#parts.counters.answered(route.index, status, (now - started) / 1000);
  }

  /** Answers a request of a served path without evaluating it. */
  #turnAway(asked: Asked, fault: form.RequestFault, seen?: Uint8Array): void {
    this.#refused(fault.reason);
    const content = contentOf(refusalBody(asked.route.path, fault.code, fault.message, seen));
    // Under load the connection is kept: the handshake for another attempt would cost more than the request. One that ends
    // all the same ends in the way that lets a caller see why who still sends.
    if ((fault === form.LATE || fault === form.OVERLOADED) && !this.#draining) {
      this.#send(asked, fault.status, content);
    } else {
      this.#close(asked.reply, reviewAnswer(fault.status, content));
      this.#parts.counters.answered(asked.route.index, fault.status, (this.#parts.monotonic() - asked.started) / 1000);
    }
  }

  /** Answers what is not a review: health questions, other methods, unknown paths. */
  #noReview(reply: Reply, { method = '', url = '' }: IncomingMessage, route: Route | undefined): void {
    const health = method === 'GET' ? this.#parts.health.answer(url) : undefined;
    if (health !== undefined) {
      this.#close(reply, plainAnswer(health.status, health.body));
    } else if (route === undefined) {
      this.#refused('path');
      this.#close(reply, plainAnswer(404, 'not found\n'));
    } else {
      this.#refused('method');
      this.#close(reply, plainAnswer(405, 'only POST is served here\n', 'Allow', 'POST'));
    }
  }

  #close(reply: Reply, answer: Answer): void {
    const now = this.#parts.monotonic();
    reply.connection.answered(now);
    reply.sendAndClose(answer, now + this.#parts.limits.lingerMs);
  }

  #handshakeFailed(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    const reason = handshakeFault(error);
    if (reason !== undefined) {
      this.#refused(reason);
      this.#parts.logger.debug({ reason, code: error.code }, 'handshake failed');
    }
    socket.destroy();
  }

  #refused(reason: Refusal): void {
    this.#parts.counters.refused(reason);
  }

  #log({ exchange, content, allowed, code, status }: Decided): void {
    const ms = this.#parts.monotonic() - exchange.started;
    const uid = uidOf(content);
    this.#parts.logger.debug({ uid, path: exchange.route.path, allowed, code, status, ms }, 'review answered');
  }
}

/** A review whose body is there. */
type Complete = { exchange: Exchange; body: Buffer };
type Decided = {
  exchange: Exchange;
  status: number;
  content: Content;
  allowed: boolean;
  code: number;
};
/** A request of a served path. */
type Asked = { reply: Reply; route: Route; started: number };

const BODY_FAULTS = {
  body_too_slow: form.BODY_TOO_SLOW,
  body_missing: form.BODY_MISSING,
  overloaded: form.OVERLOADED,
  trailers: form.TRAILERS,
} as const;
