// Hot sidecars: the upgrade goes to the container of the pair that does not work, and the one that worked is emptied when the
// other has taken over (sidecarset 9.2 and 9.3).

import { SIDECARSET_VERSION_ALT_PREFIX, SIDECARSET_VERSION_PREFIX } from '../../api/names.ts';
import { isRunningAndReady, type Pod, statusOf } from '../shared/pod.ts';
import { workingContainers } from './records.ts';
import { imageOf, isConsistent, isIdleEmpty, rolesOf, type Sidecar } from './sidecars.ts';

/** What changes in a pod: images and annotations by name, and which container of each pair works. */
export type PodChange = {
  readonly images: Map<string, string>;
  readonly annotations: Map<string, string>;
  readonly working: Map<string, string>;
};

/** Adds what the upgrade of a hot sidecar changes. `version` is the resourceVersion of its SidecarSet. */
export function upgradeHot(
  pod: Pod,
  sidecar: Sidecar,
  { set, version, change }: { set: string; version: string; change: PodChange },
): void {
  const [first, second] = [`${sidecar.name}-1`, `${sidecar.name}-2`];
  const chosen = containerToUpgrade(pod, sidecar, set);
  const other = chosen === first ? second : first;
  if (imageOf(pod, other) === sidecar.image) {
    // After a rollback from an upgrade that never came up, the container that was left is the one that works.
    if (rolesOf(pod, sidecar).working !== other) change.working.set(sidecar.name, other);
    return;
  }
  if (imageOf(pod, chosen) !== sidecar.image) change.images.set(chosen, sidecar.image);
  change.working.set(sidecar.name, chosen);
  const before = pod.metadata.annotations?.[SIDECARSET_VERSION_PREFIX + other] ?? '0';
  change.annotations.set(SIDECARSET_VERSION_PREFIX + chosen, version);
  change.annotations.set(SIDECARSET_VERSION_ALT_PREFIX + chosen, before);
  change.annotations.set(SIDECARSET_VERSION_ALT_PREFIX + other, version);
}

/** Have the new containers of the pod taken over, while old ones still run? */
export function isTakenOver(pod: Pod, set: string, sidecars: readonly Sidecar[]): boolean {
  const hot = sidecars.filter((sidecar) => sidecar.hot !== undefined);
  if (hot.every((sidecar) => isIdleEmpty(pod, sidecar))) return false;
  const idle = new Set(hot.map((sidecar) => rolesOf(pod, sidecar).idle));
  const others = sidecars.flatMap(({ containers }) => containers).filter((name) => !idle.has(name));
  if (!isConsistent(pod, set, others)) return false;
  const statuses = pod.status?.containerStatuses ?? [];
  return isRunningAndReady(pod) || statuses.every(({ name, ready }) => idle.has(name) || ready === true);
}

/** What empties the containers that worked before. */
export function resetIdle(pod: Pod, sidecars: readonly Sidecar[]): PodChange {
  const change: PodChange = { images: new Map(), annotations: new Map(), working: new Map() };
  for (const sidecar of sidecars) {
    if (isIdleEmpty(pod, sidecar)) continue;
    const { working, idle } = rolesOf(pod, sidecar);
    change.images.set(idle, sidecar.hot?.emptyImage ?? '');
    change.annotations.set(SIDECARSET_VERSION_PREFIX + idle, '0');
    change.annotations.set(SIDECARSET_VERSION_ALT_PREFIX + working, '0');
  }
  return change;
}

/** The working containers of the pod after the change. */
export function workingAfter(pod: Pod, { working }: PodChange): Readonly<Record<string, string>> {
  return { ...workingContainers(pod), ...Object.fromEntries(working) };
}

// The empty one; of two that are not empty, since an upgrade is not finished, the one that is not up, else the idle one.
function containerToUpgrade(pod: Pod, sidecar: Sidecar, set: string): string {
  const [first, second] = [`${sidecar.name}-1`, `${sidecar.name}-2`];
  const emptyImage = sidecar.hot?.emptyImage;
  if (imageOf(pod, first) === emptyImage) return first;
  if (imageOf(pod, second) === emptyImage) return second;
  const isUp = (name: string) => statusOf(pod, name)?.ready === true && isConsistent(pod, set, [name]);
  if (isUp(first) !== isUp(second)) return isUp(first) ? second : first;
  return rolesOf(pod, sidecar).idle;
}
