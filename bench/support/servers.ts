// Servers to measure, each a process of its own on the first core; the client has the second.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../api/core/json.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../scripts/image/runtime.ts';

export type Server = {
  port: number;
  /** CPU time used so far, in milliseconds: its threads included. */
  cpuMs(): Promise<number>;
  /** Resident memory in bytes. */
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
};

const root = new URL('../..', import.meta.url).pathname;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** The gateway with these objects. */
export async function startGateway(objects: readonly JsonObject[], flags: readonly string[] = []): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  await writeFile(join(folder, 'objects.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const given = ['--objects', join(folder, 'objects.json'), '--cert-dir', join(folder, 'certs'), '--port', '0'];
  const ports = ['--health-port', '0', '--metrics-port', '0', '--drain-delay', '0s', '--log-level', 'warn'];
  const child = start([join(root, 'dist/sluice.mjs'), 'gateway', ...given, ...ports, ...flags]);
  return served(child, /gateway listens on https:\/\/127\.0\.0\.1:(\d+)/, () => rm(folder, { recursive: true }));
}

/** The least that such a server can do: it reads the body and answers a constant. */
export async function startFloor(answer: Buffer): Promise<Server> {
  const child = start([join(root, 'bench/support/floor.ts'), answer.toString('base64')]);
  return served(child, /floor listens on (\d+)/, async () => {});
}

function start(given: readonly string[]): ChildProcess {
  const pinned = ['--cpu-list', '0', process.execPath, ...NODE_FLAGS, ...given];
  const env = { PATH: '/usr/bin:/bin', ...NODE_ENVIRONMENT };
  const child = spawn('taskset', pinned, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  // A bench that fails half-way leaves no server behind.
  process.once('exit', () => child.kill());
  return child;
}

async function served(child: ChildProcess, listens: RegExp, clean: () => Promise<void>): Promise<Server> {
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = listens.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
    child.once('error', reject);
  });
  const proc = async (file: string): Promise<string> => readFile(`/proc/${child.pid}/${file}`, 'utf8');
  return {
    port,
    cpuMs: async () => {
      const fields = (await proc('stat')).replace(/^.*\) /, '').split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    residentBytes: async () => Number(/VmRSS:\s+(\d+)/.exec(await proc('status'))?.[1] ?? 0) * 1024,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await clean();
    },
  };
}
