// Whether pods of a subset can be scheduled, for spreads that adapt: those that wait too long are deleted, and their
// successors avoid the subset for some minutes (workloadspread 5.7).

import type { EventRow } from '../../kube/event-rows.ts';
import { timestamp } from '../shared/pod.ts';
import type { SpreadPod } from './pods.ts';
import type { Spread, Subset, SubsetStatus } from './spread.ts';
import type { State } from './state.ts';

/** So long a subset is avoided after the last pod that could not be scheduled. */
const AVOIDED_MS = 300_000;

const SCHEDULABLE = 'Schedulable';

/** What one look at a spread brings besides its status. */
export type Notes = {
  readonly now: number;
  /** Pods that have waited too long. */
  readonly unschedulable: SpreadPod[];
  /** Subsets that are tried again. */
  readonly recovered: string[];
  /** Bookings that came to nothing. */
  readonly failed: { readonly row: EventRow; readonly message: string }[];
  /** When something changes by time alone. */
  readonly againAfterMs: number[];
};

type Conditions = NonNullable<SubsetStatus['conditions']>;

type Asked = {
  readonly state: State;
  readonly subset: Subset;
  readonly pods: readonly SpreadPod[];
  readonly before: SubsetStatus | undefined;
  readonly isLast: boolean;
};

/** The conditions of a subset; none for spreads that do not adapt. The last subset is never avoided. */
export function schedulable({ state, subset, pods, before, isLast }: Asked, notes: Notes): { conditions?: Conditions } {
  const seconds = criticalSeconds(state.spread);
  if (seconds === 0) return {};
  const old = before?.conditions?.find(({ type }) => type === SCHEDULABLE);
  if (isLast) return { conditions: [condition(true, old, notes.now)] };
  const failed = pods.filter((pod) => pod.isUnschedulable && isOver(pod, seconds, notes));
  notes.unschedulable.push(...failed);
  if (failed.length > 0) return { conditions: [condition(false, old, notes.now)] };
  if (old?.status !== 'False') return { conditions: [condition(true, old, notes.now)] };
  const leftMs = Date.parse(old.lastTransitionTime ?? '') + AVOIDED_MS - notes.now;
  if (leftMs >= 0) {
    notes.againAfterMs.push(leftMs + 1);
    return { conditions: [old] };
  }
  notes.recovered.push(subset.name);
  return { conditions: [condition(true, old, notes.now)] };
}

/** 0 for spreads that do not adapt. */
function criticalSeconds({ spec }: Spread): number {
  const { type, adaptive } = spec?.scheduleStrategy ?? {};
  return type === 'Adaptive' ? Math.max(adaptive?.rescheduleCriticalSeconds ?? 0, 0) : 0;
}

function condition(isTrue: boolean, old: Conditions[number] | undefined, now: number): Conditions[number] {
  const [status, reason] = isTrue ? ['True', 'Sufficient'] : ['False', 'PodUnschedulable'];
  if (old?.status === status && old.reason === reason) return old;
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timestamp(now);
  return { type: SCHEDULABLE, status, reason, message: '', lastTransitionTime } as Conditions[number];
}

function isOver({ createdAt }: SpreadPod, seconds: number, notes: Notes): boolean {
  const leftMs = createdAt + seconds * 1000 - notes.now;
  if (leftMs >= 0) notes.againAfterMs.push(leftMs + 1);
  return !(leftMs >= 0);
}
