// A histogram as plain numbers, to be read by histogramSamples when the metrics are scraped.

import type { HistogramState } from './metrics.ts';

/** Counts values by upper bounds, which must rise. */
export class Histogram implements HistogramState {
  readonly labels: Record<string, string | number>;
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[], labels: Record<string, string | number> = {}) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const at = this.bounds.findIndex((bound) => value <= bound);
    const index = at < 0 ? this.bounds.length : at;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
