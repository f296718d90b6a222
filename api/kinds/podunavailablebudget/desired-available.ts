// How many pods a budget wants to stay available (podunavailablebudget 7.3).

import { scaledUp } from '../../core/percentages.ts';

type Amounts = {
  readonly maxUnavailable?: number | string | undefined;
  readonly minAvailable?: number | string | undefined;
};

/** Of so many expected pods; undefined for an amount that is neither a number nor a percentage. */
export function desiredAvailable({ maxUnavailable, minAvailable }: Amounts, expected: number): number | undefined {
  const amount = scaledUp(maxUnavailable ?? minAvailable ?? 0, expected);
  if (typeof amount !== 'number') return undefined;
  return maxUnavailable === undefined ? amount : Math.max(expected - amount, 0);
}
