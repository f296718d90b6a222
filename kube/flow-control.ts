// How many requests a client may send: a token bucket for all of them, and a budget for those that are sent again.

/** Requests at `qps` a second on average, `burst` at once; a rate of zero or less is no limit. Time in milliseconds. */
export class TokenBucket {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #monotonic: () => number;
  #tokens: number;
  #countedAt: number;

  constructor(options: { qps: number; burst: number; monotonic: () => number }) {
    this.#msPerToken = options.qps > 0 ? 1000 / options.qps : 0;
    this.#burst = Math.max(options.burst, 1);
    this.#monotonic = options.monotonic;
    this.#tokens = this.#burst;
    this.#countedAt = options.monotonic();
  }

  /**
   * Takes one token and says how long to wait for it; takes none and gives undefined if that would be longer than
   * `limitMs`. Those who wait are served in the order in which they came.
   */
  take(limitMs: number): number | undefined {
    if (this.#msPerToken === 0) return 0;
    const now = this.#monotonic();
    const earned = Math.max(now - this.#countedAt, 0) / this.#msPerToken;
    this.#tokens = Math.min(this.#tokens + earned, this.#burst);
    this.#countedAt = now;
    const waitMs = Math.max((1 - this.#tokens) * this.#msPerToken, 0);
    if (waitMs > limitMs) return undefined;
    this.#tokens--;
    return waitMs;
  }
}

/** Retries that may be saved up, and what each answer that was no failure earns: one retry for five of them. */
const MOST_RETRIES = 10;
const EARNED = 0.2;

/** Keeps what is sent again to a fifth of what was answered well: a server in trouble is not asked more than before. */
export class RetryBudget {
  #retries = MOST_RETRIES;

  /** A request was answered by a server that is well. */
  earn(): void {
    this.#retries = Math.min(this.#retries + EARNED, MOST_RETRIES);
  }

  /** True if a request may be sent again, which is counted. */
  spend(): boolean {
    if (this.#retries < 1) return false;
    this.#retries--;
    return true;
  }
}
