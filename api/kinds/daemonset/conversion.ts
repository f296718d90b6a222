// Advanced DaemonSet between v1alpha1 and v1beta1: an annotation becomes a member, a status member has another name
// (advanced-daemonset 1.1).
import { DAEMONSET_PROGRESSIVE_CREATE_POD } from '../../names.ts';
import type { DaemonSet, DaemonSetV1alpha1 } from './schema.ts';

/** To v1beta1. The annotation stays. Takes over the parts of a decoded object. */
export function toV1beta1({ spec = {}, status, ...rest }: DaemonSetV1alpha1): DaemonSet {
  const { updateStrategy, ...shared } = spec;
  const isProgressive = rest.metadata?.annotations?.[DAEMONSET_PROGRESSIVE_CREATE_POD] === 'true';
  const converted: DaemonSet = {
    ...rest,
    spec: { ...shared, ...(isProgressive && { scaleStrategy: { partitionedScaling: true } }) },
  };
  if (updateStrategy !== undefined) converted.spec = { ...converted.spec, updateStrategy };
  const rollingUpdate = updateStrategy?.rollingUpdate;
  if (rollingUpdate?.rollingUpdateType === 'Surging') {
    converted.spec = {
      ...converted.spec,
      updateStrategy: { ...updateStrategy, rollingUpdate: { ...rollingUpdate, rollingUpdateType: 'Standard' } },
    };
  }
  if (status !== undefined) {
    const { daemonSetHash, ...counters } = status;
    converted.status = { ...counters, ...(daemonSetHash !== undefined && { updateRevision: daemonSetHash }) };
  }
  return converted;
}

/** To v1alpha1. The annotation follows its member: where that is not true, an annotation that says so is taken away. */
export function toV1alpha1({ spec, metadata, status, ...rest }: DaemonSet): DaemonSetV1alpha1 {
  const { scaleStrategy, ...shared } = spec ?? {};
  const converted: DaemonSetV1alpha1 = { ...rest, spec: shared };
  const { [DAEMONSET_PROGRESSIVE_CREATE_POD]: given, ...others } = metadata?.annotations ?? {};
  if (metadata !== undefined) converted.metadata = metadata;
  if (scaleStrategy?.partitionedScaling === true) {
    converted.metadata = { ...metadata, annotations: { ...others, [DAEMONSET_PROGRESSIVE_CREATE_POD]: 'true' } };
  } else if (given === 'true') {
    const { annotations: _replaced, ...restOfMetadata } = metadata ?? {};
    converted.metadata = Object.keys(others).length > 0 ? { ...restOfMetadata, annotations: others } : restOfMetadata;
  }
  if (status !== undefined) {
    const { updateRevision, ...counters } = status;
    converted.status = { ...counters, ...(updateRevision !== undefined && { daemonSetHash: updateRevision }) };
  }
  return converted;
}
