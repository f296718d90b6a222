// Waits that end early, without an error, when a signal is aborted.

/** Resolves after the time, or when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Those who wait until something has got on. */
export class Steps {
  readonly #waiting = new Set<() => void>();

  /** It has. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next step. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#waiting.delete(woken);
        signal.removeEventListener('abort', aborted);
        settle();
      };
      const woken = end(resolve);
      const aborted = end(() => reject(signal.reason));
      this.#waiting.add(woken);
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
