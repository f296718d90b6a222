// The bed itself: several side by side, and what a killed run leaves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bed } from './bed/bed.ts';
import { clearLeftovers, programsOf } from './bed/folders.ts';
import { reservePort } from './bed/port.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const BED = new URL('bed/bed.ts', import.meta.url).href;

describe.skipIf(missing.length > 0)('beds', () => {
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
