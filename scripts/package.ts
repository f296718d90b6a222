// The npm package in dist/npm: `sluice/evaluator` as one file with its types and the module beside it, without dependencies.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { kinds } from '../api/kinds/index.ts';
import { kindDeclarations } from './kind-types.ts';

const root = new URL('..', import.meta.url).pathname;
const folder = join(root, 'dist/npm');
const declarations = join(root, 'dist/.declarations');
const ENTRY = 'evaluator/index';

/** Makes the package anew. dist/policy.wasm must be there. */
export async function makePackage(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'types'), { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [`${ENTRY}.ts`],
    outfile: 'dist/npm/evaluator.mjs',
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node24',
    legalComments: 'none',
  });
  await copyFile(join(root, 'dist/policy.wasm'), join(folder, 'policy.wasm'));
  for (const name of ['LICENSE', 'CHANGELOG.md']) await copyFile(join(root, name), join(folder, name));
  await copyFile(join(root, 'scripts/package/README.md'), join(folder, 'README.md'));
  await writeTypes();
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await description(), null, 2)}\n`);
}

/** What the compiler declares of the entry and of what it names, and the kinds. */
async function writeTypes(): Promise<void> {
  const compiler = join(root, 'node_modules/.bin/tsc');
  await promisify(execFile)(compiler, ['-p', 'scripts/package/tsconfig.json'], { cwd: root });
  const waiting = [ENTRY];
  const seen = new Set<string>(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = await readFile(join(declarations, `${file}.d.ts`), 'utf8');
    const here = file;
    const linked = text.replace(/(from\s+')(\.[^']+)\.ts(')/g, (_, before: string, path: string, after: string) => {
      const named = join(dirname(here), path);
      if (!seen.has(named)) waiting.push(named);
      seen.add(named);
      return `${before}${path}.js${after}`;
    });
    await mkdir(dirname(join(folder, 'types', file)), { recursive: true });
    const isEntry = file === ENTRY;
    await writeFile(join(folder, 'types', `${file}.d.ts`), isEntry ? `${linked}${KINDS}` : linked);
  }
  await rm(declarations, { recursive: true });
  await writeFile(join(folder, 'types/kinds.d.ts'), kindDeclarations(kinds.map(({ description }) => description)));
}

const KINDS = `export type * from '../kinds.js';\n`;

async function description(): Promise<Record<string, unknown>> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license, engines } = own;
  return {
    name,
    version,
    description: "OpenKruise's admission decisions without a server or a cluster: one WebAssembly module, typed",
    license,
    type: 'module',
    engines,
    keywords: ['kubernetes', 'admission', 'openkruise', 'sidecarset', 'webassembly', 'policy'],
    sideEffects: false,
    exports: {
      './evaluator': { types: `./types/${ENTRY}.d.ts`, default: './evaluator.mjs' },
      './policy.wasm': './policy.wasm',
      './package.json': './package.json',
    },
    files: ['evaluator.mjs', 'policy.wasm', 'types', 'CHANGELOG.md'],
  };
}
