// Numbers of pods that users give as such or as a percentage (admission-overview 10.8).

import { scaledUp } from '../../api/core/percentages.ts';

/** The number of pods, percentages rounded up; undefined for a text that is no percentage. */
export function amountOf(value: number | string, total: number): number | undefined {
  const amount = scaledUp(value, total);
  return typeof amount === 'number' ? amount : undefined;
}

/**
 * How many pods of `total` keep the old version; none if it is not said. Percentages are rounded up, but less than all
 * leaves at least one of several pods to be updated. A text that is no percentage keeps all.
 */
export function partitionOf(partition: number | string | undefined, total: number): number {
  if (partition === undefined) return 0;
  const kept = amountOf(partition, total);
  if (kept === undefined) return total;
  const isPart = typeof partition === 'string' && partition !== '100%';
  const least = isPart && kept >= total && total > 1 ? total - 1 : kept;
  return Math.min(Math.max(least, 0), total);
}
