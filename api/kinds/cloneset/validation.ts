// What a CloneSet must be to be admitted. The versions have rules of their own, so an object is looked at in the version in
// which it was sent (cloneset 1.6).
import type { CloneSetSpec } from '../../core/cloneset.ts';
import type { FieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { dnsSubdomain } from '../../core/validation/names.ts';
import { validatePodTemplate, validateTemplateLabels } from '../../core/validation/pod-template.ts';
import {
  changeBeyondImages,
  defaultedCopy,
  requireSelector,
  validateAlwaysRunning,
  validateImmutable,
} from '../../core/validation/workload.ts';
import { parseApiVersion, type ValidationContext } from '../kind.ts';
import { validatePodsToDelete } from './pods-to-delete.ts';
import type { CloneSet, CloneSetV1alpha1 } from './schema.ts';
import { validateUpdateStrategy, validateUpdateStrategyV1alpha1 } from './update-strategy.ts';
import { wording } from './wording.ts';

const METADATA: MetadataRules = { name: dnsSubdomain, namespaced: true };
const IMAGES = /^\/containers\/\d+\/image$/;
const NO_DEADLINE = 2147483647;

/**
 * The field errors of a CloneSet, decoded and defaulted, in the version that its apiVersion names; none if it may be
 * admitted. `old` is given on UPDATE, in the same version.
 */
export function validateCloneSet(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const isV1alpha1 = parseApiVersion(object.apiVersion).version === 'v1alpha1';
  const set = Field.root(object as CloneSet, errors);
  if (old !== undefined) validateChanges(set, old as CloneSet);
  if (old !== undefined && isV1alpha1) validateInPlaceOnly(object, old, errors);
  validateObjectMeta(set.at('metadata'), METADATA);
  validatePods(set.at('spec'), context);
  validatePodsToDelete(set, { old: old as CloneSet | undefined, context, areLookedUp: isV1alpha1 });
  if (!isV1alpha1) {
    validateUpdateStrategy(set.at('spec'));
  } else {
    const spec = Field.root(object as CloneSetV1alpha1, errors).at('spec');
    validateUpdateStrategyV1alpha1(spec);
    validateProgressDeadline(spec);
  }
  return errors;
}

function validateChanges(set: Field<CloneSet>, old: CloneSet): void {
  validateObjectMetaUpdate(set.at('metadata'), old.metadata ?? {});
  validateImmutable(set.at('spec'), old.spec, { members: ['selector'], detail: wording.immutable });
}

function validateInPlaceOnly(object: CloneSetV1alpha1, old: CloneSetV1alpha1, errors: FieldError[]): void {
  if (object.spec?.updateStrategy?.type !== 'InPlaceOnly') return;
  const change = changeBeyondImages(old.spec?.template?.spec, object.spec.template?.spec, IMAGES);
  if (change === undefined) return;
  Field.root(object, errors).at('spec').forbidden(wording.imagesOnly(change.op, change.path));
}

function validatePods(spec: Field<CloneSetSpec | undefined>, { gates }: ValidationContext): void {
  spec.at('replicas').notNegative();
  // Compatibility: a template is looked at together with a selector that can be used, as that of a StatefulSet.
  if (requireSelector(spec.at('selector'), wording.selectorEmpty)) {
    validateTemplateLabels(spec.at('template'), spec.value?.selector);
    const template = defaultedCopy(spec.value?.template, gates);
    addClaims(template, spec.value?.volumeClaimTemplates ?? []);
    validatePodTemplate(Field.below(spec.place('template'), template));
  }
  validateAlwaysRunning(spec.at('template'), wording.noDeadline);
}

// Containers may mount claim templates as if they were volumes.
function addClaims(template: PodTemplateSpec, claims: NonNullable<CloneSetSpec['volumeClaimTemplates']>): void {
  if (claims.length === 0) return;
  const volumes = claims.map(({ metadata: { name = '' } = {} }) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  template.spec ??= {};
  template.spec.volumes = [...(template.spec.volumes ?? []), ...volumes];
}

function validateProgressDeadline(spec: Field<CloneSetV1alpha1['spec']>): void {
  const deadline = spec.at('progressDeadlineSeconds');
  deadline.notNegative();
  if (deadline.value === undefined || deadline.value === NO_DEADLINE) return;
  if (deadline.value <= (spec.value?.minReadySeconds ?? 0)) deadline.invalid(wording.deadlineTooShort);
}
