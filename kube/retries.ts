// Which failed requests are sent again, and when.

import { ConnectionError, StatusError } from '../component/errors.ts';
import { isConversionRefusal } from './conversion-errors.ts';

const MOST_TRIES = 5;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const TRANSIENT: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** True for the codes of a server that is in trouble or has too much to do. */
export function isTransient(code: number): boolean {
  return TRANSIENT.has(code);
}

export type FailedTry = { error: unknown; method: string; tries: number; random: () => number };

/**
 * How long to wait before the next try; undefined for none. What the server asks for (Retry-After) is kept, with up to a
 * half more, so that not all come back at once. Without it the wait doubles, and is drawn from its upper half.
 */
export function retryDelayMs({ error, method, tries, random }: FailedTry): number | undefined {
  if (tries >= MOST_TRIES || !mayRetry(error, method)) return undefined;
  const asked = error instanceof StatusError ? error.details.retryAfterSeconds : undefined;
  if (asked !== undefined) return asked * 1000 * (1 + random() / 2);
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS);
  return ceiling * (0.5 + random() / 2);
}

// A write may have been done when its answer is lost, or when the server failed in the middle of it.
function mayRetry(error: unknown, method: string): boolean {
  const isRead = method === 'GET';
  if (error instanceof ConnectionError) return isRead || !error.sent;
  if (!(error instanceof StatusError)) return false;
  // What is stored will not be another thing then, though the code is that of a server in trouble.
  if (isRead) return isTransient(error.code) && !isConversionRefusal(error);
  return error.code === 429 || (error.code === 503 && error.details.retryAfterSeconds !== undefined);
}
