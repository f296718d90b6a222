// Trouble that lasts: told when it begins and when its reason changes, and once when it is over. What comes and goes is
// told of at most once a minute.

import type { Logger } from './logger.ts';

export type TroubleOptions = {
  readonly logger: Logger;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** The lines; a reason is added to the first as `reason`. */
  readonly begins: string;
  readonly ends: string;
  readonly level?: 'warn' | 'error';
  /** Of both lines. */
  readonly keys?: Readonly<Record<string, unknown>>;
};

const QUIET_MS = 60_000;

/** One trouble at a time: what begins while another lasts takes its place, and one end is told. */
export class Trouble {
  readonly #options: TroubleOptions;
  #told: string | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TroubleOptions) {
    this.#options = options;
  }

  /** True if it was told of, and its end was not. */
  get isOpen(): boolean {
    return this.#told !== undefined;
  }

  /** There is trouble. The same reason as before is told once. */
  begin(reason: string, more: Readonly<Record<string, unknown>> = {}): void {
    if (this.#told === reason) return;
    this.#told = reason;
    const { logger, begins, level = 'warn', keys } = this.#options;
    logger[level]({ ...keys, ...more, reason }, begins);
  }

  /** There is none; to be called again and again while there is none, for an end that came too soon to be told. */
  end(): void {
    if (this.#told === undefined) return;
    const { logger, monotonic, ends, keys } = this.#options;
    const now = monotonic();
    if (now - this.#endedAt < QUIET_MS) return;
    this.#endedAt = now;
    this.#told = undefined;
    logger.info({ ...keys }, ends);
  }
}
