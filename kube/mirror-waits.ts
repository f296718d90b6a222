// How long a mirror waits before it asks again. All mirrors of all replicas lose the API server at the same moment, or are
// told by it that what they have is too old: they must not come back at the same moment.

import { StatusError } from '../component/errors.ts';
import { TokenBucket } from './flow-control.ts';
import type { MirrorOptions, MirrorTimes } from './mirror-options.ts';
import { isExpired, SilenceError } from './watch-errors.ts';

/** Resources that a program begins to read again, a second. */
const LISTS_A_SECOND = 4;
/** So long one of very many waits for its turn at most. */
const LONGEST_TURN_MS = 5_000;
/** A server that asks for more time is asked again after this all the same. */
const LONGEST_ASKED_MS = 60_000;

/** What mirrors have in common that read everything again one after another; the first of them at once. */
export type ListTurns = Pick<TokenBucket, 'take'>;

export function listTurns(monotonic: () => number): ListTurns {
  return new TokenBucket({ qps: LISTS_A_SECOND, burst: 1, monotonic });
}

export type WaitsOptions = Required<Pick<MirrorOptions, 'random' | 'turns'>> & { readonly times: MirrorTimes };

/** All waits are in milliseconds, and but for those of nothing drawn from a range, so that replicas come apart. */
export class Waits {
  readonly #options: WaitsOptions;
  #failures = 0;
  #expirations = 0;

  constructor(options: WaitsOptions) {
    this.#options = options;
  }

  /** Failures in a row. To be told that a version is too old is none: the API server can be reached. */
  get failures(): number {
    return this.#failures;
  }

  /** Everything was read. */
  listed(): void {
    this.#failures = 0;
  }

  /** A watch brought something. */
  followed(): void {
    this.#failures = 0;
    this.#expirations = 0;
  }

  /** Before everything is read again: nothing for a mirror that is alone with that in its program. */
  beforeList(): number {
    return this.#spread(this.#options.turns.take(LONGEST_TURN_MS) ?? LONGEST_TURN_MS);
  }

  /** After a failure, before the next question. What the API server asks for is kept (Retry-After). */
  afterFailure(error: unknown): number {
    // Meanwhile nothing is followed. One that expires as soon as it is read is another matter.
    if (isExpired(error)) return this.#backOff(this.#expirations++);
    // Nothing is wrong with the API server as far as is known.
    this.#failures = error instanceof SilenceError ? 1 : this.#failures + 1;
    return Math.max(this.#backOff(this.#failures), this.#asked(error));
  }

  #backOff(times: number): number {
    const { leastWaitMs, mostWaitMs } = this.#options.times;
    return times === 0 ? 0 : this.#spread(Math.min(leastWaitMs * 2 ** (times - 1), mostWaitMs));
  }

  #asked(error: unknown): number {
    const seconds = error instanceof StatusError ? (error.details.retryAfterSeconds ?? 0) : 0;
    return Math.min(seconds * 1000, LONGEST_ASKED_MS) * (1 + this.#options.random() / 2);
  }

  #spread(ms: number): number {
    return ms * (0.5 + 0.5 * this.#options.random());
  }
}
