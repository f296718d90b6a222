// The store of a bed, on a socket in its folder. Tests may write objects into it exactly as they are to be stored.
import { request } from 'node:http';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
import { Process, untilReady } from './process.ts';

const START_LIMIT_MS = 30_000;
/** Nobody follows what it advertises, but it must be an address of a host. */
const NOWHERE = 'http://127.0.0.1:1';

export class Etcd {
  readonly process: Process;
  readonly #socket: string;

  private constructor(process: Process, socket: string) {
    this.process = process;
    this.#socket = socket;
  }

  static async start(folder: string, path: string): Promise<Etcd> {
    const [client, peer] = [join(folder, 'etcd.sock'), join(folder, 'peer.sock')];
    const flags = {
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': `unix://${client}`,
      'advertise-client-urls': NOWHERE,
      'listen-peer-urls': `unix://${peer}`,
      'initial-advertise-peer-urls': NOWHERE,
      'initial-cluster': `default=${NOWHERE}`,
      'log-level': 'warn',
      'unsafe-no-fsync': 'true',
    };
    const given = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const etcd = new Etcd(Process.start({ folder, name: 'etcd', path, arguments: given }), client);
    await untilReady(etcd.process, START_LIMIT_MS, () => etcd.#isHealthy());
    return etcd;
  }

  /** Where the API server finds it. */
  get address(): string {
    return `unix://${this.#socket}`;
  }

  /** Stores an object under a key of the API server's, as it is. */
  async put(key: string, object: JsonObject): Promise<void> {
    await this.#call('put', { key: base64(key), value: base64(JSON.stringify(object)) });
  }

  /** The bytes that are stored under a key; undefined if there are none. */
  async get(key: string): Promise<Buffer | undefined> {
    const { kvs } = (await this.#call('range', { key: base64(key) })) as { kvs?: { value: string }[] };
    const [found] = kvs ?? [];
    return found === undefined ? undefined : Buffer.from(found.value, 'base64');
  }

  async remove(key: string): Promise<void> {
    await this.#call('deleterange', { key: base64(key) });
  }

  /** Forgets all that was before the present state. */
  async compact(): Promise<void> {
    const { header } = await this.#call('range', { key: base64('ready') });
    const { revision = '' } = (header ?? {}) as JsonObject;
    await this.#call('compaction', { revision, physical: true });
  }

  async #isHealthy(): Promise<boolean> {
    try {
      await this.#call('range', { key: base64('ready') });
      return true;
    } catch {
      // Not listening yet, or without a leader; whoever waits has a limit.
      return false;
    }
  }

  #call(method: string, body: JsonObject): Promise<JsonObject> {
    const to = { socketPath: this.#socket, path: `/v3/kv/${method}`, method: 'POST' };
    return new Promise((resolve, reject) => {
      const sent = request(to, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(answer) as JsonObject);
          else reject(new Error(`etcd, ${method}: ${response.statusCode} ${answer}`));
        });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
