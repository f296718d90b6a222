// Conflicts with other SidecarSets: two sets that may match the same pod must not inject things of the same name.
// (sidecarset 4.5)
import { equalJson, type Json } from '../../core/json.ts';
import type { LabelSelector } from '../../core/meta.ts';
import { overlaps } from '../../core/selector.ts';
import type { Field } from '../../core/validation/field.ts';
import { canaryBaseOf } from './canary.ts';
import type { SidecarSet, SidecarSetSpec } from './schema.ts';
import { wording } from './wording.ts';

type Others = readonly { name: string; spec: SidecarSetSpec }[];

/**
 * Reports names that overlapping sets have too, and says which set: the last one listed. A canary and its base never
 * conflict, whichever of the two is validated. `rivals` are in the order in which they are listed: at least all with which
 * the set may be in conflict (rivals.ts).
 */
export function validateConflicts(set: Field<SidecarSet>, rivals: readonly SidecarSet[]): void {
  const spec = set.value?.spec ?? {};
  const own = { name: set.value?.metadata?.name, base: canaryBaseOf(set.value) };
  const others: Others = rivals
    .filter((other) => mayShareAPod(spec, other.spec ?? {}) && isRival(own, other))
    .map((other) => ({ name: other.metadata?.name ?? '', spec: other.spec ?? {} }))
    .reverse();
  if (others.length === 0) return;
  const containers = set.place('spec', 'containers');
  for (const { name } of spec.initContainers ?? []) {
    const taker = others.find((other) => hasName(other.spec.initContainers, name));
    if (taker !== undefined) containers.invalid(wording.initContainerTaken(name, taker.name), name);
  }
  for (const { name } of spec.containers ?? []) {
    const taker = others.find((other) => hasName(other.spec.containers, name));
    if (taker !== undefined) containers.invalid(wording.containerTaken(name, taker.name), name);
  }
  for (const volume of spec.volumes ?? []) {
    const differs = (other: Json) => !equalJson(other, volume as Json);
    const taker = others.find(({ spec: { volumes = [] } }) => {
      return volumes.some((other) => other.name === volume.name && differs(other as Json));
    });
    if (taker !== undefined)
      set.place('spec', 'volumes').invalid(wording.volumeDiffers(volume.name, taker.name), volume.name);
  }
  validateAnnotationConflicts(set, others);
}

function isRival(own: { name: string | undefined; base: string | undefined }, other: SidecarSet): boolean {
  const otherName = other.metadata?.name;
  return otherName !== own.name && otherName !== own.base && own.name !== canaryBaseOf(other);
}

function mayShareAPod(a: SidecarSetSpec, b: SidecarSetSpec): boolean {
  return overlapsIfGiven(a.namespaceSelector, b.namespaceSelector) && overlaps(a.selector ?? {}, b.selector ?? {});
}

function overlapsIfGiven(a: LabelSelector | undefined, b: LabelSelector | undefined): boolean {
  return a === undefined || b === undefined || overlaps(a, b);
}

// An annotation that one side overwrites must not be written by the other; values that are merged, or only kept, may meet.
function validateAnnotationConflicts(set: Field<SidecarSet>, others: Others): void {
  for (const { annotations = {}, patchPolicy } of writing(set.value?.spec ?? {})) {
    for (const key of Object.keys(annotations).sort()) {
      const taker = others.find(({ spec }) => {
        return writing(spec).some((item) => {
          const isWritten = Object.hasOwn(item.annotations ?? {}, key);
          return isWritten && (patchPolicy === 'Overwrite' || item.patchPolicy === 'Overwrite');
        });
      });
      if (taker !== undefined) {
        set.place('spec', 'patchPodMetadata').invalid(wording.annotationTaken(key, taker.name), key);
      }
    }
  }
}

/** Annotations that a set writes, with their policy; those that are only kept are none. */
export function writing(spec: SidecarSetSpec): NonNullable<SidecarSetSpec['patchPodMetadata']> {
  return (spec.patchPodMetadata ?? []).filter(({ patchPolicy = '' }) => patchPolicy !== 'Retain' && patchPolicy !== '');
}

function hasName(containers: readonly { name: string }[] | undefined, name: string): boolean {
  return (containers ?? []).some((container) => container.name === name);
}
