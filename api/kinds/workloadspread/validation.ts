// What a WorkloadSpread must be to be admitted (workloadspread 2): target, subsets, strategy, filter, and that no other
// one has the same target. The subsets are in the files beside this one.
import type { FieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { apiVersionFault, groupOf, isSameTarget } from '../../core/references.ts';
import { selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { APPS_GROUP, KRUISE_CONFIGURATION } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import type { WorkloadSpread, WorkloadSpreadSpec } from './schema.ts';
import { validateSubsets } from './subset-validation.ts';
import { groupsOf, listedWorkloads } from './targets.ts';
import { wording } from './wording.ts';

type Spec = Field<WorkloadSpreadSpec | undefined>;

/** Seconds that all subsets together may be given, so that a pod is moved on before its creator gives up. */
const RESCHEDULE_SECONDS = 295;
const GREATEST_INT32 = 2147483647;
const STRATEGY_TYPES = ['', 'Fixed', 'Adaptive'];

/** The field errors of an object in v1beta1 form, decoded; none if it may be admitted. `old` is given on UPDATE. */
export function validateWorkloadSpread(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const spread = Field.root(object as WorkloadSpread, errors);
  const before = old as WorkloadSpread | undefined;
  const spec = spread.at('spec');
  validateTarget(spec, context);
  validateSubsets(spread, before, context);
  validateStrategy(spec);
  validateFilter(spec.at('targetFilter'));
  if (before !== undefined) {
    validateObjectMetaUpdate(spread.at('metadata'), before.metadata ?? {});
    validateSameTarget(spec, before.spec);
  }
  validateConflicts(spread, context);
  return errors;
}

function validateTarget(spec: Spec, context: ValidationContext): void {
  const target = spec.at('targetRef');
  if (target.value === undefined) {
    target.required(wording.targetMissing);
    return;
  }
  const { apiVersion, kind, name } = target.value;
  const group = groupOf(apiVersion);
  const groups = groupsOf(kind);
  const fault = apiVersionFault(apiVersion);
  if (apiVersion === '' || kind === '' || name === '') target.invalid(wording.targetIncomplete);
  else if (fault !== undefined) target.invalid(fault);
  else if (groups === undefined) validateListed(target, { group, kind }, context);
  else if (!groups.includes(group)) target.invalid(wording.targetGroup(kind));
}

function validateListed(
  target: Field<unknown>,
  { group, kind }: { group: string; kind: string },
  context: ValidationContext,
): void {
  const configuration = context.configMap(context.systemNamespace, KRUISE_CONFIGURATION);
  const workloads = listedWorkloads(configuration);
  if (typeof workloads === 'string') {
    target.errors.push({ kind: 'InternalError', path: target.path, detail: workloads });
  } else if (!workloads.some(({ Group = '', Kind = '' }) => Group === group && Kind === kind)) {
    target.invalid(wording.targetUnlisted);
  }
}

// Compatibility: where the seconds are meant or not, it is they that are printed.
function validateStrategy(spec: Spec): void {
  const strategy = spec.at('scheduleStrategy');
  const { type = '', adaptive } = strategy.value ?? {};
  if (!STRATEGY_TYPES.includes(type)) strategy.at('type').invalid(wording.strategyType);
  if (adaptive === undefined) return;
  const seconds = adaptive.rescheduleCriticalSeconds;
  const subsets = spec.value?.subsets ?? [];
  if (type !== 'Adaptive') strategy.at('type').invalid(wording.adaptiveType, seconds ?? null);
  if (subsets.length > 1 && subsets.at(-1)?.maxReplicas !== undefined) {
    strategy.at('adaptive').invalid(wording.lastSubsetLimited, seconds ?? null);
  }
  const limit = subsets.length > 1 ? Math.floor(RESCHEDULE_SECONDS / (subsets.length - 1)) : GREATEST_INT32;
  if (seconds !== undefined && (seconds < 0 || seconds > limit)) {
    strategy.at('adaptive').at('rescheduleCriticalSeconds').invalid(wording.seconds(limit));
  }
}

function validateFilter(filter: Field<WorkloadSpreadSpec['targetFilter']>): void {
  const selector = filter.value?.selector;
  const fault = selector === undefined ? undefined : selectorFault(selector);
  if (fault !== undefined) filter.invalid(fault);
}

function validateSameTarget(spec: Spec, before: WorkloadSpreadSpec | undefined): void {
  if (!isSameTarget(spec.value?.targetRef ?? {}, before?.targetRef ?? {})) {
    spec.at('targetRef').invalid(wording.targetImmutable);
  }
}

// A workload is spread by one object. Only the first one that is in the way is told.
function validateConflicts(spread: Field<WorkloadSpread>, context: ValidationContext): void {
  const target = spread.at('spec').at('targetRef');
  const { namespace = '', name } = spread.value?.metadata ?? {};
  const others = context.objects(APPS_GROUP, 'WorkloadSpread', namespace) as readonly WorkloadSpread[];
  const taken = others.find((other) => {
    const { targetRef } = other.spec ?? {};
    if (other.metadata?.name === name || targetRef === undefined || target.value === undefined) return false;
    return isSameTarget(targetRef, target.value);
  });
  if (taken !== undefined) target.invalid(wording.targetTaken(taken.metadata?.name ?? ''));
}
