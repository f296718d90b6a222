// The only server of a gateway without threads. It shares its evaluator with the source of objects.

import type { SecureContextOptions } from 'node:tls';
import type { Counters } from '../metrics/counters.ts';
import type { AdmissionServer } from '../server.ts';
import type { Servers } from './threads.ts';

/** `loaded`: makes the server answer reviews. */
export type SingleParts = { counters: Counters; host: string; port: number; loaded: () => void };

export class SingleServer implements Servers {
  readonly #server: AdmissionServer;
  readonly #counters: Counters;
  readonly #loaded: () => void;
  readonly port: number;
  #isOpen = true;

  private constructor(server: AdmissionServer, parts: SingleParts, port: number) {
    const { counters, loaded } = parts;
    this.#loaded = loaded;
    this.#server = server;
    this.#counters = counters;
    this.port = port;
  }

  /** Starts to listen. */
  static async start(server: AdmissionServer, parts: SingleParts): Promise<SingleServer> {
    return new SingleServer(server, parts, await server.listen(parts.host, parts.port, false));
  }

  get running(): number {
    return this.#isOpen ? 1 : 0;
  }

  /** Nothing to do: the change was tried on the evaluator that answers. */
  change(): void {}

  loaded(): void {
    this.#loaded();
  }

  renew(secrets: SecureContextOptions): void {
    this.#server.renew(secrets);
  }

  drain(): void {
    this.#server.drain();
  }

  async close(limitMs: number): Promise<void> {
    this.#isOpen = false;
    await this.#server.close(limitMs);
  }

  counters(): readonly Counters[] {
    return [this.#counters];
  }
}
