// How long a request may have waited before Node.js handed it over. While the event loop works through one batch of
// requests, others wait in the kernel where no clock runs; what is known is when the loop last asked the kernel.

/** Two batches closer than this follow each other without the loop having been idle. */
const IDLE_GAP_MS = 5;

export class Backlog {
  #open = false;
  #previousStart = 0;
  #start = 0;
  #end = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;
  readonly #close = (): void => {
    this.#open = false;
    this.#end = this.#now();
  };

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The earliest time at which a request that is handed over at `now` can have arrived: the start of the batch before
   * the present one, as a request that arrived earlier would have been in that batch.
   */
  earliestArrival(now: number): number {
    if (!this.#open) {
      this.#open = true;
      this.#previousStart = now - this.#end < IDLE_GAP_MS ? this.#start : now;
      this.#start = now;
      setImmediate(this.#close);
    }
    return this.#previousStart;
  }
}
