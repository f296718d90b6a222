// Stands in front of an API server, by TCP. While it holds, what the server says unasked does not arrive: watches stand still, and
// requests are answered all the same.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class HeldWatches {
  readonly #server: Server;
  readonly #open = new Set<Pair>();

  private constructor(server: Server, target: number) {
    this.#server = server;
    server.on('connection', (caller) => this.#forward(caller, target));
  }

  /** `target` is the port of the server on this machine. */
  static async start(target: number): Promise<HeldWatches> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HeldWatches(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on the server is not heard on a connection until something is asked on it. */
  hold(): void {
    for (const { endpoint } of this.#open) endpoint.pause();
  }

  release(): void {
    for (const { endpoint } of this.#open) endpoint.resume();
  }

  async close(): Promise<void> {
    for (const { caller, endpoint } of this.#open) {
      caller.destroy();
      endpoint.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(caller: Socket, target: number): void {
    const pair = { caller, endpoint: connect(target, '127.0.0.1') };
    const { endpoint } = pair;
    this.#open.add(pair);
    caller.on('data', (chunk: Buffer) => {
      endpoint.write(chunk);
      endpoint.resume();
    });
    endpoint.on('data', (chunk: Buffer) => caller.write(chunk));
    for (const [one, other] of [
      [caller, endpoint],
      [endpoint, caller],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(pair);
        other.destroySoon();
      });
    }
  }
}

type Pair = { caller: Socket; endpoint: Socket };
