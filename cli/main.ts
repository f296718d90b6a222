// Entry of the `sluice` command: gives it the process's streams, clock and evaluator, and ends with its exit code.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { type Environment, processInput } from '../component/flags.ts';
import { EXIT, type Host, type Sink } from './host.ts';

const input = processInput();
const cache = cacheFolder(input.environment);
if (cache !== undefined) enableCompileCache(cache);
const { runCommand } = await import('./program.ts');

// Compiled code is kept in the user's own folder only: in one shared by all, others could plant code.
function cacheFolder({ XDG_CACHE_HOME: cacheHome, HOME: home }: Environment): string | undefined {
  if (cacheHome?.startsWith('/')) return join(cacheHome, 'sluice');
  return home?.startsWith('/') ? join(home, '.cache/sluice') : undefined;
}

/** Output was lost: whatever the verdict, the run failed. */
let isLost = false;

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // The reader may go away early (`sluice ... | head`): that is no error, and the exit code stays that of the verdict.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isLost || stream === process.stderr) return;
    isLost = true;
    process.exitCode = EXIT.internal;
    process.stderr.write(`error: the output cannot be written (${error.code})\n`);
  });
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY === true, columns: stream.columns };
}

const host: Host = {
  environment: input.environment,
  stdin: process.stdin,
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  heapBytes: () => process.memoryUsage().heapUsed,
  nodeVersion: process.version,
  platform: `${process.platform}-${process.arch}`,
  policyModule: new URL(import.meta.url.endsWith('.ts') ? '../dist/policy.wasm' : './policy.wasm', import.meta.url),
  loadAdmission: async (settings, options) => {
    const { loadAdmission } = await import('./evaluator.ts');
    return loadAdmission(settings, options);
  },
  loadKindAdmission: async (settings) => {
    const { loadKindAdmission } = await import('./evaluator.ts');
    return loadKindAdmission(settings);
  },
  connect: async (choice) => {
    const { connect } = await import('./connect.ts');
    return connect(choice, input.environment);
  },
  services: {
    gateway: {
      flags: async () => (await import('../gateway/flags.ts')).gatewayFlags,
      run: async (given) => (await import('../gateway/main.ts')).runGateway(given, input.environment),
    },
    reconcilers: {
      flags: async () => (await import('../reconcilers/flags.ts')).reconcilersFlags,
      run: async (given) => (await import('../reconcilers/main.ts')).runReconcilers(given, input.environment),
    },
  },
};

const code = await runCommand(host, input.arguments);
process.exitCode = isLost ? EXIT.internal : code;
