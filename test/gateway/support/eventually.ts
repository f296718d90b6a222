// Waits for a state of the world that comes by itself.

import { vi } from 'vitest';

/** Resolves once `check` passes; rejects with its last failure after ten seconds, which no healthy run takes. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 10_000, interval: 10 });
}
