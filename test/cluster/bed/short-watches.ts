// Stands in front of an API server, by HTTP: passes all on as it is, but asks for shorter watches than were wanted, so that
// the API server itself ends them after seconds and not after most of a minute.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Bed } from './bed.ts';

/** What the API server needs to say how far a watch is before it ends it, and some more. */
const WATCH_SECONDS = 5;

export class ShortWatches {
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
  }

  /** In front of the API server of a bed without nodes, and trusted as that is. Who comes must say so by a token. */
  static async start({ folder, client }: Bed): Promise<ShortWatches> {
    const file = (name: string) => readFileSync(join(folder, name));
    const agent = new Agent({ keepAlive: true, ca: file('ca.crt') });
    const server = createServer({ cert: file('apiserver.crt'), key: file('apiserver.key') }, (asked, answer) =>
      passOn({ to: client.server, agent }, asked, answer),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ShortWatches(server, agent);
  }

  /** The address that a kubeconfig names. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    this.#agent.destroy();
  }
}

function passOn({ to, agent }: { to: string; agent: Agent }, asked: IncomingMessage, answer: ServerResponse): void {
  const url = shortened(new URL(asked.url ?? '/', to));
  const { method, headers } = asked;
  const sent = request(url, { agent, headers, ...(method === undefined ? {} : { method }) }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    answer.flushHeaders();
    given.pipe(answer);
    given.on('error', () => answer.destroy());
  });
  sent.on('error', () => answer.destroy());
  answer.on('close', () => sent.destroy());
  asked.pipe(sent);
}

function shortened(url: URL): URL {
  const wanted = Number(url.searchParams.get('timeoutSeconds'));
  if (url.searchParams.has('watch') && wanted > WATCH_SECONDS) {
    url.searchParams.set('timeoutSeconds', String(WATCH_SECONDS));
  }
  return url;
}
