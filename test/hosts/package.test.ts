// The npm package as its users get it: packed, installed into an empty folder, imported, compiled against.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds } from '../../api/kinds/index.ts';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), 'sluice-package-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeAll(async () => {
  await run(process.execPath, ['scripts/build.ts', 'wasm', 'package'], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, './dist/npm'], { cwd: root });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: folder });
}, 180_000);

test('it brings nothing but itself', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['sluice']);
  const code = await readFile(join(folder, 'node_modules/sluice/evaluator.mjs'), 'utf8');
  const imported = [...code.matchAll(/^import .*? from "([^"]+)"/gm)].map(([, name]) => name);
  expect(imported.filter((name) => name?.startsWith('node:') !== true)).toEqual([]);
});

test('it is a package as others expect it', async () => {
  const { messages, pkg } = await publint({ pkgDir: join(root, 'dist/npm'), strict: true });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}, { color: false }))).toEqual([]);
});

test('the example of its README injects the sidecar', async () => {
  const readme = await readFile(join(folder, 'node_modules/sluice/README.md'), 'utf8');
  const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  await writeFile(join(folder, 'example.js'), example);
  const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder });
  const [, allowed, patch] = /^(\w+) (\[.*\])$/m.exec(stdout) ?? [];
  expect(allowed).toBe('true');
  expect(patch).toContain('registry.example/logs:1.4');
});

const names = kinds.flatMap(({ kind, versions }) => [kind, ...versions.map((version) => kind + titled(version))]);
const PROGRAM = `
import { type Cluster, effectiveGates, type Explanation, Policies, Webhooks } from 'sluice/evaluator';
import type { KindObject, ${names.join(', ')} } from 'sluice/evaluator';
const webhooks = await Webhooks.load({ gates: effectiveGates(), systemNamespace: 'kruise-system' });
const set: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs' },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'logs', image: 'logs:1' }] },
};
webhooks.apply(set);
const any: KindObject[] = [set];
const cluster: Cluster = { answer: () => ({ answer: null }), commit: () => 'done' };
const answer: Uint8Array = (await Policies.load()).review('/mutate-pod', new Uint8Array(), 0, cluster);
const reasons: Explanation[] = webhooks.explain(answer, 0);
// @ts-expect-error: the name of a member that there is not
const wrong: SidecarSet = { ...set, spec: { selectors: {} } };
export type All = [${names.join(', ')}];
export { any, reasons, wrong };
`;

test.each(['es2024', 'es2024,dom'])(
  'its types compile at the strictest with the library %s, kinds included',
  async (lib) => {
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types')).catch(() => undefined);
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const options = [
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      lib,
      '--types',
      'node',
      ...strict,
    ];
    const compiled = run(join(root, 'node_modules/.bin/tsc'), [...options, 'program.ts'], { cwd: folder });
    expect(await compiled.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
  },
);

function titled(version: string): string {
  return version.replace(/[a-z]+/g, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
}
