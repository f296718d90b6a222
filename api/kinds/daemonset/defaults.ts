// Defaults of an Advanced DaemonSet. Its template is left as it is (advanced-daemonset 1.2).
import { writeSelector } from '../../core/template-defaults.ts';
import type { DaemonSet, DaemonSetV1alpha1 } from './schema.ts';

const BURST_REPLICAS = 250;

/**
 * Completes a decoded set of either version and returns it. With OnDelete nothing is filled in below rollingUpdate.
 * Type Surging, which only v1alpha1 knows, becomes Standard with a surge.
 */
export function applyDefaults<S extends DaemonSet | DaemonSetV1alpha1>(set: S, version: string): S {
  set.spec ??= {};
  const spec = set.spec;
  writeSelector(spec);
  spec.burstReplicas ??= BURST_REPLICAS;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ??= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    const rollingUpdate = spec.updateStrategy.rollingUpdate;
    if (version === 'v1alpha1' && rollingUpdate.rollingUpdateType === 'Surging') {
      rollingUpdate.maxSurge ??= 1;
      rollingUpdate.maxUnavailable ??= 0;
      rollingUpdate.rollingUpdateType = 'Standard';
    }
    rollingUpdate.rollingUpdateType ??= 'Standard';
    if (rollingUpdate.maxUnavailable === undefined && rollingUpdate.maxSurge === undefined) {
      rollingUpdate.maxUnavailable = 1;
      rollingUpdate.maxSurge = 0;
    }
  }
  spec.revisionHistoryLimit ??= 10;
  return set;
}
