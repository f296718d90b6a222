// Defaults of a SidecarSet, the same in both versions, and its hash annotations (sidecarset 2 and 3).
import { defaultContainer, defaultProbe, defaultVolume } from '../../core/container-defaults.ts';
import { defaultPullPolicy } from '../../core/images.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../names.ts';
import { hashSidecarSet } from './hash.ts';
import type { SidecarContainer, SidecarSet, SidecarSetV1alpha1 } from './schema.ts';

/**
 * Completes a decoded SidecarSet of either version and returns it. The hash annotations are always computed anew:
 * values that a client wrote do not count.
 */
export function applySidecarSetDefaults<T extends SidecarSet | SidecarSetV1alpha1>(sidecarSet: T): T {
  sidecarSet.spec ??= {};
  const spec = sidecarSet.spec;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ??= 'RollingUpdate';
  spec.updateStrategy.maxUnavailable ??= 1;
  spec.updateStrategy.partition ??= 0;
  spec.revisionHistoryLimit ??= 10;
  for (const patch of spec.patchPodMetadata ?? []) patch.patchPolicy ??= 'Retain';
  if (spec.injectionStrategy?.revision !== undefined) spec.injectionStrategy.revision.policy ??= 'Always';
  for (const container of spec.initContainers ?? []) defaultSidecar(container, 'AfterAppContainer');
  for (const container of spec.containers ?? []) defaultSidecar(container, 'BeforeAppContainer');
  for (const volume of spec.volumes ?? []) defaultVolume(volume);

  const { hash, hashWithoutImage } = hashSidecarSet(spec);
  sidecarSet.metadata ??= {};
  sidecarSet.metadata.annotations = {
    ...sidecarSet.metadata.annotations,
    [SIDECARSET_HASH]: hash,
    [SIDECARSET_HASH_WITHOUT_IMAGE]: hashWithoutImage,
  };
  // Only the hash tells an empty list from none; it is not written.
  if (spec.containers?.length === 0) delete spec.containers;
  return sidecarSet;
}

function defaultSidecar(sidecar: SidecarContainer, podInjectPolicy: string): void {
  sidecar.podInjectPolicy ??= podInjectPolicy;
  sidecar.upgradeStrategy ??= {};
  sidecar.upgradeStrategy.upgradeType ??= 'ColdUpgrade';
  sidecar.shareVolumePolicy ??= {};
  sidecar.shareVolumePolicy.type ??= 'disabled';
  for (const transfer of sidecar.transferEnv ?? []) {
    // A source that names nothing is no source.
    if (transfer.sourceContainerNameFrom?.fieldRef === undefined) delete transfer.sourceContainerNameFrom;
    else transfer.sourceContainerNameFrom.fieldRef.apiVersion ??= 'v1';
  }
  sidecar.imagePullPolicy ??= defaultPullPolicy(sidecar.image ?? '');
  defaultContainer(sidecar);
  // Compatibility: the startup probe is left alone, else the hashes of existing sets would change.
  defaultProbe(sidecar.livenessProbe);
  defaultProbe(sidecar.readinessProbe);
}
