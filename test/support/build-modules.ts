// Runs once before the tests that load modules: these are then of the sources as they stand. While the sources do not
// compile the last good modules serve, with a warning; `npm test` builds first, and fails.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const root = new URL('../..', import.meta.url);

export default async function buildModules(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, ['scripts/build.ts', 'wasm', 'direct'], { cwd: root });
  } catch (error) {
    const isBuilt = ['policy', 'direct'].every((name) => existsSync(new URL(`dist/${name}.wasm`, root)));
    if (!isBuilt) throw error;
    process.stderr.write(`The modules are those of an earlier build, as this one failed:\n${error}\n`);
  }
}
