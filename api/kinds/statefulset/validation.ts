// What an Advanced StatefulSet must be to be admitted (advanced-statefulset 1.4). Rules are in the order in which their
// errors are told; those of updateStrategy and of changed claim templates have files of their own.
import type { AdvancedStatefulSetSpec } from '../../core/advanced-statefulset.ts';
import type { FieldError } from '../../core/field-error.ts';
import { atoi } from '../../core/integers.ts';
import type { JsonObject } from '../../core/json.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { dnsLabel } from '../../core/validation/names.ts';
import { validatePodTemplateLightly } from '../../core/validation/pod-template.ts';
import {
  changeBeyondImages,
  requireSelector,
  validateAlwaysRunning,
  validateImmutable,
} from '../../core/validation/workload.ts';
import type { ValidationContext } from '../kind.ts';
import { validateClaimChanges } from './claim-changes.ts';
import type { StatefulSet } from './schema.ts';
import { validateMaxUnavailable, validateUpdateStrategy } from './update-strategy.ts';
import { wording } from './wording.ts';

type Spec = Field<AdvancedStatefulSetSpec | undefined>;

const METADATA: MetadataRules = { name: dnsLabel, namespaced: true };
const POLICIES = ['OrderedReady', 'Parallel'];
const RETENTION = ['Retain', 'Delete'];
// Every error prints the list, so that a long bad one would be told in a message of its square.
const ORDINALS_TOLD = 100;
// Compatibility: not anchored, so that other members whose names start so pass as well.
const IMAGES = /\/containers\/\d+\/image/;

/** The field errors of a set in v1beta1 form, decoded and defaulted; none if it may be admitted. */
export function validateStatefulSet(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const set = Field.root(object as StatefulSet, errors);
  const spec = set.at('spec');
  validateObjectMeta(set.at('metadata'), METADATA);
  validatePodManagement(spec);
  validateReserveOrdinals(spec);
  const isParallel = spec.value?.podManagementPolicy === 'Parallel';
  const scaling = spec.at('scaleStrategy').at('maxUnavailable');
  if (scaling.value !== undefined) validateMaxUnavailable(scaling, isParallel);
  validateUpdateStrategy(spec, isParallel);
  validateRetention(spec.at('persistentVolumeClaimRetentionPolicy'));
  spec.at('replicas').notNegative();
  if (requireSelector(spec.at('selector'), wording.selectorEmpty)) {
    validatePodTemplateLightly(spec.at('template'), spec.value?.selector);
  }
  validateAlwaysRunning(spec.at('template'), wording.noDeadline);
  if (old !== undefined) validateChanges(set, old as StatefulSet, context);
  return errors;
}

function validatePodManagement(spec: Spec): void {
  const policy = spec.at('podManagementPolicy');
  if (policy.require() && !POLICIES.includes(policy.value ?? '')) policy.invalid(wording.podManagementPolicy);
}

// Compatibility: the errors stand at `spec` with the whole list (of a long one its start), and a bad text may have two.
function validateReserveOrdinals(spec: Spec): void {
  const ordinals = spec.value?.reserveOrdinals ?? [];
  const printed = ordinals.slice(0, ORDINALS_TOLD);
  const first = spec.errors.length;
  for (const [index, ordinal] of ordinals.entries()) {
    if (spec.errors.length - first >= ORDINALS_TOLD) return;
    if (typeof ordinal === 'number') {
      if (ordinal < 0) spec.invalid(wording.ordinalNegative(index, ordinal), printed);
      continue;
    }
    if (!/^\d+-\d+$/.test(ordinal)) spec.invalid(wording.ordinalNotRange(index, ordinal), printed);
    const fault = rangeFault(ordinal);
    if (fault !== undefined) spec.invalid(wording.ordinalInvalid(index, ordinal, fault), printed);
  }
}

function rangeFault(text: string): string | undefined {
  const ends = text.split('-');
  if (ends.length !== 2) return wording.invalidRange(text);
  const [start = '', end = ''] = ends.map(atoi);
  if (typeof start === 'string') return start;
  if (typeof end === 'string') return end;
  return start > end ? wording.invalidRange(text) : undefined;
}

function validateRetention(policy: Field<AdvancedStatefulSetSpec['persistentVolumeClaimRetentionPolicy']>): void {
  if (policy.value === undefined) return;
  policy.at('whenDeleted').among(RETENTION);
  policy.at('whenScaled').among(RETENTION);
}

function validateChanges(set: Field<StatefulSet>, old: StatefulSet, context: ValidationContext): void {
  const spec = set.at('spec');
  validateObjectMetaUpdate(set.at('metadata'), old.metadata ?? {});
  validateImmutable(spec, old.spec, {
    members: ['selector', 'serviceName', 'podManagementPolicy'],
    detail: wording.immutable,
  });
  validateClaimChanges(spec, old.spec, context);
  const isInPlaceOnly = spec.value?.updateStrategy?.rollingUpdate?.podUpdatePolicy === 'InPlaceOnly';
  if (!isInPlaceOnly || set.errors.length > 0) return;
  const change = changeBeyondImages(old.spec?.template?.spec, spec.value?.template?.spec, IMAGES);
  if (change === undefined) return;
  // Compatibility: a plain sentence, without the place.
  const text = wording.imagesOnly(change.op, change.path);
  set.errors.push({ kind: 'Invalid', path: 'spec.template.spec', text });
}
