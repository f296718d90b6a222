// Keys that wait for work: each at most once, never two workers on the same, later ones at their time, and those that
// failed after a back-off (operations 13.5).

import { Histogram } from '../component/histogram.ts';
import { TokenBucket } from './flow-control.ts';
import { Schedule } from './schedule.ts';

export type QueueOptions = {
  /** The wait after the first failure of a key; it doubles with each. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** Retries of all keys together: a second on average, and at once. */
  readonly qps: number;
  readonly bucketSize: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
};

export type QueueCounts = { adds: number; retries: number };

/** Seconds; wide enough for a reconcile of microseconds and for one that hangs. */
const BOUNDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000];

/** Its size is bounded by the number of different keys. */
export class WorkQueue {
  readonly counts: QueueCounts = { adds: 0, retries: 0 };
  /** From being added to being taken, and from being taken to being done; seconds. */
  readonly waited = new Histogram(BOUNDS);
  readonly worked = new Histogram(BOUNDS);
  readonly #options: QueueOptions;
  readonly #bucket: TokenBucket;
  readonly #schedule: Schedule;
  /** Keys to be taken, in order, with the time at which they came. */
  readonly #ready = new Map<string, number>();
  /** Keys that are being worked on, since when. */
  readonly #working = new Map<string, number>();
  /** Keys that came again while they are worked on. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #takers: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket({ qps: options.qps, burst: options.bucketSize, monotonic: options.monotonic });
    this.#schedule = new Schedule(options.monotonic, (key) => this.add(key));
  }

  /** Keys that could be taken now. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Seconds of work on keys that are not done: of all together, and of the one that takes longest. */
  get unfinished(): { readonly sum: number; readonly longest: number } {
    const now = this.#options.monotonic();
    const seconds = [...this.#working.values()].map((since) => (now - since) / 1000);
    return { sum: seconds.reduce((sum, one) => sum + one, 0), longest: Math.max(0, ...seconds) };
  }

  get working(): number {
    return this.#working.size;
  }

  /** The key is to be taken as soon as a worker is free. */
  add(key: string): void {
    if (this.#ready.has(key) || this.#again.has(key)) return;
    this.counts.adds++;
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#ready.set(key, this.#options.monotonic());
    this.#takers.shift()?.();
  }

  /** Adds the key after this time; the earliest time that was asked for counts. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else this.#schedule.add(key, ms);
  }

  /** Adds the key after a wait that grows with its failures, up to `mostMs` if that is less than what all keys have. */
  retry(key: string, mostMs: number = this.#options.maxDelayMs): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.counts.retries++;
    const { baseDelayMs, maxDelayMs } = this.#options;
    const backoffMs = Math.min(baseDelayMs * 2 ** Math.min(failures, 60), maxDelayMs, mostMs);
    this.addAfter(key, Math.max(backoffMs, this.#bucket.take(maxDelayMs) ?? maxDelayMs));
  }

  /** How often the key has failed without success in between. */
  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The key's failures do not count any more. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, which nobody else gets until it is `done`; undefined once the signal is aborted. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      if (signal.aborted) {
        // Whoever leaves may have been woken for a key.
        if (this.#ready.size > 0) this.#takers.shift()?.();
        return undefined;
      }
      const [first] = this.#ready;
      if (first !== undefined) return this.#start(...first);
      await this.#nextAdd(signal);
    }
  }

  /** The key that was taken may be taken again. */
  done(key: string): void {
    const since = this.#working.get(key);
    if (since === undefined) return;
    this.#working.delete(key);
    this.worked.observe((this.#options.monotonic() - since) / 1000);
    if (!this.#again.delete(key)) return;
    this.#ready.set(key, this.#options.monotonic());
    this.#takers.shift()?.();
  }

  /** Nothing is added after its time any more. */
  stop(): void {
    this.#schedule.stop();
  }

  #start(key: string, cameAt: number): string {
    const now = this.#options.monotonic();
    this.#ready.delete(key);
    this.#working.set(key, now);
    this.waited.observe((now - cameAt) / 1000);
    return key;
  }

  #nextAdd(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = () => {
        this.#takers.splice(this.#takers.indexOf(wake), 1);
        resolve();
      };
      this.#takers.push(wake);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
