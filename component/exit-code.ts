// How a program that serves until it is told to stop ends: its exit code, and what its user is told.

import { InputError } from './errors.ts';

/** Exit codes of such a program. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/**
 * Resolves to the exit code. Wrong flags, files or objects (InputError) and what the system refuses (a port, a folder) are
 * told on `stderr`; other errors are bugs, and it rejects with them.
 */
export async function exitCodeOf(
  run: () => Promise<number>,
  stderr: { write(text: string): unknown },
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof InputError) {
      stderr.write(`error: ${error.describe()}\n`);
      return EXIT.usage;
    }
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    stderr.write(`error: ${message}\n`);
    return EXIT.failed;
  }
}
