// The only server of a gateway without threads. It shares its evaluator with the source of objects.

import type { SecureContextOptions } from 'node:tls';
import type { Counters } from '../metrics/counters.ts';
import type { AdmissionServer } from '../server.ts';
import type { Servers } from './threads.ts';

export class SingleServer implements Servers {
  readonly #server: AdmissionServer;
  readonly #counters: Counters;
  readonly port: number;
  #isOpen = true;

  private constructor(server: AdmissionServer, counters: Counters, port: number) {
    this.#server = server;
    this.#counters = counters;
    this.port = port;
  }

  /** Starts to listen. */
  static async start(server: AdmissionServer, counters: Counters, host: string, port: number): Promise<SingleServer> {
    return new SingleServer(server, counters, await server.listen(host, port, false));
  }

  get running(): number {
    return this.#isOpen ? 1 : 0;
  }

  /** Nothing to do: the change was tried on the evaluator that answers. */
  change(): void {}

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
