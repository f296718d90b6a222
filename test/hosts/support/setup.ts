// `npm run hosts:setup [-- NAME...]`: makes the hosts of examples/hosts ready to run, those for which the machine has the
// tools.
import { join } from 'node:path';
import { processInput } from '../../../component/flags.ts';
import { locked } from '../../cluster/bed/lock.ts';
import { cacheFolder, HOSTS, hasTool, isReady, makeReady } from './programs.ts';

const { arguments: named, environment } = processInput();
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const lock = join(cacheFolder(environment), 'lock');
  await locked(lock, makeAll, (pid) => say(`waiting for process ${pid}, which builds already`));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function makeAll(): Promise<void> {
  const wanted = HOSTS.filter(({ name }) => named.length === 0 || named.includes(name));
  for (const host of wanted) {
    if (isReady(host, environment)) say(`${host.name}: ready`);
    else if (!(await hasTool(host, environment))) say(`${host.name}: left out, there is no ${host.tool}`);
    else {
      const begun = performance.now();
      say(`${host.name}: being built by ${host.tool}${host.tool === 'cargo' ? '; minutes the first time' : ''}`);
      await makeReady(host, environment);
      say(`${host.name}: built in ${Math.round((performance.now() - begun) / 1000)} s`);
    }
  }
}
