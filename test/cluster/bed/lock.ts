// One build at a time on a machine. The lock only saves work: what is built is put in its place in one step, so that two
// builds side by side, of which one thought the other dead, do no harm.
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, ownId, type ProcessId } from './process-id.ts';

const LOOK_MS = 500;

/** Runs `work` while no other process holds the lock of this file; `waiting` is told once whom it waits for. */
export async function locked<T>(file: string, work: () => Promise<T>, waiting: (pid: number) => void): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  let isTold = false;
  while (!(await take(file))) {
    const holder = await holderOf(file);
    if (holder === 'nobody') continue;
    if (holder === 'unknown' || !isAlive(holder)) await rm(file, { force: true });
    else {
      if (!isTold) waiting(holder.pid);
      isTold = true;
      await wait(LOOK_MS);
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

// The file appears together with its contents, so that nobody sees one without a holder.
async function take(file: string): Promise<boolean> {
  const { pid, started } = ownId();
  const draft = `${file}-${pid}-${started}`;
  await writeFile(draft, `${pid} ${started}\n`);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

// `nobody`: it has just been let go.
async function holderOf(file: string): Promise<ProcessId | 'nobody' | 'unknown'> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return 'nobody';
  const match = /^(\d+) (\d+)\n$/.exec(text);
  return match === null ? 'unknown' : { pid: Number(match[1]), started: Number(match[2]) };
}
