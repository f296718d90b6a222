// The feature gates that decisions depend on (operations.md 7): set by `configure`, read by policies.

import { Text } from './json/text';
import { View } from './json/view';

/** Places in the table of names. */
export const enum Gate {
  KruisePodReadiness,
  SortSidecarsByName,
  BudgetOnDelete,
  BudgetOnUpdate,
  EnhancedLivenessProbe,
  ServerlessProbes,
  DeletionProtection,
  DeletionProtectionForDefinitions,
  InPlacePodVerticalScaling,
  InPlaceWorkloadVerticalScaling,
  WorkloadSpread,
}

const NAMES: StaticArray<string> = [
  'KruisePodReadinessGate',
  'EnableSortSidecarContainerByName',
  'PodUnavailableBudgetDeleteGate',
  'PodUnavailableBudgetUpdateGate',
  'EnhancedLivenessProbe',
  'EnablePodProbeMarkerOnServerless',
  'ResourcesDeletionProtection',
  'DeletionProtectionForCRDCascadingGate',
  'InPlacePodVerticalScaling',
  'InPlaceWorkloadVerticalScaling',
  'WorkloadSpread',
];

/** One bit a gate. */
let open: u32 = 0;

/** A gate that is left out is off. */
export function setGates(gates: View): void {
  open = 0;
  for (let i = 0; i < NAMES.length; i++) {
    if (gates.get(NAMES[i]).isTrue) {
      open |= 1 << i;
    }
  }
}

/** Is there a gate of this name that decisions depend on? */
export function isGate(name: Text): bool {
  for (let i = 0; i < NAMES.length; i++) {
    if (name.is(NAMES[i])) {
      return true;
    }
  }
  return false;
}

export function isOn(gate: Gate): bool {
  return ((open >> <u32>gate) & 1) != 0;
}
