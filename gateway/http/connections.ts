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
  /** The request being read, if any. */
  reading: Deadline | undefined;
  /** When the connection was opened or its last answer was handed over. */
  since: number;
  /** Bytes that had been read by then; more of them are the start of another request. */
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
    this.bytesSeen = this.socket.bytesRead;
    this.headersSince = 0;
  }

  get isIdle(): boolean {
    return this.reading === undefined && this.socket.writableLength === 0;
  }
}

const CONNECTION = Symbol('connection');
type Carrier = { [CONNECTION]?: Connection };
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
    (socket as Carrier)[CONNECTION] = connection;
    this.#open.add(connection);
    socket.once('close', () => {
      this.#open.delete(connection);
      connection.reading?.abandon?.();
    });
    this.#timer ??= setInterval(() => this.#look(), this.#limits.tickMs);
    return connection;
  }

  /** The connection of a socket that was opened here. */
  of(socket: Socket): Connection | undefined {
    return (socket as Carrier)[CONNECTION];
  }

  /** Ends every connection that no request uses, and says how many are left. */
  closeIdle(): number {
    for (const socket of this.#handshakes.values()) socket.destroy();
    let left = 0;
    for (const connection of this.#open) {
      if (connection.isIdle) connection.socket.destroySoon();
      else left++;
    }
    return left;
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
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #sweep(now: number): void {
    for (const connection of this.#open) {
      const { socket } = connection;
      if (connection.reading !== undefined) continue;
      if (socket.writableLength > 0) {
        if (now - connection.since >= this.#limits.answerMs) this.#cut(connection, 'answer_not_taken');
      } else if (socket.bytesRead !== connection.bytesSeen) {
        if (connection.headersSince === 0) connection.headersSince = now;
        else if (now - connection.headersSince >= this.#limits.headersMs) this.#cut(connection, 'headers_too_slow');
      } else if (now - connection.since >= this.#limits.idleMs) socket.destroySoon();
    }
  }

  #cut(connection: Connection, reason: Refusal): void {
    this.#refused(reason);
    if (reason === 'answer_not_taken') connection.socket.destroy();
    else {
      connection.socket.end(HEADERS_TOO_SLOW);
      connection.socket.destroySoon();
    }
  }
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
