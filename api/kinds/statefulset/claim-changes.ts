// Which changes of claim templates the claims of running pods can follow, where they are to (advanced-statefulset 1.4).
import type { AdvancedStatefulSetSpec } from '../../core/advanced-statefulset.ts';
import { equalJson, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { Field } from '../../core/validation/field.ts';
import type { PersistentVolumeClaim } from '../../core/volumes.ts';
import { DEFAULT_STORAGE_CLASS } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import { wording } from './wording.ts';

type Spec = AdvancedStatefulSetSpec | undefined;

/**
 * With gate StatefulSetAutoResizePVCGate and type OnPodRollingUpdate, before or after the change, templates keep their
 * number, names, classes and access modes, and sizes change only where the class allows it. The first error is told.
 */
export function validateClaimChanges(spec: Field<Spec>, old: Spec, context: ValidationContext): void {
  if (context.gates.get('StatefulSetAutoResizePVCGate') !== true) return;
  if (![spec.value, old].some((one) => one?.volumeClaimUpdateStrategy?.type === 'OnPodRollingUpdate')) return;
  const templates = spec.at('volumeClaimTemplates');
  const before = new Map((old?.volumeClaimTemplates ?? []).map((claim) => [nameOf(claim), claim]));
  if ((templates.value ?? []).length !== before.size) {
    templates.invalid(wording.claimNumber, templates.value ?? []);
    return;
  }
  const first = templates.errors.length;
  for (const claim of templates.value ?? []) {
    const place = templates.place(`[${nameOf(claim)}]`);
    const oldClaim = before.get(nameOf(claim));
    if (oldClaim === undefined) place.place('name').forbidden(wording.claimRenamed);
    else validateClaim(Field.below(place, claim), oldClaim, context);
    if (templates.errors.length > first) return;
  }
}

function validateClaim(claim: Field<PersistentVolumeClaim>, old: PersistentVolumeClaim, context: ValidationContext) {
  const { storageClassName, accessModes = [], resources } = claim.value?.spec ?? {};
  const { storageClassName: oldClass, accessModes: oldModes = [], resources: oldResources } = old.spec ?? {};
  const isSameClass = storageClassName === undefined || oldClass === undefined || storageClassName === oldClass;
  if (!isSameClass || !equalJson(accessModes, oldModes)) {
    claim.invalid(wording.claimIncompatible);
    return;
  }
  const isSameSize = (['limits', 'requests'] as const).every((member) =>
    equalJson((resources?.[member]?.storage ?? null) as Json, (oldResources?.[member]?.storage ?? null) as Json),
  );
  if (!isSameSize) validateExpansion(claim, context);
}

function validateExpansion(claim: Field<PersistentVolumeClaim>, context: ValidationContext): void {
  const name = claim.value?.spec?.storageClassName;
  const found = name === undefined ? defaultClass(context) : context.object('storage.k8s.io', 'StorageClass', '', name);
  if (found === undefined) {
    if (name !== undefined) claim.at('spec').at('storageClassName').invalid(wording.classMissing(name));
    return;
  }
  if (found.allowVolumeExpansion !== false) return;
  claim.place('spec', 'resources', 'requests', 'storage').forbidden(wording.classFixed(nameOf(found)));
}

/** The newest of the storage classes that are marked as default. */
function defaultClass(context: ValidationContext): JsonObject | undefined {
  const created = ({ metadata }: JsonObject) => String(isObject(metadata) ? metadata.creationTimestamp : '');
  return context
    .objects('storage.k8s.io', 'StorageClass', '')
    .filter(({ metadata }) => {
      const annotations = isObject(metadata) && isObject(metadata.annotations) ? metadata.annotations : {};
      return annotations[DEFAULT_STORAGE_CLASS] === 'true';
    })
    .toSorted((a, b) => (created(a) > created(b) ? -1 : 1))[0];
}

function nameOf({ metadata }: PersistentVolumeClaim | JsonObject): string {
  return isObject(metadata as Json) ? String((metadata as JsonObject).name ?? '') : '';
}
