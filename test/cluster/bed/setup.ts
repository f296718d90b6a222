// `npm run cluster:setup`: finds, builds or installs what the tests in a real control plane and on real nodes need.
import { processInput } from '../../../component/flags.ts';
import { ensurePrograms, type Say } from './build.ts';
import { ensurePackages, ensureShells } from './packages.ts';

const say: Say = (line) => process.stdout.write(`${line}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await ensurePackages(say);
  await ensureShells(say);
  await ensurePrograms(processInput().environment, say);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
