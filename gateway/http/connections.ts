// The connections of one listener: which are doing what, since when, and which of them have to go. Node.js' own header
// and request timers are off: they also run on connections that are merely kept open between two requests.

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Limits } from '../limits.ts';
import type { Refusal } from '../metrics/rows.ts';

/** Something on a connection that must be over by a time; it is abandoned when the connection goes first. */
export type Deadline = { deadline: number; expire(): void; abandon?(): void };

/** One connection after its TLS handshake. */
export class Connection {
  readonly socket: TLSSocket;
  /** What comes in and must be over by a time, if anything: a body that is read, or one that is dropped. */
  reading: Deadline | undefined;
  /** Requests that were begun and have no answer yet; Node.js begins the next before the answer to the one before. */
  unanswered = 0;
  /** When the connection was opened or its last answer was handed over. */
  since: number;
  /** Bytes of requests that were begun; when more were read, they are the start of another. */
  bytesSeen = 0;
  /** When such bytes were first noticed; 0 while there are none. */
  headersSince = 0;

  constructor(socket: TLSSocket, now: number) {
    this.socket = socket;
    this.since = now;
  }

  /** Says that an answer was handed over just now. */
  answered(now: number): void {
    this.since = now;
    this.requestEnded();
  }

  /** Says that what was taken from the socket so far is no part of a request to come. */
  requestEnded(): void {
    this.bytesSeen = this.socket.bytesRead - this.socket.readableLength;
    this.headersSince = 0;
  }

  /** Is any request begun and not answered, or its body not yet dropped? */
  get isBusy(): boolean {
    return this.unanswered > 0 || this.reading !== undefined;
  }

  /** Is any of a request there that is not begun? */
  get hasStart(): boolean {
    return this.socket.bytesRead !== this.bytesSeen;
  }

  /** Is it open, with nothing under way in either direction? */
  get isIdle(): boolean {
    const { writable, writableLength } = this.socket;
    return writable && writableLength === 0 && !this.isBusy && !this.hasStart;
  }
}

/** Of this many looks at the requests one covers every connection. */
const LOOKS_PER_SWEEP = 5;
const HEADERS_TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export class Connections {
  readonly #open = new Set<Connection>();
  /** Sockets before the end of their handshake, oldest first, by the peer's address. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #refused: (reason: Refusal) => void;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #isClosing = false;

  constructor(limits: Limits, now: () => number, refused: (reason: Refusal) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#refused = refused;
  }

  /** The connections open after their handshake. */
  get size(): number {
    return this.#open.size;
  }

  /** A TCP connection came in. Makes room for it when too many handshakes are unfinished. */
  accept(socket: Socket): void {
    const peer = peerOf(socket);
    if (this.#handshakes.size >= this.#limits.handshakes) {
      const [oldest] = this.#handshakes.values();
      this.#refused('handshake_limit');
      oldest?.destroy();
    }
    this.#handshakes.set(peer, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer);
    });
  }

  /** The TLS handshake of a connection is done. */
  open(socket: TLSSocket): Connection {
    this.#handshakes.delete(peerOf(socket));
    const connection = new Connection(socket, this.#now());
    this.#open.add(connection);
    socket.once('close', () => {
      this.#open.delete(connection);
      connection.reading?.abandon?.();
    });
    this.#timer ??= setInterval(() => this.#look(), this.#limits.tickMs);
    return connection;
  }

  /** Ends every connection that no request uses, and the others as soon as none does. */
  close(): void {
    this.#isClosing = true;
    for (const socket of this.#handshakes.values()) socket.destroy();
    this.#closeIdle();
  }

  /** Breaks every connection. */
  destroyAll(): void {
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const connection of this.#open) connection.socket.destroy();
  }

  #look(): void {
    const now = this.#now();
    for (const connection of this.#open) {
      const reading = connection.reading;
      if (reading !== undefined && now >= reading.deadline) reading.expire();
    }
    if (++this.#looks % LOOKS_PER_SWEEP === 0) this.#sweep(now);
    if (this.#isClosing) this.#closeIdle();
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #sweep(now: number): void {
    for (const connection of this.#open) {
      const { socket } = connection;
      if (connection.isBusy) continue;
      if (socket.writableLength > 0) {
        if (now - connection.since >= this.#limits.answerMs) {
          this.#refused('answer_not_taken');
          socket.destroy();
        }
      } else if (connection.hasStart) {
        if (connection.headersSince === 0) connection.headersSince = now;
        else if (now - connection.headersSince >= this.#limits.headersMs) {
          this.#refused('headers_too_slow');
          socket.end(HEADERS_TOO_SLOW);
          connection.answered(now);
          socket.destroySoon();
        }
      } else if (now - connection.since >= this.#limits.idleMs) socket.destroySoon();
    }
  }

  #closeIdle(): void {
    for (const connection of this.#open) if (connection.isIdle) connection.socket.destroySoon();
  }
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
