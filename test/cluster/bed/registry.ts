// The registry of a bed, which every image comes from that its nodes run, and how images get into it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { parseJson } from '../../../api/core/json.ts';
import { type Image, readLayout } from './image.ts';
import type { Network } from './network.ts';
import { systemProgram } from './packages.ts';
import { type Process, untilReady } from './process.ts';

const PORT = 5000;
const START_LIMIT_MS = 30_000;
const REQUEST_LIMIT_MS = 60_000;
const PUSHES_AT_ONCE = 8;

/** Starts one, empty, and resolves when it answers. */
export async function startRegistry(folder: string, network: Network): Promise<Process> {
  const own = join(folder, 'registry');
  mkdirSync(own);
  const config = {
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: own } },
    http: { addr: `${network.address}:${PORT}` },
  };
  writeFileSync(configFile(folder), JSON.stringify(config));
  const process = network.controlPlane.run({
    name: 'registry',
    path: systemProgram('docker-registry'),
    arguments: ['serve', configFile(folder)],
  });
  await untilReady(process, START_LIMIT_MS, () => Registry.of(folder).isReady());
  return process;
}

export class Registry {
  /** The same from everywhere in the bed and on this machine. */
  readonly url: string;
  /** By digest: the repositories in which the blob is already. */
  readonly #held = new Map<string, Set<string>>();

  private constructor(url: string) {
    this.url = url;
  }

  /** The registry of the bed in a folder. Throws if that has none. */
  static of(folder: string): Registry {
    if (!existsSync(configFile(folder))) throw new Error('there is no registry: the bed has no nodes');
    const { http } = parseJson(readFileSync(configFile(folder), 'utf8')) as { http: { addr: string } };
    return new Registry(`http://${http.addr}`);
  }

  /** Makes images be there under these names, such as `library/busybox:1.36`. */
  async push(images: ReadonlyMap<string, Image>): Promise<void> {
    // One at a time for a repository: the registry writes its files in place.
    const waiting = [...Map.groupBy(images, ([name]) => name.split(':')[0]).values()];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        for (const [name, image] of next) await this.#pushOne(name, image);
      }
    };
    // What images share is pushed once, with the first of them.
    const [first] = images;
    if (first !== undefined) await this.#pushOne(...first);
    await Promise.all(Array.from({ length: PUSHES_AT_ONCE }, work));
  }

  /** Makes the only image of an OCI layout (a folder) be there under a name. Throws if the layout has none, or several. */
  async pushImage(layout: string, name: string): Promise<void> {
    await this.push(new Map([[name, readLayout(layout)]]));
  }

  async #pushOne(name: string, { manifest, blobs }: Image): Promise<void> {
    const match = /^([a-z0-9][a-z0-9._/-]*):([\w][\w.-]*)$/.exec(name);
    if (match === null) throw new Error(`image name ${name}: expected REPOSITORY:TAG, without a registry`);
    const [, repository = '', tag = ''] = match;
    for (const [digest, content] of blobs) await this.#pushBlob(repository, digest, content);
    await this.#call('PUT', `/v2/${repository}/manifests/${tag}`, { type: manifest.type, content: manifest.content });
  }

  async #pushBlob(repository: string, digest: string, content: Uint8Array): Promise<void> {
    const held = this.#held.get(digest) ?? new Set();
    if (held.has(repository)) return;
    const [from] = held;
    const query = from === undefined ? '' : `?mount=${digest}&from=${from}`;
    const { status, location } = await this.#call('POST', `/v2/${repository}/blobs/uploads/${query}`);
    // 201: it was there, and is now in this repository too.
    if (status !== 201) {
      const to = new URL(location, this.url);
      to.searchParams.set('digest', digest);
      await this.#call('PUT', `${to.pathname}${to.search}`, { type: 'application/octet-stream', content });
    }
    this.#held.set(digest, held.add(repository));
  }

  async isReady(): Promise<boolean> {
    try {
      return (await this.#call('GET', '/v2/')).status === 200;
    } catch {
      // Not listening yet; whoever waits has a limit.
      return false;
    }
  }

  #call(
    method: string,
    path: string,
    body?: { type: string; content: Uint8Array },
  ): Promise<{ status: number; location: string }> {
    const headers = { 'Content-Length': String(body?.content.length ?? 0), 'Content-Type': body?.type ?? 'text/plain' };
    const to = { method, headers, timeout: REQUEST_LIMIT_MS, agent: false } as const;
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, to, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: given } = response;
          if (status < 300) resolve({ status, location: given.location ?? '' });
          else reject(new Error(`registry: ${method} ${path}: ${status} ${Buffer.concat(chunks)}`));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`registry: ${method} ${path}: no answer`)));
      sent.on('error', reject);
      sent.end(body?.content);
    });
  }
}

function configFile(folder: string): string {
  return join(folder, 'registry.json');
}
