// PersistentPodState between v1alpha1 and v1beta1: the list of keys has another name (persistentpodstate 1.1).
import type { PersistentPodState, PersistentPodStateV1alpha1 } from './schema.ts';

/** To v1beta1. Takes over the parts of a decoded object. */
export function toV1beta1({ spec, ...rest }: PersistentPodStateV1alpha1): PersistentPodState {
  if (spec === undefined) return rest;
  const { requiredPersistentTopology, preferredPersistentTopology, ...shared } = spec;
  return {
    ...rest,
    spec: {
      ...shared,
      ...(requiredPersistentTopology !== undefined && {
        requiredPersistentTopology: { ...nonEmpty('keys', requiredPersistentTopology.nodeTopologyKeys) },
      }),
      ...(preferredPersistentTopology !== undefined && {
        preferredPersistentTopology: preferredPersistentTopology.map(({ weight, preference }) => ({
          weight,
          preference: { ...nonEmpty('keys', preference.nodeTopologyKeys) },
        })),
      }),
    },
  };
}

/** To v1alpha1. Nothing is lost. */
export function toV1alpha1({ spec, ...rest }: PersistentPodState): PersistentPodStateV1alpha1 {
  if (spec === undefined) return rest;
  const { requiredPersistentTopology, preferredPersistentTopology, ...shared } = spec;
  return {
    ...rest,
    spec: {
      ...shared,
      ...(requiredPersistentTopology !== undefined && {
        requiredPersistentTopology: { ...nonEmpty('nodeTopologyKeys', requiredPersistentTopology.keys) },
      }),
      ...(preferredPersistentTopology !== undefined && {
        preferredPersistentTopology: preferredPersistentTopology.map(({ weight, preference }) => ({
          weight,
          preference: { ...nonEmpty('nodeTopologyKeys', preference.keys) },
        })),
      }),
    },
  };
}

// An empty list of keys says what none says.
function nonEmpty<N extends string>(name: N, keys: string[] | undefined): { [K in N]?: string[] } {
  return keys === undefined || keys.length === 0 ? {} : ({ [name]: keys } as { [K in N]: string[] });
}
