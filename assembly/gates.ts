// The feature gates that decisions depend on (operations.md): set by `configure`, read by policies.

import { View } from './json/view';

let readinessGate: bool = false;
let sortByName: bool = false;

export function setGates(gates: View): void {
  readinessGate = gates.get('KruisePodReadinessGate').isTrue;
  sortByName = gates.get('EnableSortSidecarContainerByName').isTrue;
}

/** Every pod gets the readiness gate, not only those that Kruise's workloads control. */
export function hasKruisePodReadinessGate(): bool {
  return readinessGate;
}

/** Injected containers are sorted by name. */
export function hasSortedSidecars(): bool {
  return sortByName;
}
