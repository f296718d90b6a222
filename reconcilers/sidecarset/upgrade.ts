// The write that upgrades the sidecars of one pod in place, and the one that ends a hot upgrade (sidecarset 7.6 and 9.3).

import {
  SIDECARSET_HASH,
  SIDECARSET_HASH_WITHOUT_IMAGE,
  SIDECARSET_INPLACE_UPDATE_STATE,
  SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER,
} from '../../api/names.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { EVENTS } from '../events.ts';
import { type Pod, statusOf, timestamp } from '../shared/pod.ts';
import { type PodChange, resetIdle, upgradeHot, workingAfter } from './hot-upgrade.ts';
import { patchedAnnotations } from './metadata.ts';
import { renewedWithoutImage, withHashEntry, withUpgradeState, writeWorkingContainers } from './records.ts';
import { imageOf, type Sidecar, sidecarNames, sidecarsOf } from './sidecars.ts';
import type { State } from './state.ts';

/** Gives the pod the images and the records of the SidecarSet; a Warning if the pod cannot take its annotations. */
export function upgradePod(pod: Pod, { object, set }: State, made: { latest: string; now: number }): PlannedEffect {
  const { name, resourceVersion } = object.metadata;
  const metadata = patchedAnnotations(set.spec?.patchPodMetadata, pod.metadata.annotations ?? {});
  if (typeof metadata === 'string') return cannotUpgrade(pod, name, metadata);
  const change: PodChange = { images: new Map(), annotations: new Map(metadata), working: new Map() };
  for (const sidecar of sidecarsOf(set)) {
    if (sidecar.hot !== undefined) upgradeHot(pod, sidecar, { set: name, version: resourceVersion, change });
    else if (isColdBehind(pod, sidecar)) change.images.set(sidecar.name, sidecar.image);
  }
  const updateTimestamp = timestamp(made.now);
  const hash = hashOf(object.metadata.annotations);
  const entry = {
    updateTimestamp,
    hash,
    sidecarSetName: name,
    sidecarList: sidecarNames(set),
    controllerRevision: made.latest,
  };
  change.annotations.set(SIDECARSET_HASH, withHashEntry(pod, name, entry));
  const withoutImage = renewedWithoutImage(pod, entry);
  if (withoutImage !== undefined) change.annotations.set(SIDECARSET_HASH_WITHOUT_IMAGE, withoutImage);
  return podPatch(pod, change, { set: name, revision: hash, time: updateTimestamp });
}

/** Empties the containers that worked before a hot upgrade. */
export function finishHotUpgrade(pod: Pod, { object, set }: State, now: number): PlannedEffect {
  const change = resetIdle(pod, sidecarsOf(set));
  const revision = hashOf(object.metadata.annotations);
  const message = 'The containers that a hot upgrade replaced cannot be reset to the empty image';
  return {
    ...podPatch(pod, change, { set: object.metadata.name, revision, time: timestamp(now) }),
    onRefusal: eventOf(EVENTS.resetFailed, pod, message),
  };
}

/** The content hash of a SidecarSet; '' as long as it has none. */
export function hashOf(annotations: Readonly<Record<string, string>> | undefined): string {
  return annotations?.[SIDECARSET_HASH] ?? '';
}

function isColdBehind(pod: Pod, { name, image }: Sidecar): boolean {
  const isRegular = pod.spec.containers.some((container) => container.name === name);
  return isRegular && imageOf(pod, name) !== image;
}

function cannotUpgrade(regarding: Pod, set: string, fault: string): PlannedEffect {
  const message = `SidecarSet ${set} cannot upgrade the pod: ${fault}`;
  return eventOf(EVENTS.metadataFailed, regarding, message);
}

// One write, which fails if the pod is no longer the one that was looked at.
function podPatch(
  pod: Pod,
  change: PodChange,
  upgrade: { set: string; revision: string; time: string },
): Extract<PlannedEffect, { type: 'patch' }> {
  const { uid, resourceVersion, namespace, name } = pod.metadata;
  const imageIds = new Map([...change.images.keys()].map((one) => [one, statusOf(pod, one)?.imageID ?? '']));
  const annotations = {
    ...Object.fromEntries(change.annotations),
    [SIDECARSET_INPLACE_UPDATE_STATE]: withUpgradeState(pod, upgrade.set, { ...upgrade, imageIds }),
    ...(change.working.size > 0 && {
      [SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER]: writeWorkingContainers(workingAfter(pod, change)),
    }),
  };
  const containers = [...change.images].map(([container, image]) => ({ name: container, image }));
  return {
    type: 'patch',
    resource: PODS,
    reference: { namespace, name },
    patch: { metadata: { uid, resourceVersion, annotations }, ...(containers.length > 0 && { spec: { containers } }) },
    patchType: 'strategic',
  };
}
