// What is to be done next for a SidecarSet: its revisions, its status, and the upgrade of its pods (sidecarset 7.2).

import { matchesSelector, selectorFault } from '../../api/core/selector.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../api/names.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { EVENTS, eventOf } from '../events.ts';
import { type Pod, statusOf } from '../shared/pod.ts';
import { sayUpgradable, upgradableByName } from './condition.ts';
import { isTakenOver } from './hot-upgrade.ts';
import { choose } from './order.ts';
import { recordedHash, wasUpgraded } from './records.ts';
import { register, truncate } from './revisions.ts';
import { isConsistent, isReadyWith, type Sidecar, sidecarsOf } from './sidecars.ts';
import type { State } from './state.ts';
import { type Standing, statusEffect } from './status.ts';
import { finishHotUpgrade, hashOf, upgradePod } from './upgrade.ts';

export function planSidecarSet(state: State, now: number): Plan {
  const registration = register(state);
  // Pods and status never name a revision that does not exist.
  if (registration.isNew) return { groups: [registration.effects] };
  const view = viewOf(state);
  const status = statusEffect(state.object, [...view.standings.values()], registration);
  const groups = [
    registration.effects,
    reportUpgraded(state, view, now),
    ...planUpgrades(state, view, { latest: registration.latest, now }),
    truncate(state, registration),
  ].filter((group) => group.length > 0);
  return { groups, ...(status !== undefined && { status }) };
}

/** The pods as they stand, found once for all parts of the plan. */
type View = {
  readonly sidecars: readonly Sidecar[];
  /** Names of the containers in pods, sorted. */
  readonly containers: readonly string[];
  readonly standings: ReadonlyMap<Pod, PodStanding>;
};
type PodStanding = Standing & { readonly isServing: boolean };

function viewOf({ object, set, pods }: State): View {
  const { name } = object.metadata;
  const sidecars = sidecarsOf(set);
  const containers = sidecars.flatMap((sidecar) => sidecar.containers).sort();
  const hash = hashOf(object.metadata.annotations);
  const standings = pods.map((pod): [Pod, PodStanding] => {
    const isServing = isReadyWith(pod, sidecars);
    const isReady = isServing && isConsistent(pod, name, containers);
    return [pod, { isUpdated: recordedHash(pod, SIDECARSET_HASH, name) === hash, isServing, isReady }];
  });
  return { sidecars, containers, standings: new Map(standings) };
}

// A hot upgrade is finished before others begin.
function planUpgrades(state: State, view: View, made: { latest: string; now: number }): PlannedEffect[][] {
  const { object, set, pods } = state;
  const strategy = set.spec?.updateStrategy ?? {};
  if (strategy.type === 'NotUpdate' || strategy.paused === true) return [];
  const { name } = object.metadata;
  const takenOver = pods.filter((pod) => isTakenOver(pod, name, view.sidecars));
  if (takenOver.length > 0) {
    return takenOver.flatMap((pod) => [[finishHotUpgrade(pod, state, made.now)], [resetSucceeded(pod)]]);
  }
  const behind = pods.filter((pod) => !view.standings.get(pod)?.isUpdated);
  const { waiting, barred, onTheWay } = classify(behind, state, view);
  const notBack = [...view.standings.values()].filter(({ isUpdated, isReady }) => isUpdated && !isReady).length;
  const chosen = choose(
    {
      all: pods,
      waiting,
      unavailable: notBack + onTheWay.size,
      isReady: (pod) => view.standings.get(pod)?.isServing ?? false,
      wasUpgraded: (pod) => wasUpgraded(pod, name),
    },
    strategy,
  );
  return [reportBarred(state, barred, made.now), chosen.map((pod) => upgradePod(pod, state, made))];
}

function isSelected(pod: Pod, { set }: State): boolean {
  const selector = set.spec?.updateStrategy?.selector;
  if (selector === undefined) return true;
  return selectorFault(selector) === undefined && matchesSelector(selector, pod.metadata.labels);
}

type Classes = {
  readonly waiting: readonly Pod[];
  readonly barred: readonly Pod[];
  readonly onTheWay: ReadonlySet<Pod>;
};

// A pod is barred if more than images differ. One that is on the way from an earlier upgrade is left until it is back.
function classify(behind: readonly Pod[], state: State, { containers }: View): Classes {
  const { name, annotations } = state.object.metadata;
  const wanted = annotations?.[SIDECARSET_HASH_WITHOUT_IMAGE] ?? '';
  const isBarred = (pod: Pod) => recordedHash(pod, SIDECARSET_HASH_WITHOUT_IMAGE, name) !== wanted;
  const isOnTheWay = (pod: Pod) =>
    containers.some((container) => statusOf(pod, container)?.ready === true && !isConsistent(pod, name, [container]));
  const onTheWay = new Set(behind.filter(isOnTheWay));
  const selected = behind.filter((pod) => isSelected(pod, state));
  return {
    waiting: selected.filter((pod) => !isBarred(pod) && !onTheWay.has(pod)),
    barred: selected.filter(isBarred),
    onTheWay,
  };
}

// Said of pods that this SidecarSet has upgraded, and of those that were barred once.
function reportUpgraded({ object, pods, knownSets }: State, { standings }: View, now: number): PlannedEffect[] {
  const { name } = object.metadata;
  const isKnown = (set: string) => knownSets.has(set);
  const mustSay = (pod: Pod) => {
    const said = upgradableByName(pod).get(name);
    return said === false || (said === undefined && wasUpgraded(pod, name));
  };
  return pods
    .filter((pod) => standings.get(pod)?.isUpdated && mustSay(pod))
    .flatMap((pod) => sayUpgradable(pod, name, { isUpgradable: true, isKnown, now }) ?? []);
}

function reportBarred({ object, knownSets }: State, barred: readonly Pod[], now: number): PlannedEffect[] {
  const isKnown = (set: string) => knownSets.has(set);
  const conditions = barred
    .map((pod) => sayUpgradable(pod, object.metadata.name, { isUpgradable: false, isKnown, now }))
    .filter((effect) => effect !== undefined);
  if (conditions.length === 0) return [];
  const message = `${barred.length} pods cannot be upgraded in place: more than images of their sidecars has changed`;
  return [...conditions, eventOf(EVENTS.notUpgradable, object, message)];
}

function resetSucceeded(regarding: Pod): PlannedEffect {
  const message = 'The containers that a hot upgrade replaced are reset to the empty image';
  return eventOf(EVENTS.resetSucceeded, regarding, message);
}
