// Entry of the `sluice` command: gives it the process's streams, clock and evaluator, and ends with its exit code.

import { enableCompileCache } from 'node:module';
import type { Host, Sink } from './host.ts';

enableCompileCache();
const { processInput } = await import('../component/flags.ts');
const { runCommand } = await import('./program.ts');

const input = processInput();

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // The reader may go away early (`sluice ... | head`): that is no error, and the exit code stays that of the verdict.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY === true, columns: stream.columns };
}

const host: Host = {
  environment: input.environment,
  stdin: process.stdin,
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  now: () => Date.now(),
  nodeVersion: process.version,
  platform: `${process.platform}-${process.arch}`,
  policyModule: new URL(import.meta.url.endsWith('.ts') ? '../dist/policy.wasm' : './policy.wasm', import.meta.url),
  loadAdmission: async (options) => {
    const { loadAdmission } = await import('./evaluator.ts');
    return loadAdmission(options);
  },
  gatewayFlags: async () => {
    const { gatewayFlags } = await import('../gateway/flags.ts');
    return gatewayFlags;
  },
  runGateway: async (given) => {
    const { runGateway } = await import('../gateway/main.ts');
    return runGateway(given, input.environment);
  },
};

process.exitCode = await runCommand(host, input.arguments);
