// Mirrors of a kind of which the API server cannot convert all objects.

import { afterEach, describe, expect, it } from 'vitest';
import { StatusError } from '../../component/errors.ts';
import type { ListOptions, ObjectList, WatchOptions } from '../../kube/client.ts';
import { Mirror } from '../../kube/mirror.ts';
import type { MirrorOptions } from '../../kube/mirror-options.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { pagesOf, piecesOf, takeAll } from '../../kube/pages.ts';
import type { Resource } from '../../kube/resource.ts';
import { silentLogger } from '../support/silent-logger.ts';

const BETA: Resource = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  plural: 'sidecarsets',
  kind: 'SidecarSet',
  namespaced: false,
};
const ALPHA: Resource = { ...BETA, version: 'v1alpha1' };

type Kept = { name: string; version: string; containers: unknown; resourceVersion: number };

/** An API server that converts what decodes, as long as its webhook can be reached. */
class Server {
  readonly asked: string[] = [];
  readonly kept = new Map<string, Kept>();
  readonly served = new Set(['v1alpha1', 'v1beta1']);
  canConvert = true;
  #version = 100;
  #watches = new Set<{ resource: Resource; send: (line: string) => void; end: () => void }>();

  put(name: string, version: string, containers: unknown = [{ name, image: 'registry.example.com/a:1' }]): void {
    this.#version++;
    this.kept.set(name, { name, version, containers, resourceVersion: this.#version });
    this.#tell('MODIFIED', name);
  }

  endWatches(): void {
    for (const { end } of this.#watches) end();
  }

  async list(resource: Resource, { limit = 1000, continue: next = '', signal }: ListOptions = {}): Promise<ObjectList> {
    signal?.throwIfAborted();
    this.asked.push(`${resource.version} ${limit}`);
    if (!this.served.has(resource.version)) throw new StatusError(404, 'NotFound', 'the server could not find it');
    const names = [...this.kept.keys()].sort().filter((name) => name > next);
    const items = names.slice(0, limit).map((name) => this.#as(name, resource));
    const rest = names.length > limit ? { continue: names[limit - 1] ?? '' } : {};
    return { metadata: { resourceVersion: String(this.#version), ...rest }, items };
  }

  async *watch(resource: Resource, { signal }: WatchOptions): AsyncGenerator<Uint8Array> {
    this.asked.push(`${resource.version} watch`);
    for (const name of this.kept.keys()) this.#as(name, resource);
    const lines: string[] = [];
    let isOver = false;
    let wake = () => {};
    const watch = {
      resource,
      send: (line: string) => {
        lines.push(line);
        wake();
      },
      end: () => {
        isOver = true;
        wake();
      },
    };
    this.#watches.add(watch);
    signal.addEventListener('abort', watch.end, { once: true });
    try {
      while (!isOver || lines.length > 0) {
        const line = lines.shift();
        if (line !== undefined) yield Buffer.from(line);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#watches.delete(watch);
    }
  }

  #tell(type: string, name: string): void {
    for (const { resource, send, end } of this.#watches) {
      try {
        send(`${JSON.stringify({ type, object: this.#as(name, resource) })}\n`);
      } catch {
        end();
      }
    }
  }

  #as(name: string, resource: Resource): KubeObject {
    const one = this.kept.get(name);
    if (one === undefined) throw new Error(`${name} is not kept`);
    const { version, containers, resourceVersion } = one;
    if (version !== resource.version && !(this.canConvert && Array.isArray(containers))) {
      const why = this.canConvert ? 'json: cannot unmarshal string' : 'Post "https://x/convert": connection refused';
      throw new StatusError(
        500,
        '',
        `conversion webhook for apps.kruise.io/${version}, Kind=SidecarSet failed: ${why}`,
      );
    }
    const metadata = { name, uid: `uid-${name}`, resourceVersion: String(resourceVersion) };
    const spec = { selector: {}, containers };
    return { apiVersion: `apps.kruise.io/${resource.version}`, kind: 'SidecarSet', metadata, spec };
  }
}

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

function follow(server: Server, options: Partial<MirrorOptions> = {}) {
  const told: string[] = [];
  const stop = new AbortController();
  const mirror = new Mirror({
    client: server,
    resource: BETA,
    logger: silentLogger,
    random: () => 0.5,
    monotonic: () => performance.now(),
    times: { leastWaitMs: 1, mostWaitMs: 4, pollMs: 4, watchMs: 60_000, silenceMs: 60_000 },
    onLeftOut: ({ metadata }, reason) => told.push(`${metadata.name}: ${reason}`),
    ...options,
  });
  const running = mirror.run(stop.signal);
  ending.push(async () => {
    stop.abort();
    await running;
  });
  return { mirror, told, signal: stop.signal };
}

async function start(server: Server, options: Partial<MirrorOptions> = {}) {
  const { mirror, told, signal } = follow(server, options);
  await mirror.whenSynced(signal);
  return { mirror, told };
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
};
const names = (mirror: Mirror) =>
  mirror
    .list()
    .map(({ metadata }) => metadata.name)
    .sort();

describe('a mirror', () => {
  it('reads another version when an object cannot be converted, and has all others in its own', async () => {
    const server = new Server();
    server.put('a', 'v1alpha1');
    server.put('b', 'v1alpha1', 'none');
    server.put('c', 'v1beta1');
    const { mirror, told } = await start(server);
    expect(names(mirror)).toEqual(['a', 'c']);
    expect(new Set(mirror.list().map(({ apiVersion }) => apiVersion))).toEqual(new Set(['apps.kruise.io/v1beta1']));
    expect([mirror.leftOut, mirror.problem, mirror.detour?.version]).toEqual([1, undefined, 'v1alpha1']);
    expect(mirror.detour?.reason).toMatch(/^conversion webhook for apps.kruise.io\/v1alpha1, Kind=SidecarSet failed/);
    expect(told).toEqual(['b: spec.containers: expected array, got string']);
    await until(() => server.asked.includes('v1alpha1 watch'));
    server.put('d', 'v1beta1');
    await until(() => mirror.size === 3);
    server.put('a', 'v1alpha1', 'none');
    await until(() => mirror.size === 2);
    expect([names(mirror), mirror.leftOut]).toEqual([['c', 'd'], 2]);
  });

  it('returns to its own version once the last of them is healed', async () => {
    const server = new Server();
    server.put('a', 'v1alpha1', 'none');
    const { mirror } = await start(server);
    await until(() => server.asked.includes('v1alpha1 watch'));
    server.put('a', 'v1alpha1');
    await until(() => server.asked.includes('v1beta1 watch'));
    expect([names(mirror), mirror.leftOut, mirror.detour]).toEqual([['a'], 0, undefined]);
  });

  it('tries its own version again after a while, whatever was in the way', async () => {
    const server = new Server();
    server.put('a', 'v1alpha1');
    server.canConvert = false;
    const times = { leastWaitMs: 1, mostWaitMs: 4, pollMs: 4, watchMs: 60_000, silenceMs: 60_000, returnMs: 0 };
    const { mirror } = await start(server, { times });
    expect([names(mirror), mirror.detour?.version]).toEqual([['a'], 'v1alpha1']);
    await until(() => server.asked.includes('v1alpha1 watch'));
    server.canConvert = true;
    server.put('b', 'v1alpha1');
    server.endWatches();
    await until(() => server.asked.includes('v1beta1 watch'));
    expect([names(mirror), mirror.detour]).toEqual([['a', 'b'], undefined]);
  });

  it('goes on in another version when an object comes that cannot be converted', async () => {
    const server = new Server();
    server.put('a', 'v1beta1');
    const { mirror } = await start(server);
    await until(() => server.asked.includes('v1beta1 watch'));
    server.put('b', 'v1alpha1', 'none');
    server.put('c', 'v1alpha1');
    await until(() => mirror.size === 2 && mirror.detour !== undefined);
    expect([names(mirror), mirror.detour?.version]).toEqual([['a', 'c'], 'v1alpha1']);
  });

  it('reads piece by piece, again and again, where no version has all objects', async () => {
    const server = new Server();
    server.put('a', 'v1alpha1', 'none');
    server.put('b', 'v1beta1', 'none');
    server.put('c', 'v1beta1');
    const { mirror, told } = await start(server, {
      read: (object) => (Array.isArray((object.spec as { containers: unknown }).containers) ? object : 'odd'),
    });
    expect([names(mirror), mirror.leftOut, mirror.problem]).toEqual([['c'], 2, undefined]);
    expect(mirror.detour).toMatchObject({ version: undefined });
    expect(told).toEqual(['a: spec.containers: expected array, got string', 'b: odd']);
    server.put('d', 'v1alpha1');
    await until(() => mirror.size === 2);
    server.put('a', 'v1alpha1');
    await until(() => server.asked.includes('v1beta1 watch'));
    expect([names(mirror), mirror.detour]).toEqual([['a', 'c', 'd'], undefined]);
  });

  it('has everything while nobody converts anything', async () => {
    const server = new Server();
    for (let i = 0; i < 1200; i++) server.put(`s${String(i).padStart(4, '0')}`, i % 100 < 50 ? 'v1alpha1' : 'v1beta1');
    server.canConvert = false;
    const { mirror } = await start(server);
    expect([mirror.size, mirror.leftOut]).toEqual([1200, 0]);
    // Runs of 50 that are stored alike: some questions for each.
    expect(server.asked.length).toBeLessThan(24 * 25);
  });

  it('fails as before where there is no other version', async () => {
    const server = new Server();
    server.put('a', 'v1alpha1', 'none');
    server.served.delete('v1alpha1');
    const { mirror } = follow(server);
    await until(() => mirror.problem !== 'not read yet');
    expect([mirror.synced, mirror.absent]).toEqual([false, false]);
    expect(mirror.problem).toContain('conversion webhook for apps.kruise.io/v1alpha1, Kind=SidecarSet failed');
  });
});

describe('pieces', () => {
  it('are the same objects as pages, in the same order, whatever is stored how', async () => {
    const server = new Server();
    for (let i = 0; i < 300; i++)
      server.put(`s${String(i).padStart(4, '0')}`, (i * 7919) % 3 === 0 ? 'v1alpha1' : 'v1beta1');
    const { signal } = new AbortController();
    const read = async (pages: AsyncIterable<ObjectList>) => {
      const found: string[] = [];
      const version = await takeAll(pages, (objects) => found.push(...objects.map(({ metadata }) => metadata.name)), {
        signal,
        heard: () => undefined,
      });
      return { found, version };
    };
    const options = { client: server, selection: {}, signal };
    const whole = await read(pagesOf(BETA, { ...options, paged: true }));
    server.canConvert = false;
    expect(await read(piecesOf([BETA, ALPHA], options))).toEqual(whole);
  });
});
