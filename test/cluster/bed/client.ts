// Asks an API server as an administrator, in JSON.
import { Agent, request } from 'node:https';
import { isObject, type JsonObject, parseJson } from '../../../api/core/json.ts';
import type { Credentials } from './certificates.ts';

/** An answer: the status of HTTP, and the object or the Status that came. */
export type Answer = { status: number; body: JsonObject };

/** Request bodies by content type. */
const TYPES = {
  POST: 'application/json',
  PUT: 'application/json',
  PATCH: 'application/merge-patch+json',
} as const;

const LIMIT_MS = 30_000;

export class Client {
  /** URL of the API server. */
  readonly server: string;
  readonly #credentials: Credentials;
  readonly #agent: Agent;

  /** Asks so many things at once; the rest waits. */
  constructor(server: string, credentials: Credentials, connections = 8) {
    const { ca, certificate, key } = credentials;
    this.server = server;
    this.#credentials = credentials;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ca, cert: certificate, key });
  }

  /** The same administrator, by connections of its own. */
  withConnections(connections: number): Client {
    return new Client(this.server, this.#credentials, connections);
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path);
  }

  delete(path: string): Promise<Answer> {
    return this.#send('DELETE', path);
  }

  /** A PATCH is a merge patch unless told otherwise. */
  send(method: keyof typeof TYPES, path: string, body: JsonObject, type: string = TYPES[method]): Promise<Answer> {
    return this.#send(method, path, { text: JSON.stringify(body), type });
  }

  /** The object that a request gave. Rejects with the message of the refusal, if it was one. */
  async must(answer: Answer | Promise<Answer>): Promise<JsonObject> {
    const { status, body } = await answer;
    if (status < 300) return body;
    throw new Error(`HTTP ${status}: ${typeof body.message === 'string' ? body.message : JSON.stringify(body)}`);
  }

  /** Resolves as soon as anything comes, or the answer ends: what a watch of this path has to say is not read. */
  change(path: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.server}${path}`, { agent: this.#agent, signal }, (response) => {
        response
          .on('data', () => resolve())
          .on('end', resolve)
          .on('error', reject);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: { text: string; type: string }): Promise<Answer> {
    const headers = {
      Accept: 'application/json',
      ...(body === undefined
        ? {}
        : { 'Content-Type': body.type, 'Content-Length': String(Buffer.byteLength(body.text)) }),
    };
    const to = { agent: this.#agent, method, headers, timeout: LIMIT_MS };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.server}${path}`, to, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(read(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))));
        response.on('error', reject);
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer after ${LIMIT_MS / 1000} s`)));
      sent.on('error', reject);
      sent.end(body?.text);
    });
  }
}

function read(status: number, text: string): Answer {
  if (!text.startsWith('{')) return { status, body: { message: text } };
  const body = parseJson(text);
  return { status, body: isObject(body) ? body : {} };
}
