// Stands in for a Service in front of gateways: gives each new connection to the next endpoint. Connections that are open stay
// where they are when an endpoint is taken out, as those of a cluster do.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Service {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #endpoints: number[] = [];
  #next = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (caller) => this.#forward(caller));
  }

  static async start(): Promise<Service> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Service(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  add(port: number): void {
    this.#endpoints.push(port);
  }

  remove(port: number): void {
    this.#endpoints = this.#endpoints.filter((one) => one !== port);
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(caller: Socket): void {
    const port = this.#endpoints[this.#next++ % this.#endpoints.length];
    if (port === undefined) {
      caller.destroy();
      return;
    }
    const endpoint = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [caller, endpoint],
      [endpoint, caller],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroySoon();
      });
      one.pipe(other);
    }
  }
}
