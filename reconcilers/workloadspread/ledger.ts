// The status of a spread: how many pods its subsets have and how many more fit, over all versions and for each version.
// Those of a version are the ledger in which admission books pods that come and go: a booking is taken out when its pod
// is seen, or when it was too long ago (workloadspread 5.6).

import { EVENTS } from '../events.ts';
import { type Group, type Groups, limitOf, UNLIMITED } from './groups.ts';
import type { SpreadPod } from './pods.ts';
import { type Notes, schedulable } from './schedulable.ts';
import { type Status, type Subset, type SubsetStatus, subsetsOf } from './spread.ts';
import type { State } from './state.ts';

/** A pod that was booked shows by then, and one that was to be deleted is gone. */
const CREATING_MS = 30_000;
const DELETING_MS = 15_000;

type Bookings = { readonly [id: string]: string | null };

/** The whole status as it should be; what else there is to tell and to do goes into the notes. */
export function statusOf(state: State, { byVersion }: Groups, notes: Notes): Status {
  const { spread } = state;
  const { generation: observedGeneration } = spread.metadata;
  const old = spread.status?.versionedSubsetStatuses ?? {};
  const all = merged([...byVersion.values()]);
  const ledgers: Record<string, readonly SubsetStatus[]> = {};
  // The overall status is what tells which pods cannot be scheduled.
  const subsetStatuses = subsetsIn(state, all, spread.status?.subsetStatuses, notes);
  const silent = { ...notes, unschedulable: [], recovered: [] };
  for (const version of new Set([...byVersion.keys(), ...Object.keys(old)])) {
    const ledger = subsetsIn(state, byVersion.get(version) ?? new Map(), old[version], silent);
    if (byVersion.has(version) || ledger.some(isInUse)) ledgers[version] = ledger;
  }
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    subsetStatuses,
    ...(Object.keys(ledgers).length > 0 && { versionedSubsetStatuses: ledgers }),
  };
}

function merged(groups: readonly Group[]): Group {
  const subsets = new Set(groups.flatMap((group) => [...group.keys()]));
  return new Map([...subsets].map((subset) => [subset, groups.flatMap((group) => group.get(subset) ?? [])]));
}

function subsetsIn(
  state: State,
  group: Group,
  old: readonly SubsetStatus[] | undefined,
  notes: Notes,
): readonly SubsetStatus[] {
  const subsets = subsetsOf(state.spread);
  return subsets.map((subset, index) => {
    const pods = group.get(subset.name) ?? [];
    const before = old?.find(({ name }) => name === subset.name);
    const isLast = index === subsets.length - 1;
    const counts = countsOf({ subset, pods, replicas: state.replicas, before }, notes);
    return { ...counts, ...schedulable({ state, subset, pods, before, isLast }, notes) };
  });
}

type Counted = {
  readonly subset: Subset;
  readonly pods: readonly SpreadPod[];
  readonly replicas: number;
  readonly before: SubsetStatus | undefined;
};

function countsOf({ subset, pods, replicas, before }: Counted, notes: Notes): SubsetStatus {
  const limit = limitOf(subset, replicas);
  const active = pods.filter(({ isActive }) => isActive);
  const creatingPods = creating(subset, before?.creatingPods, pods, notes);
  const deletingPods = deleting(subset, before?.deletingPods, active, notes);
  const [comes, goes] = [Object.keys(creatingPods).length, Object.keys(deletingPods).length];
  const free = Math.max(Math.min(limit - active.length + goes, limit) - comes, 0);
  return {
    name: subset.name,
    replicas: active.length,
    missingReplicas: limit === UNLIMITED ? UNLIMITED : free,
    ...(comes > 0 && { creatingPods }),
    ...(goes > 0 && { deletingPods }),
  };
}

/** Bookings of pods that are not there yet. */
function creating({ name }: Subset, old: Bookings = {}, pods: readonly SpreadPod[], notes: Notes): Bookings {
  const waiting = new Map(Object.entries(old));
  if (waiting.size > 0) for (const { matched, metadata } of pods) waiting.delete(matched.uid || metadata.name);
  return kept([...waiting], CREATING_MS, notes, (id) => {
    notes.failed.push({
      row: EVENTS.createFailed,
      message: `pod ${id} of subset ${name} was admitted and did not come`,
    });
  });
}

/** Bookings of pods that are still there. */
function deleting({ name }: Subset, old: Bookings = {}, active: readonly SpreadPod[], notes: Notes): Bookings {
  const booked = Object.entries(old);
  const there = new Set(booked.length === 0 ? [] : active.map(({ metadata }) => metadata.name));
  const waiting = booked.filter(([id]) => there.has(id));
  return kept(waiting, DELETING_MS, notes, (id) => {
    const message = `pod ${id} of subset ${name} was to be deleted and is still there`;
    notes.failed.push({ row: EVENTS.deleteFailed, message });
  });
}

function kept(
  bookings: readonly (readonly [string, string | null])[],
  limitMs: number,
  notes: Notes,
  onOld: (id: string) => void,
): Bookings {
  const fresh = bookings.filter(([id, time]) => {
    // A time that is none is long ago.
    const leftMs = Date.parse(time ?? '') + limitMs - notes.now;
    if (leftMs >= 0) notes.againAfterMs.push(leftMs + 1);
    else onOld(id);
    return leftMs >= 0;
  });
  return Object.fromEntries(fresh);
}

function isInUse({ replicas, creatingPods = {}, deletingPods = {} }: SubsetStatus): boolean {
  return replicas + Object.keys(creatingPods).length + Object.keys(deletingPods).length > 0;
}
