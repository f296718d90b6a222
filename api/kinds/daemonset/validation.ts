// What an Advanced DaemonSet must be to be admitted. The versions know different update types, so an object is looked at in
// the version in which it was sent (advanced-daemonset 1.3).
import type { FieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { isEmptySelector, selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateIntOrPercent, validateNotAbove100Percent } from '../../core/validation/int-or-percent.ts';
import { validateLabelSelector } from '../../core/validation/label-selector.ts';
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { dnsSubdomain } from '../../core/validation/names.ts';
import { validatePodTemplate, validateTemplateLabels } from '../../core/validation/pod-template.ts';
import { defaultedCopy, validateAlwaysRunning, validateImmutable } from '../../core/validation/workload.ts';
import { parseApiVersion, type ValidationContext } from '../kind.ts';
import type { DaemonSet } from './schema.ts';
import { wording } from './wording.ts';

type Spec = Field<DaemonSet['spec']>;
type Rolling = Field<NonNullable<NonNullable<DaemonSet['spec']>['updateStrategy']>['rollingUpdate']>;

const METADATA: MetadataRules = { name: dnsSubdomain, namespaced: true };
const UPDATE_TYPES = ['RollingUpdate', 'OnDelete'];

/**
 * The field errors of a set, decoded and defaulted, in the version that its apiVersion names; none if it may be admitted.
 * `old` is given on UPDATE, in the same version.
 */
export function validateDaemonSet(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const set = Field.root(object as DaemonSet, errors);
  const spec = set.at('spec');
  const { version } = parseApiVersion(object.apiVersion);
  if (old !== undefined) validateChanges(set, old as DaemonSet);
  validateObjectMeta(set.at('metadata'), METADATA);
  validatePods(spec, context);
  spec.at('minReadySeconds').notNegative();
  validateUpdateStrategy(spec, version);
  spec.at('revisionHistoryLimit').notNegative();
  const hook = spec.at('lifecycle').at('inPlaceUpdate');
  if (hook.value !== undefined) hook.forbidden(wording.noInPlaceHook);
  return errors;
}

function validateChanges(set: Field<DaemonSet>, old: DaemonSet): void {
  validateObjectMetaUpdate(set.at('metadata'), old.metadata ?? {});
  validateImmutable(set.at('spec'), old.spec, { members: ['selector'], detail: wording.immutable });
}

function validatePods(spec: Spec, { gates }: ValidationContext): void {
  const { selector, template } = spec.value ?? {};
  validateLabelSelector(spec.at('selector'));
  // Without a selector nothing matches; a malformed one has its errors already.
  if (selector === undefined || selectorFault(selector) === undefined) {
    validateTemplateLabels(spec.at('template'), selector);
  }
  if (selector !== undefined && isEmptySelector(selector)) spec.at('selector').invalid(wording.selectorEmpty);
  validatePodTemplate(Field.below(spec.place('template'), defaultedCopy(template, gates)));
  validateAlwaysRunning(spec.at('template'), wording.noDeadline);
}

function validateUpdateStrategy(spec: Spec, version: string): void {
  const strategy = spec.at('updateStrategy');
  const rolling = strategy.at('rollingUpdate');
  const type = strategy.value?.type ?? '';
  if (!UPDATE_TYPES.includes(type)) strategy.unsupported(UPDATE_TYPES);
  if (type !== 'RollingUpdate') return;
  if (rolling.value === undefined) rolling.required();
  else validateRollingUpdate(rolling, version);
}

function validateRollingUpdate(rolling: Rolling, version: string): void {
  const { rollingUpdateType = '' } = rolling.value ?? {};
  const maxUnavailable = rolling.at('maxUnavailable');
  const maxSurge = rolling.at('maxSurge');
  const hasUnavailable = validateAmount(maxUnavailable);
  const hasSurge = validateAmount(maxSurge);
  if (hasUnavailable && hasSurge) maxSurge.invalid(wording.surgeWithUnavailable);
  if (!hasUnavailable && !hasSurge) maxUnavailable.required(wording.nothingMoves);
  // Compatibility: two of the paths name rollingUpdate twice.
  const place = rolling.place('rollingUpdate');
  const types =
    version === 'v1alpha1' ? ['Standard', 'Surging', 'InPlaceIfPossible'] : ['Standard', 'InPlaceIfPossible'];
  if (!types.includes(rollingUpdateType)) place.place('type').unsupported(types, rollingUpdateType);
  else if (rollingUpdateType === 'InPlaceIfPossible' && hasSurge) {
    maxSurge.required(wording.mustBeZero(rollingUpdateType));
  } else if (rollingUpdateType === 'Surging' && hasUnavailable) {
    maxUnavailable.required(wording.mustBeZero(rollingUpdateType));
  }
  const partition = Field.below(place.place('partition'), rolling.value?.partition);
  validateIntOrPercent(partition);
  validateNotAbove100Percent(partition);
}

/** Whether the amount is more than zero, and so must be well formed. */
function validateAmount(field: Field<number | string | undefined>): boolean {
  const { value = 0 } = field;
  const [digits = '0'] = typeof value === 'number' ? [String(value)] : (/^(\d+(?=%$)|[+-]?\d+$)/.exec(value) ?? []);
  if (Number(digits) === 0) return false;
  validateIntOrPercent(field);
  validateNotAbove100Percent(field);
  return true;
}
