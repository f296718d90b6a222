// Runs once before all tests: the modules that they load are those of the sources as they stand.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export default async function buildModules(): Promise<void> {
  const root = new URL('../..', import.meta.url);
  await promisify(execFile)(process.execPath, ['scripts/build.ts', 'wasm', 'direct'], { cwd: root });
}
