// The pods whose disturbance was admitted lately, as the status has them: each holds a unit until it is seen to be over,
// or is taken to have failed (podunavailablebudget 7.5).

import type { CountedPod, State } from './state.ts';

/** A pod that is deleted, evicted or resized shows it by then, and one that is updated. */
const DISRUPTED_MS = 20_000;
const UNAVAILABLE_MS = 10_000;

type Records = { readonly [pod: string]: string };

export type Aged = {
  readonly disruptedPods: Records;
  readonly unavailablePods: Records;
  /** Pods that should be gone and are not. */
  readonly notDeleted: readonly CountedPod[];
  /** When the next record is too old; undefined without records. */
  readonly recheckAfterMs: number | undefined;
};

/** Records of pods that are finished, being deleted or gone are over, and those that are too old. */
export function aged({ budget, pods }: State, now: number): Aged {
  const disrupted = kept(pods, budget.status?.disruptedPods, now - DISRUPTED_MS);
  const unavailable = kept(pods, budget.status?.unavailablePods, now - UNAVAILABLE_MS);
  // A record counts up to the very time at which it ends.
  const recheckAfterMs = Math.min(disrupted.oldestAgainMs, unavailable.oldestAgainMs) + 1;
  return {
    disruptedPods: disrupted.records,
    unavailablePods: unavailable.records,
    notDeleted: disrupted.dropped,
    recheckAfterMs: Number.isFinite(recheckAfterMs) ? recheckAfterMs : undefined,
  };
}

function kept(pods: readonly CountedPod[], old: { readonly [pod: string]: string | null } = {}, since: number) {
  const records: Record<string, string> = {};
  const dropped: CountedPod[] = [];
  let oldestAgainMs = Number.POSITIVE_INFINITY;
  for (const counted of pods) {
    const { name } = counted.pod.metadata;
    if (!Object.hasOwn(old, name)) continue;
    const time = old[name] ?? '';
    const age = Date.parse(time);
    // A time that is none is long ago.
    if (!(age >= since)) {
      dropped.push(counted);
      continue;
    }
    records[name] = time;
    oldestAgainMs = Math.min(oldestAgainMs, age - since);
  }
  return { records, dropped, oldestAgainMs };
}
