// What a PodUnavailableBudget must be to be admitted (podunavailablebudget 1.7, 1.8).
import type { FieldError } from '../../core/field-error.ts';
import { parseInteger } from '../../core/integers.ts';
import { equalJson, type Json, type JsonObject } from '../../core/json.ts';
import type { LabelSelector } from '../../core/meta.ts';
import { apiVersionFault, isSameTarget } from '../../core/references.ts';
import { isEmptySelector, overlapsLoosely, selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateIntOrPercent, validateNotAbove100Percent } from '../../core/validation/int-or-percent.ts';
import { validateLabelSelector } from '../../core/validation/label-selector.ts';
import { POLICY_GROUP, PUB_PROTECT_TOTAL_REPLICAS } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import { OPERATIONS, type PodUnavailableBudget, type PodUnavailableBudgetSpec } from './schema.ts';
import { wording } from './wording.ts';

type Spec = Field<PodUnavailableBudgetSpec | undefined>;

/** The field errors of a budget in v1beta1 form, decoded; none if it may be admitted. `old` is given on UPDATE. */
export function validatePodUnavailableBudget(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const budget = Field.root(object as PodUnavailableBudget, errors);
  const spec = budget.at('spec');
  validateTotalAnnotation(budget);
  validatePods(spec);
  validateAmount(spec);
  for (const operation of spec.at('protectOperations').items()) operation.among(OPERATIONS);
  validateIgnored(spec.at('ignoredPodSelector'));
  if (old !== undefined) validateSamePods(spec, (old as PodUnavailableBudget).spec);
  validateConflicts(budget, context);
  return errors;
}

// The annotation is what v1alpha1 has instead of the member; beside the member it must say the same.
function validateTotalAnnotation(budget: Field<PodUnavailableBudget>): void {
  const total = budget.value?.metadata?.annotations?.[PUB_PROTECT_TOTAL_REPLICAS];
  if (total === undefined) return;
  const place = budget.place('metadata', 'annotations', `[${PUB_PROTECT_TOTAL_REPLICAS}]`);
  const member = budget.value?.spec?.protectTotalReplicas;
  if (typeof parseInteger(total, 32) !== 'number') place.invalid(wording.totalNumber, total);
  else if (member !== undefined && total !== String(member)) place.invalid(wording.totalDiffers, total);
}

function validatePods(spec: Spec): void {
  const { selector, targetRef } = spec.value ?? {};
  const place = spec.place('selector, targetRef');
  if (selector === undefined && targetRef === undefined) place.required(wording.noPods);
  else if (selector !== undefined && targetRef !== undefined) place.required(wording.podsTwice);
  else if (selector !== undefined) validateSelector(spec.at('selector'));
  else validateTarget(spec.at('targetRef'));
}

function validateTarget(target: Field<PodUnavailableBudgetSpec['targetRef']>): void {
  const { apiVersion = '', kind = '', name = '' } = target.value ?? {};
  if (apiVersion === '' || kind === '' || name === '') target.invalid(wording.targetIncomplete);
  const fault = apiVersionFault(apiVersion);
  if (fault !== undefined) target.invalid(fault);
}

function validateSelector(selector: Field<LabelSelector | undefined>): void {
  if (selector.value === undefined) return;
  validateLabelSelector(selector);
  if (isEmptySelector(selector.value)) selector.invalid(wording.selectorEmpty);
  if (selectorFault(selector.value) !== undefined) selector.invalid('');
}

function validateAmount(spec: Spec): void {
  const { maxUnavailable, minAvailable } = spec.value ?? {};
  const place = spec.place('maxUnavailable, minAvailable');
  if (maxUnavailable === undefined && minAvailable === undefined) place.required(wording.noBudget);
  else if (maxUnavailable !== undefined && minAvailable !== undefined) place.required(wording.budgetTwice);
  else {
    const amount = maxUnavailable === undefined ? spec.at('minAvailable') : spec.at('maxUnavailable');
    validateIntOrPercent(amount);
    validateNotAbove100Percent(amount);
  }
}

function validateIgnored(selector: Field<LabelSelector | undefined>): void {
  if (selector.value === undefined) return;
  validateLabelSelector(selector);
  if (isEmptySelector(selector.value)) selector.invalid(wording.ignoredEmpty);
}

// Compatibility: an empty list or map in the selector is another one than none.
function validateSamePods(spec: Spec, old: PodUnavailableBudgetSpec | undefined): void {
  const isSame = (['selector', 'targetRef'] as const).every((member) =>
    equalJson((spec.value?.[member] ?? null) as Json, (old?.[member] ?? null) as Json),
  );
  if (!isSame) spec.place('selector, targetRef').required(wording.podsImmutable);
}

// Two budgets for the same pods cannot both be kept. Only the first one that is in the way is told.
function validateConflicts(budget: Field<PodUnavailableBudget>, context: ValidationContext): void {
  const { metadata, spec } = budget.value ?? {};
  const { selector, targetRef } = spec ?? {};
  const others = context.objects(POLICY_GROUP, 'PodUnavailableBudget', metadata?.namespace ?? '');
  for (const other of others as readonly PodUnavailableBudget[]) {
    const name = other.metadata?.name ?? '';
    if (name === metadata?.name) continue;
    const { selector: otherSelector, targetRef: otherTarget } = other.spec ?? {};
    if (targetRef !== undefined && otherTarget !== undefined) {
      if (!isSameTarget(targetRef, otherTarget)) continue;
      budget.place('spec', 'targetReference').invalid(wording.targetTaken(name), targetRef);
      return;
    }
    if (selector === undefined || otherSelector === undefined || !overlapsLoosely(selector, otherSelector)) continue;
    budget.at('spec').at('selector').invalid(wording.selectorTaken(name));
    return;
  }
}
