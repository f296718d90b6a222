// Which of the pods that wait for an upgrade get it now (sidecarset 7.7 and 7.8).

import type { SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import { amountOf, partitionOf } from '../shared/amounts.ts';
import type { Pod } from '../shared/pod.ts';
import { compareForUpdate, orderByPriority, type ScatterTerm, scatter } from '../shared/update-order.ts';

type UpdateStrategy = NonNullable<NonNullable<SidecarSet['spec']>['updateStrategy']>;

export type Waiting = {
  /** How many pods the SidecarSet has. */
  readonly total: number;
  /** All of them, where they are to be scattered. */
  readonly all: readonly Pod[];
  /** Those that can be upgraded now. */
  readonly waiting: readonly Pod[];
  /** How many pods are not back yet from an upgrade, besides those that wait. */
  readonly unavailable: number;
  readonly isReady: (pod: Pod) => boolean;
  /** Has the SidecarSet upgraded the pod before? */
  readonly wasUpgraded: (pod: Pod) => boolean;
};

/**
 * The pods to be upgraded now. One that is not ready is free: there is nothing to be lost with it. But if it went down by an
 * earlier upgrade, it counts as one that is down.
 */
export function choose({ total, all, waiting, ...found }: Waiting, strategy: UpdateStrategy): readonly Pod[] {
  const kept = partitionOf(strategy.partition, total);
  const most = amountOf(strategy.maxUnavailable ?? 1, total) ?? 0;
  const chosen: Pod[] = [];
  let down = found.unavailable;
  for (const pod of orderForUpgrade(waiting, strategy, all).slice(0, Math.max(0, waiting.length - kept))) {
    const isFree = !found.isReady(pod);
    if (!isFree && down >= most) break;
    if (!isFree || found.wasUpgraded(pod)) down++;
    chosen.push(pod);
  }
  return chosen;
}

/** All waiting pods, the first to be upgraded first. */
export function orderForUpgrade(
  waiting: readonly Pod[],
  { priorityStrategy, scatterStrategy = [] }: UpdateStrategy,
  all: readonly Pod[],
): readonly Pod[] {
  const ordered = orderByPriority(waiting.toSorted(compareForUpdate), priorityStrategy);
  return scatter(ordered, expanded(scatterStrategy, all), all);
}

// The value `*` stands for a term for each value that the label has.
function expanded(terms: readonly ScatterTerm[], all: readonly Pod[]): readonly ScatterTerm[] {
  return terms.flatMap(({ key, value }) => {
    if (value !== '*') return [{ key, value }];
    const values = all.map((pod) => pod.metadata.labels?.[key]).filter((found) => found !== undefined);
    return [...new Set(values)].map((found) => ({ key, value: found }));
  });
}
