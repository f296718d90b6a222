// The containers of a SidecarSet as they stand in a pod: their names, how far they are upgraded, whether the pod is ready with
// them (sidecarset 7.3, 7.4, 9.2).

import { hasDigest, isSameImage } from '../../api/core/image-reference.ts';
import type { SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import { type ContainerStatus, containerOf, isRunningAndReady, type Pod, type PodContainer } from '../shared/pod.ts';
import { lastImageIds, workingContainers } from './records.ts';

/** A container that a SidecarSet describes; a hot one has two containers in the pod. */
export type Sidecar = {
  readonly name: string;
  readonly image: string;
  /** Names of its containers in pods. */
  readonly containers: readonly string[];
  /** Of hot ones: the image of the container that does not work; '' if it was not given. */
  readonly hot?: { readonly emptyImage: string };
};

/** The regular containers; init containers are not upgraded. */
export function sidecarsOf(set: SidecarSet): readonly Sidecar[] {
  return (set.spec?.containers ?? []).map(({ name, image = '', upgradeStrategy }) =>
    upgradeStrategy?.upgradeType === 'HotUpgrade'
      ? {
          name,
          image,
          containers: [`${name}-1`, `${name}-2`],
          hot: { emptyImage: upgradeStrategy.hotUpgradeEmptyImage ?? '' },
        }
      : { name, image, containers: [name] },
  );
}

/** Names as pods record them, sorted: native sidecars among the init containers and all regular containers. */
export function sidecarNames(set: SidecarSet): string[] {
  const native = (set.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...native, ...(set.spec?.containers ?? [])].map(({ name }) => name).sort();
}

/** Has the pod the containers of the SidecarSet, upgraded in the way that it says today? */
export function areSidecarsIn(pod: Pod, sidecars: readonly Sidecar[]): boolean {
  const working = workingContainers(pod);
  return sidecars.every(
    ({ name, containers, hot }) =>
      (hot === undefined || Object.hasOwn(working, name)) &&
      containers.every((container) => containerOf(pod, container) !== undefined),
  );
}

/** Which of the two containers of a hot sidecar works in the pod, and which does not. */
export function rolesOf(pod: Pod, { name }: Sidecar): { working: string; idle: string } {
  const [first, second] = [`${name}-1`, `${name}-2`];
  const working = workingContainers(pod);
  const isFirst = Object.hasOwn(working, name) && working[name] === first;
  return isFirst ? { working: first, idle: second } : { working: second, idle: first };
}

/** Do the containers of these names run the images that they shall run? */
export function isConsistent(pod: Pod, set: string, names: readonly string[]): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  if (pod.spec.containers.length !== statuses.length) return false;
  const containers = pod.spec.containers.filter(({ name }) => names.includes(name));
  const byName = new Map(statuses.map((status) => [status.name, status]));
  for (const container of containers) {
    const answer = runsDigest(container, byName.get(container.name));
    if (answer === 'unknown') return areImagesChanged(pod, set, { containers, byName });
    if (answer === 'no') return false;
  }
  return true;
}

/** Is the pod ready, and does every container that does not work have the empty image? */
export function isReadyWith(pod: Pod, sidecars: readonly Sidecar[]): boolean {
  return isRunningAndReady(pod) && sidecars.every((sidecar) => isIdleEmpty(pod, sidecar));
}

/** Has the container that does not work the empty image? True for other sidecars, and if no image was given for that. */
export function isIdleEmpty(pod: Pod, sidecar: Sidecar): boolean {
  if (sidecar.hot === undefined || sidecar.hot.emptyImage === '') return true;
  return imageOf(pod, rolesOf(pod, sidecar).idle) === sidecar.hot.emptyImage;
}

export function imageOf(pod: Pod, container: string): string {
  return pod.spec.containers.find(({ name }) => name === container)?.image ?? '';
}

// An image without digest, or an id that names no image, tells nothing.
function runsDigest({ image = '' }: PodContainer, status: ContainerStatus | undefined): 'yes' | 'no' | 'unknown' {
  if (!hasDigest(image)) return 'unknown';
  const id = status?.imageID ?? '';
  const running = id.slice(id.indexOf('://') < 0 ? 0 : id.indexOf('://') + 3);
  if (/^[a-z0-9+._-]+:[0-9a-f]{32,}$/i.test(running)) return 'unknown';
  return isSameImage(image, running) ? 'yes' : 'no';
}

type Running = { containers: readonly PodContainer[]; byName: ReadonlyMap<string, ContainerStatus> };

// Without digests the image id must have changed since the upgrade, or the image is the wanted one after all.
function areImagesChanged(pod: Pod, set: string, { containers, byName }: Running): boolean {
  const last = lastImageIds(pod, set);
  if (last === undefined) return false;
  return containers.every(({ name, image = '' }) => {
    const status = byName.get(name);
    const isBefore = status !== undefined && last.has(name) && last.get(name) === (status.imageID ?? '');
    return !isBefore || isSameImage(image, status.image ?? '');
  });
}
