// The subsets of a WorkloadSpread: names, node selectors, tolerations, patches, and how many pods they take
// (workloadspread 2.1, rules 5 to 16).
import { parseInteger } from '../../core/integers.ts';
import { validateNodeSelectorTerm, validatePreferredTerms } from '../../core/validation/affinity.ts';
import { Field } from '../../core/validation/field.ts';
import { validateTolerations } from '../../core/validation/scheduling.ts';
import type { ValidationContext } from '../kind.ts';
import { templateOf, validatePatch } from './patch-validation.ts';
import type { Subset, WorkloadSpread } from './schema.ts';
import { findWorkload } from './targets.ts';
import { wording } from './wording.ts';

/** All rules of the subsets; `before` is the object before an UPDATE. */
export function validateSubsets(
  spread: Field<WorkloadSpread>,
  before: WorkloadSpread | undefined,
  context: ValidationContext,
): void {
  const subsets = spread.at('spec').at('subsets');
  if (!subsets.require(wording.subsetsMissing)) return;
  const target = spread.value?.spec?.targetRef;
  const namespace = spread.value?.metadata?.namespace ?? '';
  const workload = target === undefined ? undefined : findWorkload(target, namespace, context);
  const template = workload === undefined ? undefined : templateOf(workload);
  const amounts = new Amounts(target?.kind === 'StatefulSet', before);
  const names = new Set<string>();
  for (const subset of subsets.items()) {
    validateName(subset.at('name'), names);
    const { requiredNodeSelector, patch } = subset.value ?? {};
    if (requiredNodeSelector !== undefined) {
      validateNodeSelectorTerm(Field.below(subset.at('requiredNodeSelector'), requiredNodeSelector));
    }
    validatePreferredTerms(subset.at('preferredNodeSelector'));
    validateTolerations(subset.at('tolerations'));
    if (template !== undefined && patch !== undefined && patch !== null) {
      validatePatch(subset.at('patch'), template, context.gates);
    }
    // Behind a wrong number nothing more is told.
    if (!amounts.add(subset)) return;
  }
  amounts.validateSum(subsets);
}

function validateName(name: Field<string>, seen: Set<string>): void {
  const text = name.value ?? '';
  if (text === '') name.invalid('', '');
  else if (seen.has(text)) name.invalid(wording.subsetTwice(text));
  seen.add(text);
}

/** The numbers of the subsets so far: all of one type, percentages together at most 100%. */
class Amounts {
  private readonly ofStatefulSet: boolean;
  private readonly before: ReadonlyMap<string, Subset['maxReplicas']>;
  private type: string | undefined;
  private percent = 0;

  constructor(ofStatefulSet: boolean, before: WorkloadSpread | undefined) {
    this.ofStatefulSet = ofStatefulSet;
    this.before = new Map((before?.spec?.subsets ?? []).map(({ name, maxReplicas }) => [name, maxReplicas]));
  }

  /** False, and reported, if the number of the subset is wrong. */
  add(subset: Field<Subset>): boolean {
    const amount = subset.at('maxReplicas');
    const fault = amount.value === undefined ? undefined : this.faultOf(amount.value, subset.value?.name ?? '');
    if (fault !== undefined) amount.invalid(fault);
    return fault === undefined;
  }

  /** Percentages that leave pods over need a last subset that takes them. */
  validateSum(subsets: Field<Subset[] | undefined>): void {
    const last = subsets.value?.at(-1)?.maxReplicas;
    if (this.type !== 'string' || this.percent >= 100 || last === undefined) return;
    subsets.items()[0]?.at('maxReplicas').invalid(wording.sumBelow100);
  }

  private faultOf(amount: number | string, name: string): string | undefined {
    this.type ??= typeof amount;
    if (typeof amount !== this.type) return wording.amountTypes;
    if (this.ofStatefulSet && typeof amount !== 'number') return wording.amountOfStatefulSet;
    if (typeof amount === 'number') return amount < 0 ? wording.amountInvalid : undefined;
    const percent = parseInteger(amount.replaceAll('%', ''), 64);
    if (typeof percent !== 'number' || percent < 0) return wording.amountInvalid;
    // OpenKruise admits texts with no % at their end or with several, which come to nothing later: they may stay.
    if (!/^[^%]+%$/.test(amount) && this.before.get(name) !== amount) return wording.amountInvalid;
    this.percent += percent;
    return this.percent > 100 ? wording.sumAbove100 : undefined;
  }
}
