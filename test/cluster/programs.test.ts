// The programs of the bed: where they are looked for, how one process at a time builds them, and what is missing here.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processInput } from '../../component/flags.ts';
import { locked } from './bed/lock.ts';
import { findPrograms } from './bed/programs.ts';
import { isRequired, leftOut } from './bed/required.ts';

test.each(['cluster', 'node'] as const)(
  'what is left out of %s is said in one line, and fails if required',
  async (tier) => {
    const line = await leftOut(tier);
    if (isRequired(processInput().environment, tier)) expect(line).toBeUndefined();
    else if (line !== undefined) console.log(line);
  },
);

test('a tier is required if the list of tiers has it', () => {
  expect(isRequired({}, 'cluster')).toBe(false);
  expect(isRequired({ SLUICE_REQUIRE: 'node' }, 'cluster')).toBe(false);
  expect(isRequired({ SLUICE_REQUIRE: 'node' }, 'node')).toBe(true);
  expect(isRequired({ SLUICE_REQUIRE: 'node, cluster' }, 'cluster')).toBe(true);
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
