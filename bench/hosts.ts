// The hosts of examples/hosts: size, start, microseconds of CPU a review and memory, each as a process that is fed lines,
// so that reading and writing are in it. For docs/reference/embedding.md.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processInput } from '../component/flags.ts';
import { HOSTS, type Host, isReady } from '../test/hosts/support/programs.ts';
import { reviewBody, sidecarSet } from './support/subject.ts';

const WARM = 2000;
const REVIEWS = 10_000;
/** Reviews that are on their way at a time: the pipe is never empty, and never long. */
const AHEAD = 16;
const TICKS_A_SECOND = 100;
const { environment } = processInput();
const set = sidecarSet('logs', { app: 'web' });
const body = reviewBody().toString();

async function measure(host: Host): Promise<void> {
  const { program, given } = host.command(environment);
  const isWapc = host.name === 'wapc';
  const module = new URL(`../dist/${isWapc ? 'policy-kubewarden' : 'policy'}.wasm`, import.meta.url).pathname;
  const begun = performance.now();
  const child = spawn(program, [...given, module], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} does not start`);
  const answers = new Answers();
  child.stdout.on('data', (chunk: Buffer) => answers.add(chunk));
  const review = isWapc ? validation() : `review 0 ${Date.now()} ${body}`;
  const send = async (lines: number): Promise<void> => {
    for (let sent = 0; sent < lines; sent++) {
      child.stdin.write(`${review}\n`);
      if (answers.waiting(1) >= AHEAD) await answers.fewer(AHEAD);
    }
    await answers.fewer(1);
  };
  if (!isWapc) {
    answers.waiting(1);
    child.stdin.write(`apply ${JSON.stringify(set)}\n`);
  }
  await send(1);
  const start = performance.now() - begun;
  await send(WARM);
  const before = cpuOf(pid);
  await send(REVIEWS);
  const microseconds = ((cpuOf(pid) - before) / REVIEWS) * 1e6;
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  child.stdin.end();
  await once(child, 'close');
  const figures = [`${sizeOf(host, program).toFixed(1)} MB`, `${start.toFixed(0)} ms`, `${microseconds.toFixed(0)} us`];
  console.log([host.name.padEnd(12), ...figures.map((one) => one.padStart(9)), `${memory.toFixed(0)} MB`].join(' '));
}

/** Answers are counted by their heads: words, of which those behind the first are lengths. */
class Answers {
  private rest = Buffer.alloc(0);
  private missing = 0;
  private least = 0;
  private arrived: () => void = () => undefined;

  /** One more is waited for; how many are by now. */
  waiting(more: number): number {
    this.missing += more;
    return this.missing;
  }

  /** Fewer than so many are missing. */
  async fewer(than: number): Promise<void> {
    if (this.missing < than) return;
    this.least = than;
    await new Promise<void>((resolve) => {
      this.arrived = resolve;
    });
  }

  add(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (let end = this.rest.indexOf('\n'); end >= 0; end = this.rest.indexOf('\n')) {
      const lengths = this.rest.toString('latin1', 0, end).split(' ').slice(1).map(Number);
      const next = lengths.reduce((sum, length) => sum + length, end + 2);
      if (this.rest.length < next) return;
      this.rest = this.rest.subarray(next);
      this.missing--;
      if (this.missing < this.least) this.arrived();
    }
  }
}

function validation(): string {
  const { request } = JSON.parse(body) as { request: unknown };
  return `validate ${JSON.stringify({ request, settings: { objects: [set] } })}`;
}

/** Seconds of CPU that a process has taken. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Megabytes of the program with its engine; of Python and Node what is added to them. */
function sizeOf({ name }: Host, program: string): number {
  if (name === 'node') return 0;
  const path = name === 'python' ? join(dirname(program), '../lib') : program;
  return bytesOf(path, name === 'python' ? /wasmtime/ : /./) / 1e6;
}

function bytesOf(path: string, wanted: RegExp): number {
  const info = statSync(path);
  if (!info.isDirectory()) return wanted.test(path) ? info.size : 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name), wanted), 0);
}

// Behind the class, which is not there before.
console.log('host          program   start    a review   memory');
for (const host of HOSTS) {
  if (isReady(host, environment)) await measure(host);
  else console.log(`${host.name.padEnd(12)} left out: "npm run hosts:setup" builds it`);
}
