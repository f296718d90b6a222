// A client that speaks bytes: what it sends is up to the test, what comes back is cut into answers.

import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export type HttpAnswer = { status: number; headers: Record<string, string>; body: string };

/** A review answer that came back. */
export type ReviewAnswer = { uid: string; allowed: boolean; status?: { code: number; message?: string } };

export class Peer {
  readonly socket: Socket;
  /** Resolves when the connection is gone, with the bytes that no answer was made of. */
  readonly closed: Promise<string>;
  #received = '';
  #isClosed = false;
  #hasFailed = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
      this.#wake();
    });
    // A reset is one of the ends that tests look at.
    socket.on('error', () => {
      this.#hasFailed = true;
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve(this.#received);
      });
    });
  }

  /** Connects with TLS, trusting anybody unless told otherwise. Rejects when the handshake fails. */
  static async tls(port: number, options: ConnectionOptions = {}): Promise<Peer> {
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...options,
    });
    const peer = new Peer(socket);
    await once(socket, 'secureConnect');
    return peer;
  }

  /** Connects without TLS. */
  static async plain(port: number): Promise<Peer> {
    const socket = connectTcp({ port, host: '127.0.0.1' });
    const peer = new Peer(socket);
    await once(socket, 'connect');
    return peer;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Did the connection break? One that the server ends in order does not. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  send(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  /** The next answer. Rejects when the connection ends before it is whole. */
  async answer(): Promise<HttpAnswer> {
    for (;;) {
      const answer = this.#cut();
      if (answer !== undefined) return answer;
      if (this.#isClosed) throw new Error(`closed without an answer: ${JSON.stringify(this.#received)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #cut(): HttpAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string])) as Record<
      string,
      string
    >;
    const status = Number(first.split(' ')[1]);
    const length = status === 100 ? 0 : Number(headers['Content-Length']);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.slice(end + 4, end + 4 + length);
    this.#received = this.#received.slice(end + 4 + length);
    return { status, headers, body };
  }
}

/** A header that no API server sends: requests with it are read by Node.js' parser. */
export const OTHER_FORM = { 'X-Other': '1' } as const;

let usual: Record<string, string> = {};

/** All requests of this test file are of that form from now on. */
export function sendInOtherForm(): void {
  usual = OTHER_FORM;
}

/** The bytes of a request; `headers` replace or, being undefined, remove the usual ones. */
export function request(body: string, change: RequestChange = {}): string {
  const { method = 'POST', path = '/mutate-pod?timeout=10s', headers = {} } = change;
  const all: Record<string, string | undefined> = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...usual,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export type RequestChange = { method?: string; path?: string; headers?: Record<string, string | undefined> };

/** The body of a review; see the stand-in for `test`. */
export function review(uid: string, test: object = {}): string {
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid, test } });
}

/** What an answer says of its review. */
export function responseOf(answer: HttpAnswer): ReviewAnswer {
  return (JSON.parse(answer.body) as { response: ReviewAnswer }).response;
}
