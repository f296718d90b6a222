// The words of PersistentPodState's field errors, those of OpenKruise, since users match on them.
import { PERSISTENTPODSTATE_WORKLOADS_KEY } from '../../names.ts';

export const wording = {
  listUnreadable: (reason: string) => `failed to get persistent pod state config white list, error: ${reason}`,
  targetIncomplete: 'empty targetRef is not valid for PersistentPodState.',
  targetUnsupported: `targetRef.Kind must be StatefulSet or in ${PERSISTENTPODSTATE_WORKLOADS_KEY}`,
  noTopology: 'TopologyConstraint and TopologyPreference cannot be empty at the same time',
  weightUnusable: (index: number, weight: number) =>
    `spec.preferredPersistentTopology[${index}].weight: ${weight} is not usable: expected 1 to 100`,
  targetImmutable: 'targetRef is immutable',
  targetTaken: (other: string) => `targetRef is in conflict with other PersistentPodState ${other}`,
} as const;
