// A limit in time together with the caller's own signal, for one request with all its waits.

import { ConnectionError } from '../component/errors.ts';

export type DeadlineOptions = {
  /** What may take that long, for the message. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly monotonic: () => number;
};

/** Counts down from its creation. Must be disposed of: it holds a timer and listens to the caller's signal. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #at: number;
  readonly #monotonic: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #given: AbortSignal | undefined;
  readonly #onAbort = () => this.#controller.abort(this.#given?.reason);

  constructor({ what, timeoutMs, signal, monotonic }: DeadlineOptions) {
    this.#monotonic = monotonic;
    this.#at = monotonic() + timeoutMs;
    this.#given = signal;
    const exceeded = () => new ConnectionError(`${what}: no answer within ${timeoutMs / 1000} s`, { sent: true });
    this.#timer = setTimeout(() => this.#controller.abort(exceeded()), timeoutMs);
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborted with the caller's reason, or with ConnectionError when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What is left, in milliseconds; not negative. */
  get remainingMs(): number {
    return Math.max(this.#at - this.#monotonic(), 0);
  }

  /** Resolves after the time; rejects with the signal's reason when that is aborted before. */
  wait(ms: number): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** From here on only the caller's signal counts. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener('abort', this.#onAbort);
  }
}
