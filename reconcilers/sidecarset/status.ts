// What the status of a SidecarSet says (sidecarset 7.5).

import type { KubeObject } from '../../kube/objects.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { statusUpdate } from '../shared/status.ts';
import type { Registration } from './revisions.ts';
import { SIDECAR_SETS } from './state.ts';

/** A pod of the SidecarSet: does it have the latest content, and do its sidecars run it and serve? */
export type Standing = { readonly isUpdated: boolean; readonly isReady: boolean };

/** Writes the status; undefined if it says all this already. */
export function statusEffect(
  object: KubeObject,
  standings: readonly Standing[],
  { latest, collisionCount }: Registration,
): PlannedEffect | undefined {
  const count = (isCounted: (standing: Standing) => boolean) => standings.filter(isCounted).length;
  const updatedReadyPods = count(({ isUpdated, isReady }) => isUpdated && isReady);
  const { generation = 0 } = object.metadata;
  const status: Readonly<Record<string, number | string>> = {
    ...(generation > 0 && { observedGeneration: generation }),
    matchedPods: standings.length,
    updatedPods: count(({ isUpdated }) => isUpdated),
    readyPods: count(({ isReady }) => isReady),
    ...(updatedReadyPods > 0 && { updatedReadyPods }),
    latestRevision: latest,
    collisionCount,
  };
  return isSame(object.status, status) ? undefined : statusUpdate(SIDECAR_SETS, object, status);
}

function isSame(before: unknown, after: Readonly<Record<string, number | string>>): boolean {
  const entries = Object.entries((before ?? {}) as Record<string, unknown>);
  return (
    entries.length === Object.keys(after).length &&
    entries.every(([name, value]) => Object.hasOwn(after, name) && after[name] === value)
  );
}
