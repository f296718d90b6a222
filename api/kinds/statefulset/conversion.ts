// Advanced StatefulSet between v1alpha1 and v1beta1: v1alpha1 has fewer members (advanced-statefulset 1.1).
import type { StatefulSet, StatefulSetV1alpha1 } from './schema.ts';

/** To v1beta1: all members are the same. */
export function toV1beta1(set: StatefulSetV1alpha1): StatefulSet {
  return { ...set, spec: { ...set.spec, volumeClaimUpdateStrategy: {} } };
}

/**
 * To v1alpha1.
 * Compatibility: what v1alpha1 has no member for is lost; clients expect no annotation for it.
 */
export function toV1alpha1({ spec, status, ...rest }: StatefulSet): StatefulSetV1alpha1 {
  const {
    reserveOrdinals: _ordinals,
    lifecycle: _lifecycle,
    scaleStrategy: _scaling,
    persistentVolumeClaimRetentionPolicy: _retention,
    ordinals: _start,
    volumeClaimUpdateStrategy: _claims,
    ...sharedSpec
  } = spec ?? {};
  const converted: StatefulSetV1alpha1 = { ...rest, spec: sharedSpec };
  if (status !== undefined) {
    const {
      updatedReadyReplicas: _ready,
      updatedAvailableReplicas: _available,
      volumeClaims: _followed,
      ...sharedStatus
    } = status;
    converted.status = sharedStatus;
  }
  return converted;
}
