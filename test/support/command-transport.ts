// `sluice review` as a way to the product: each question is a command line with files, in this process or in its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '../../cli/host.ts';
import { runCommand } from '../../cli/program.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import type { Exchange } from './answer.ts';
import { holdWebhooks } from './policy-module.ts';
import type { Transport } from './runners.ts';

/** What a command line came to. */
type Finished = {
  code: number;
  stdout: string;
  stderr: string;
  /** An object as it was in the end; absent where it cannot be seen. */
  stored?: Transport['stored'];
};
export type RunCommandLine = (given: readonly string[]) => Promise<Finished>;
export type CommandTransport = Transport & { close(): void };

const PROGRAM = fileURLToPath(new URL('../../dist/sluice.mjs', import.meta.url));

/** Asks by command lines. The clock of the decisions stands at `nowMs`. */
export function commandTransport(run: RunCommandLine, gates: string, nowMs: number): CommandTransport {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-corpus-'));
  const [objects, review] = [join(folder, 'objects.json'), join(folder, 'review.json')];
  let stored: Transport['stored'];
  return {
    hold: (held) => writeFileSync(objects, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: held })),
    ask: async (path, body): Promise<Exchange> => {
      writeFileSync(review, body);
      const now = new Date(nowMs).toISOString();
      const given = ['-f', review, '--objects', objects, '--path', path, '--feature-gates', gates, '--now', now];
      const finished = await run(['review', ...given, '-o', 'review']);
      if (finished.code > 1) throw new Error(`exit code ${finished.code}: ${finished.stderr}`);
      checkExitCode(finished);
      stored = finished.stored;
      return { status: 200, body: new TextEncoder().encode(finished.stdout) };
    },
    get stored() {
      return stored;
    },
    now: () => nowMs,
    close: () => rmSync(folder, { recursive: true }),
  };
}

// A refusal ends the command with 1, everything else with 0.
function checkExitCode({ code, stdout }: Finished): void {
  const { response } = JSON.parse(stdout) as { response?: { allowed?: boolean; result?: { status?: string } } };
  const isRefused = response?.allowed === false || response?.result?.status === 'Failure';
  if (code !== (isRefused ? 1 : 0)) throw new Error(`exit code ${code} for ${stdout}`);
}

/** Runs the command's function in this process. */
export const inProcess: RunCommandLine = async (given) => {
  const text = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (part: string) => {
      text[name] += part;
    },
    isTerminal: false,
    columns: undefined,
  });
  let admission: Webhooks | undefined;
  const host: Host = {
    environment: {},
    stdin: (async function* () {})(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    now: () => Date.now(),
    monotonic: () => 0,
    heapBytes: () => 0,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    policyModule: new URL('../../dist/policy.wasm', import.meta.url),
    loadAdmission: async ({ gates }) => {
      admission = await holdWebhooks(Object.fromEntries(gates));
      return admission;
    },
    loadKindAdmission: () => Promise.reject(new Error('no kinds here')),
    connect: () => Promise.reject(new Error('no cluster here')),
    services: { gateway: NO_SERVICE, reconcilers: NO_SERVICE },
  };
  const code = await runCommand(host, given);
  return { code, ...text, stored: (reference) => admission?.object(reference) };
};

const NO_SERVICE = {
  flags: () => Promise.reject(new Error('no services here')),
  run: () => Promise.reject(new Error('no services here')),
};

/** Runs the built command as a process of its own. */
export const asProcess: RunCommandLine = (given) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text.stdout += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text.stderr += part;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, ...text }));
  });
