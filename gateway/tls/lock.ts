// Lets one process at a time make the files of a folder. The lock is a file that only one of them can create; one whose
// process died is broken when it has not changed for a while, by the watcher's own clock.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const NAME = '.making.lock';
const POLL_MS = 20;
/** Far above the time that the making of all files takes. */
const STALE_MS = 10_000;

/** Runs `make` while no other process does so in the folder, which is made if need be. */
export async function exclusively<T>(folder: string, make: () => Promise<T>, staleMs = STALE_MS): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, NAME);
  const token = randomBytes(12).toString('hex');
  await acquire(path, token, staleMs);
  try {
    return await make();
  } finally {
    if ((await holder(path)) === token) await rm(path, { force: true });
  }
}

async function acquire(path: string, token: string, staleMs: number): Promise<void> {
  let seen: string | undefined;
  let since = performance.now();
  while (!(await create(path, token))) {
    const present = await holder(path);
    if (present !== seen) {
      seen = present;
      since = performance.now();
    } else if (present !== undefined && performance.now() - since >= staleMs) await clear(path, present, token);
    await wait(POLL_MS);
  }
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(token);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the lock: empty while that is being written, undefined when nobody does. */
function holder(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Takes a dead process's lock away; one that was taken anew meanwhile is put back. */
async function clear(path: string, dead: string, token: string): Promise<void> {
  const aside = `${path}.${token}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== dead) await link(aside, path);
  } catch (error) {
    // Another process was quicker.
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  await rm(aside, { force: true });
}
