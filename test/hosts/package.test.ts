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
  const imported = [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]+)["']/g)].map(
    ([, name]) => name,
  );
  expect(imported).not.toEqual([]);
  expect(imported.filter((name) => name?.startsWith('node:') !== true)).toEqual([]);
  const manifest = await readFile(join(folder, 'node_modules/sluice/package.json'), 'utf8');
  expect(Object.keys(JSON.parse(manifest)).filter((name) => /dependencies/i.test(name))).toEqual([]);
});

test('its types name no other package', async () => {
  const types = join(folder, 'node_modules/sluice/types');
  const files = (await readdir(types, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(types, file), 'utf8')));
  const named = texts
    .flatMap((text) => [...text.matchAll(/(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g)])
    .map(([, name]) => name);
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !/^\.\.?\//.test(name ?? ''))).toEqual([]);
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

const RUNNING = `
import { type Cluster, effectiveGates, type Explanation, type KindObject, Policies, type SidecarSet, Webhooks } from 'sluice/evaluator';
const set: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs', annotations: { 'kruise.io/sidecarset-hash': 'h' } },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'logs', image: 'logs:1' }] },
};
const object = { metadata: { name: 'web', labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const resource = { group: '', version: 'v1', resource: 'pods' };
const request = { uid: '1', operation: 'CREATE', namespace: 'shop', options: {}, resource, object };
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const policies = await Policies.load();
const objects: KindObject[] = [set];
for (const one of objects) policies.apply(bytes(one));
const cluster: Cluster = { answer: () => ({ answer: null }), commit: () => 'done' };
const answer = policies.review('/mutate-pod', bytes({ request }), 0, cluster);
const { response } = JSON.parse(new TextDecoder().decode(answer));
console.log(response.allowed, atob(response.patch).includes('"image":"logs:1"'));
const webhooks = await Webhooks.load({ gates: effectiveGates(), systemNamespace: 'kruise-system' });
webhooks.apply(set);
const reasons: Explanation[] = webhooks.explain(bytes({ request }), 0);
console.log(reasons.map(({ kind, name, reason }) => [kind, name, reason].join(' ')).join());
`;

test('a program in TypeScript decides with both of its classes', async () => {
  await writeFile(join(folder, 'running.ts'), RUNNING);
  const { stdout } = await run(process.execPath, ['running.ts'], { cwd: folder });
  expect(stdout).toBe('true true\nSidecarSet logs Injected\n');
});

test.each(['es2024', 'es2024,dom'])(
  'its types compile at the strictest with the library %s, kinds included',
  async (lib) => {
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    await writeFile(join(folder, 'running.ts'), RUNNING);
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
    const compiled = run(join(root, 'node_modules/.bin/tsc'), [...options, 'program.ts', 'running.ts'], {
      cwd: folder,
    });
    expect(await compiled.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
  },
);

function titled(version: string): string {
  return version.replace(/[a-z]+/g, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
}
