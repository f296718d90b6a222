// Where beds live: one folder each, below one folder a user. The name of a folder says which process it belongs to, so
// that the beds of processes that were killed are found and cleared away by the next one.
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { clearGroups } from './cgroups.ts';
import { commandLineOf, isAlive, kill, ownId } from './process-id.ts';

const OWNED = /^bed-(\d+)-(\d+)-/;

/** Makes a folder for a bed that ends with this process. */
export function makeOwnFolder(): string {
  const { pid, started } = ownId();
  const folder = join(root(), `bed-${pid}-${started}-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** The folder of the bed that outlives the command that started it; there is one a user. */
export function lastingFolder(): string {
  return join(root(), 'lasting');
}

/** Ends the programs of beds whose process is gone, and removes their folders. Says which. */
export function clearLeftovers(): string[] {
  const folders = readdirSync(root()).filter((name) => {
    const [, pid, started] = OWNED.exec(name) ?? [];
    return pid !== undefined && !isAlive({ pid: Number(pid), started: Number(started) });
  });
  for (const name of folders) clearFolder(join(root(), name));
  return folders;
}

/** Ends the programs of a bed at once, and removes its folder. */
export function clearFolder(folder: string): void {
  for (const pid of programsOf(folder).values()) kill(pid);
  clearGroups(folder);
  // Programs may still be writing while they end.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** The programs of a bed that run, by name. */
export function programsOf(folder: string): Map<string, number> {
  const running = new Map<string, number>();
  for (const file of entries(pidFolder(folder))) {
    const pid = Number(readText(join(pidFolder(folder), file)));
    // The number may be another's by now; the command line of every program of a bed names its folder.
    if (Number.isInteger(pid) && pid > 1 && commandLineOf(pid)?.includes(folder)) running.set(file, pid);
  }
  return running;
}

/** Holds a file a program: its name, and in it the number of its process. */
export function pidFolder(folder: string): string {
  return join(folder, 'pids');
}

function root(): string {
  const { uid } = userInfo();
  const path = join(tmpdir(), `sluice-beds-${uid}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const state = lstatSync(path);
  // The parent may be writable for everybody.
  if (!state.isDirectory() || (uid >= 0 && state.uid !== uid)) throw new Error(`${path} is not a folder of our own`);
  return path;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Killed before it had any.
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
