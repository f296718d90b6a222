// Builds into dist/: `node scripts/build.ts [wasm|kubewarden|direct|faulty|bundle|package]...`; without arguments what the programs and
// most tests need. What is newer than its sources is kept, so a second build costs nothing.

import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { build } from 'esbuild';
import { annotated } from './kubewarden.ts';
import { makePackage } from './package.ts';

const root = new URL('..', import.meta.url).pathname;

const targets: Record<string, { sources: string[]; output: string; make: () => Promise<void> }> = {
  wasm: {
    sources: ['assembly', 'api/names.ts', 'asconfig.json', 'scripts/asc'],
    output: 'dist/policy.wasm',
    make: () => compile('policy', 'assembly/index.ts'),
  },
  kubewarden: {
    sources: ['assembly', 'api/names.ts', 'asconfig.json', 'scripts/asc', 'scripts/kubewarden.ts', 'package.json'],
    output: 'dist/policy-kubewarden.wasm',
    make: () => compile('policy-kubewarden', 'assembly/kubewarden/index.ts', annotated),
  },
  direct: {
    sources: ['assembly', 'api/names.ts', 'asconfig.json', 'scripts/asc'],
    output: 'dist/direct.wasm',
    make: () => compile('direct', 'assembly/direct/index.ts'),
  },
  faulty: {
    sources: ['assembly', 'api/names.ts', 'asconfig.json', 'scripts/asc'],
    output: 'dist/faulty.wasm',
    make: () => compile('faulty', 'assembly/direct/faulty.ts'),
  },
  bundle: {
    sources: [
      'api',
      'component',
      'evaluator',
      'kube',
      'gateway',
      'reconcilers',
      'cli',
      'package.json',
      'scripts/build.ts',
    ],
    output: 'dist/sluice.mjs',
    make: bundle,
  },
  package: {
    sources: ['api', 'component', 'evaluator', 'dist/policy.wasm', 'package.json', 'CHANGELOG.md', 'scripts'],
    output: 'dist/npm/package.json',
    make: makePackage,
  },
};

const ALWAYS = ['wasm', 'direct', 'bundle'];

/** The module appears whole under its name, dated when the reading of its sources began. */
async function compile(
  target: string,
  entry: string,
  finish?: (module: Uint8Array) => Promise<Uint8Array>,
): Promise<void> {
  const began = new Date();
  const transform = join(root, 'scripts/asc/transform.mjs');
  const draft = `dist/.${target}.${process.pid}.wasm`;
  const options = ['--target', target, '--transform', transform, '--baseDir', root, '--outFile', draft];
  const { error, stderr } = await asc.main([entry, ...options]);
  if (error !== null) throw new Error(`${entry}: ${error.message}\n${stderr.toString()}`);
  if (finish !== undefined) await writeFile(join(root, draft), await finish(await readFile(join(root, draft))));
  await utimes(join(root, draft), began, began);
  await rename(join(root, draft), join(root, 'dist', `${target}.wasm`));
}

async function bundle(): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { sluice: 'cli/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node24',
    sourcemap: 'linked',
    legalComments: 'none',
    // A program keeps its source in memory, two bytes a character where a single comment goes beyond Latin-1.
    minifyWhitespace: true,
    lineLimit: 160,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  // What an earlier build left goes.
  for (const name of await readdir(join(root, 'dist'))) {
    if (/\.mjs(\.map)?$/.test(name) && !(`dist/${name}` in metafile.outputs)) await rm(join(root, 'dist', name));
  }
  await writeFile(join(root, 'dist/package.json'), '{ "type": "module" }\n');
}

async function newest(path: string): Promise<number> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return 0;
  if (!info.isDirectory()) return info.mtimeMs;
  const times = await Promise.all((await readdir(path)).map((name) => newest(join(path, name))));
  return Math.max(info.mtimeMs, ...times);
}

const names = process.argv.length > 2 ? process.argv.slice(2) : ALWAYS;
await mkdir(join(root, 'dist'), { recursive: true });
for (const name of names) {
  const target = targets[name];
  if (target === undefined) throw new Error(`${name} is no target: ${Object.keys(targets).join(', ')}`);
  const sources = await Promise.all(target.sources.map((source) => newest(join(root, source))));
  if ((await newest(join(root, target.output))) > Math.max(...sources)) continue;
  await target.make();
}
