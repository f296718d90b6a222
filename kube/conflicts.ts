// Read, change, write: again from the start when somebody else wrote in between.

import { setTimeout as wait } from 'node:timers/promises';
import { StatusError } from '../component/errors.ts';

const MOST_TRIES = 5;
const DELAY_MS = 10;

/** True for a write that met another resourceVersion or uid than it named. */
export function isConflict(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 409 && error.reason === 'Conflict';
}

export type ConflictOptions = { readonly signal: AbortSignal; readonly random: () => number };

/**
 * What `attempt` gives; it must read anew each time. After five conflicts the last is thrown, other errors at once.
 * Between tries it waits 10 to 20 ms.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>, { signal, random }: ConflictOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
    }
    await wait(DELAY_MS * (1 + random()), undefined, { signal });
  }
}
