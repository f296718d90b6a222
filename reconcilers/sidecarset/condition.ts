// The pod condition that tells which SidecarSets can upgrade a pod in place (sidecarset 7.9).

import { encodeSorted } from '../../api/core/encode.ts';
import { isObject, readJson } from '../../api/core/json.ts';
import { SIDECARSET_UPGRADABLE_CONDITION } from '../../api/names.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { PODS } from '../../kube/resource.ts';
import { conditionOf, type Pod, timestamp } from '../shared/pod.ts';

/** What the condition of the pod says, by SidecarSet; empty if it has none that can be read. */
export function upgradableByName(pod: Pod): ReadonlyMap<string, boolean> {
  const message = conditionOf(pod, SIDECARSET_UPGRADABLE_CONDITION)?.message ?? '';
  if (!message.startsWith('{')) return new Map();
  // What someone else wrote is replaced by what is right.
  const said = readJson(message);
  const entries = isObject(said) ? Object.entries(said) : [];
  return new Map(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
}

/**
 * Says whether the SidecarSet can upgrade the pod; undefined if the pod says so already. What is said about SidecarSets that
 * `isKnown` does not know is dropped.
 */
export function sayUpgradable(
  pod: Pod,
  set: string,
  said: { isUpgradable: boolean; isKnown: (set: string) => boolean; now: number },
): PlannedEffect | undefined {
  const before = upgradableByName(pod);
  if (before.get(set) === said.isUpgradable) return undefined;
  const after = new Map([...before].filter(([name]) => name !== set && said.isKnown(name)));
  after.set(set, said.isUpgradable);
  const isEach = [...after.values()].every((isUpgradable) => isUpgradable);
  const status = isEach ? 'True' : 'False';
  const condition = {
    type: SIDECARSET_UPGRADABLE_CONDITION,
    status,
    reason: isEach ? 'AllSidecarsetUpgradable' : 'UpdateImmutableField',
    message: encodeSorted(Object.fromEntries(after)),
    ...(conditionOf(pod, SIDECARSET_UPGRADABLE_CONDITION)?.status !== status && {
      lastTransitionTime: timestamp(said.now),
    }),
  };
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    type: 'patch',
    resource: PODS,
    reference: { namespace, name },
    // Several SidecarSets write into one condition: none may overwrite what another has just said.
    patch: { metadata: { uid, resourceVersion }, status: { conditions: [condition] } },
    patchType: 'strategic',
    subresource: 'status',
  };
}
