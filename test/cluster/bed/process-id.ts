// Says whether a process that was seen before still lives. A number alone does not tell: numbers are used again.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process: its number and when it started (clock ticks since the machine did; 0 where the system does not say). */
export type ProcessId = { pid: number; started: number };

/** This process. */
export function ownId(): ProcessId {
  return { pid: process.pid, started: startOf(process.pid) ?? 0 };
}

/** True while that very process runs. */
export function isAlive({ pid, started }: ProcessId): boolean {
  if (started !== 0) return startOf(pid) === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process; undefined if there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    // It has gone.
    return undefined;
  }
}

/** Ends a process at once; it may have ended before. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// Undefined for a process that is gone, or a zombie; undefined too where there is no /proc.
function startOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    return state === 'Z' || state === 'X' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
