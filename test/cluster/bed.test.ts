// The bed itself: several side by side, and what a killed run leaves.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bed } from './bed/bed.ts';
import { clearLeftovers, programsOf } from './bed/folders.ts';
import { locked } from './bed/lock.ts';
import { reservePort } from './bed/port.ts';
import { findPrograms } from './bed/programs.ts';
import { leftOut } from './bed/required.ts';

const missing = await leftOut();
if (missing !== undefined) console.log(`test/cluster/bed: ${missing}`);

const BED = new URL('bed/bed.ts', import.meta.url).href;

describe.skipIf(missing !== undefined)('beds', () => {
  let beds: Bed[] = [];

  beforeAll(async () => {
    beds = await Promise.all([Bed.start(), Bed.start()]);
  });
  afterAll(() => Promise.all(beds.map((bed) => bed.close())));

  test('stand side by side, each with objects of its own', async () => {
    const [one, other] = beds as [Bed, Bed];
    await one.client.must(one.client.send('POST', '/api/v1/namespaces', { metadata: { name: 'mine' } }));
    expect((await one.client.get('/api/v1/namespaces/mine')).status).toBe(200);
    expect((await other.client.get('/api/v1/namespaces/mine')).status).toBe(404);
    const { stdout } = await one.kubectl(['get', 'namespace', 'mine', '-o', 'name']);
    expect(stdout).toBe('namespace/mine\n');
  });

  test('of a process that was killed are cleared away, and no others', async () => {
    const script = `const { Bed } = await import(${JSON.stringify(BED)});
      const bed = await Bed.start();
      console.log(bed.folder);
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const folder = String(line).trim();
    expect([...programsOf(folder).keys()].toSorted()).toEqual(['etcd', 'kube-apiserver']);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = [...programsOf(folder).values()];
    expect(left).toHaveLength(2);
    clearLeftovers();
    expect(existsSync(folder)).toBe(false);
    for (const pid of left) await gone(pid);
    for (const bed of beds) expect((await bed.client.get('/readyz')).status).toBe(200);
  });

  test('that are closed leave nothing', async () => {
    const bed = await Bed.start();
    const programs = [...programsOf(bed.folder).values()];
    await bed.close();
    expect(existsSync(bed.folder)).toBe(false);
    for (const pid of programs) await gone(pid);
  });
});

describe('programs', () => {
  test('of KUBEBUILDER_ASSETS are taken, and a folder without them is an error that names it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-assets-'));
    await expect(findPrograms({ KUBEBUILDER_ASSETS: folder })).rejects.toThrow(`${join(folder, 'etcd')} is no program`);
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
      writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
    }
    const found = await findPrograms({ KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: folder });
    expect(Object.fromEntries(found)).toEqual({
      etcd: { path: join(folder, 'etcd'), from: 'KUBEBUILDER_ASSETS' },
      'kube-apiserver': { path: join(folder, 'kube-apiserver'), from: 'KUBEBUILDER_ASSETS' },
      kubectl: { path: join(folder, 'kubectl'), from: 'KUBEBUILDER_ASSETS' },
    });
    rmSync(folder, { recursive: true });
  });

  test('on PATH are taken if they are new enough', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-path-'));
    const say = (name: string, text: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
    say('etcd', 'etcd Version: 3.4.30');
    say('kube-apiserver', 'Kubernetes v1.35.2');
    say('kubectl', 'no version at all');
    const found = await findPrograms({ PATH: folder, XDG_CACHE_HOME: folder });
    expect(Object.fromEntries(found)).toEqual({
      'kube-apiserver': { path: join(folder, 'kube-apiserver'), from: 'PATH' },
    });
    rmSync(folder, { recursive: true });
  });

  test('are built by one process at a time, and a killed one keeps nobody out', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
    const file = join(folder, 'lock');
    const { pid } = spawnSync('/bin/true');
    writeFileSync(file, `${pid} 1\n`);
    const order: string[] = [];
    const told = Promise.withResolvers<number>();
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      // The first one works until the other one waits.
      expect(await told.promise).toBe(process.pid);
      order.push(`${name} ends`);
    };
    await Promise.all(['a', 'b'].map((name) => locked(file, work(name), told.resolve)));
    const [first = '', second = ''] = order[0] === 'a begins' ? ['a', 'b'] : ['b', 'a'];
    expect(order).toEqual([`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`]);
    expect(existsSync(file)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});

test('reserved ports are given to nobody else', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => reservePort()));
  expect(new Set(ports).size).toBe(50);
});

/** Resolves when no process has the number any more. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => isThere(pid), { timeout: 10_000 }).toBe(false);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
