// `npm run cluster:setup`: finds or builds the programs that the tests in a real control plane need.
import { processInput } from '../../../component/flags.ts';
import { ensurePrograms } from './build.ts';

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await ensurePrograms(processInput().environment, (line) => process.stdout.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
