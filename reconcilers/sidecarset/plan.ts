// What is to be done next for a SidecarSet: its revisions, its status, and the upgrade of its pods (sidecarset 7.2).

import { eventOf } from '../../kube/event-rows.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { EVENTS } from '../events.ts';
import type { Pod } from '../shared/pod.ts';
import { sayUpgradable } from './condition.ts';
import { choose } from './order.ts';
import { readPods, type SidecarPod } from './pods.ts';
import { register, truncate } from './revisions.ts';
import type { State } from './state.ts';
import { statusEffect } from './status.ts';
import { finishHotUpgrade, upgradePod } from './upgrade.ts';

export function planSidecarSet(state: State, now: number): Plan {
  const registration = register(state);
  // Pods and status never name a revision that does not exist.
  if (registration.isNew) return { groups: [registration.effects] };
  const status = statusEffect(state.object, state.pods, registration);
  const groups = [
    registration.effects,
    reportUpgraded(state, now),
    ...planUpgrades(state, { latest: registration.latest, now }),
    truncate(state, registration),
  ].filter((group) => group.length > 0);
  return { groups, ...(status !== undefined && { status }) };
}

// A hot upgrade is finished before others begin.
function planUpgrades(state: State, made: { latest: string; now: number }): PlannedEffect[][] {
  const { set, pods } = state;
  const strategy = set.spec?.updateStrategy ?? {};
  if (strategy.type === 'NotUpdate' || strategy.paused === true) return [];
  const takenOver = pods.filter((pod) => pod.isTakenOver);
  if (takenOver.length > 0) {
    return readPods(takenOver).flatMap((pod) => [[finishHotUpgrade(pod, state, made.now)], [resetSucceeded(pod)]]);
  }
  const behind = pods.filter((pod) => !pod.isUpdated);
  const selected = behind.filter((pod) => pod.isSelected);
  // A pod is barred if more than images differ. One that is on the way from an earlier upgrade is left until it is back.
  const barred = selected.filter((pod) => pod.isBarred);
  const waiting = selected.filter((pod) => !pod.isBarred && !pod.isOnTheWay);
  const notBack = pods.filter((pod) => (pod.isUpdated ? !pod.isReady : pod.isOnTheWay)).length;
  const chosen = chosenOf(waiting, state, notBack);
  return [
    reportBarred(state, barred, made.now),
    chosen.map(({ stored }) => upgradePod(stored.read() as Pod, state, made)),
  ];
}

/** Those of the waiting pods that are upgraded now, in this order; `unavailable` others are not back from an upgrade. */
function chosenOf(waiting: readonly SidecarPod[], { set, pods }: State, unavailable: number): readonly SidecarPod[] {
  const byPlace = new Map(waiting.flatMap((pod) => (pod.place === undefined ? [] : [[pod.place, pod]])));
  const chosen = choose(
    {
      total: pods.length,
      all: pods.flatMap(({ place }) => place ?? []),
      waiting: [...byPlace.keys()],
      unavailable,
      isReady: (place) => byPlace.get(place)?.isServing ?? false,
      wasUpgraded: (place) => byPlace.get(place)?.wasUpgraded ?? false,
    },
    set.spec?.updateStrategy ?? {},
  );
  return chosen.flatMap((place) => byPlace.get(place) ?? []);
}

// Said of pods that this SidecarSet has upgraded, and of those that were barred once.
function reportUpgraded({ object, pods, knownSets }: State, now: number): PlannedEffect[] {
  const { name } = object.metadata;
  const isKnown = (set: string) => knownSets.has(set);
  const silent = pods.filter(
    ({ isUpdated, said, wasUpgraded }) => isUpdated && (said === false || (said === undefined && wasUpgraded)),
  );
  return readPods(silent).flatMap((pod) => sayUpgradable(pod, name, { isUpgradable: true, isKnown, now }) ?? []);
}

function reportBarred({ object, knownSets }: State, barred: readonly SidecarPod[], now: number): PlannedEffect[] {
  const isKnown = (set: string) => knownSets.has(set);
  const conditions = readPods(barred.filter(({ said }) => said !== false)).flatMap(
    (pod) => sayUpgradable(pod, object.metadata.name, { isUpgradable: false, isKnown, now }) ?? [],
  );
  if (conditions.length === 0) return [];
  const message = `${barred.length} pods cannot be upgraded in place: more than images of their sidecars has changed`;
  return [...conditions, eventOf(EVENTS.notUpgradable, object, message)];
}

function resetSucceeded(regarding: Pod): PlannedEffect {
  const message = 'The containers that a hot upgrade replaced are reset to the empty image';
  return eventOf(EVENTS.resetSucceeded, regarding, message);
}
