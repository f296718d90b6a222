// How many pods the subsets get: numbers or percentages of the whole, in one of two styles (uniteddeployment 1.2, 3.2).
import type { Field } from '../../core/validation/field.ts';
import type { UnitedDeploymentSpec } from './schema.ts';
import { wording } from './wording.ts';

type Topology = UnitedDeploymentSpec['topology'];
type Subset = NonNullable<NonNullable<Topology>['subsets']>[number];

/** Stands for no limit, where limits are compared. */
const NO_LIMIT = 1000000;
const UNKNOWN = -1;

/** The amounts of all subsets; `replicas` is that of the whole, if it is known. */
export function validateSubsetAmounts(topology: Field<Topology>, replicas: number | undefined): void {
  const field = topology.at('subsets');
  const subsets = field.value ?? [];
  const total = replicas ?? UNKNOWN;
  const amounts = field.items().map((subset, index) => amountsOf(subset, index, total));
  const hasReplicas = subsets.some((subset) => subset.replicas !== undefined);
  const hasLimits = subsets.some(({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined);
  if (hasReplicas && hasLimits) field.invalid(wording.twoStyles);
  else if (hasLimits) validateLimits(field, { subsets, amounts, total });
  else validateReplicas(field, { subsets, amounts, total });
}

type Amounts = { replicas: number; least: number; most: number };
type All = { subsets: readonly Subset[]; amounts: readonly Amounts[]; total: number };

/** The numbers of a subset; what is no amount is reported, and counts as 0. */
function amountsOf(subset: Field<Subset>, index: number, total: number): Amounts {
  const number = (field: Field<number | string | undefined>): number => {
    const parsed = parseAmount(field.value ?? 0, total);
    if (typeof parsed === 'number') return parsed;
    field.invalid(parsed);
    return 0;
  };
  const replicas = number(subset.at('replicas'));
  const least = number(subset.at('minReplicas'));
  const isLimited = subset.value?.maxReplicas !== undefined;
  const most = isLimited ? number(subset.at('maxReplicas')) : NO_LIMIT;
  if (least > most) subset.at('minReplicas').invalid(wording.leastAboveMost(index), subset.value?.minReplicas ?? null);
  return { replicas, least, most };
}

/** Number of pods that an amount means, half ones rounded up; or why it means none. */
function parseAmount(amount: number | string, total: number): number | string {
  if (typeof amount === 'number') return amount >= 0 ? amount : wording.negative(amount);
  if (total === UNKNOWN) return wording.percentOfUnknown(amount);
  if (!amount.endsWith('%')) return wording.notPercent(amount);
  const digits = amount.slice(0, -1);
  if (!/^[+-]?[0-9]+$/.test(digits)) return wording.notInteger(amount);
  const percent = Number(digits);
  if (percent < 0 || percent > 100) return wording.percentRange(amount);
  return Math.floor((total * percent) / 100 + 0.5);
}

function validateLimits(field: Field<unknown>, { subsets, amounts, total }: All): void {
  const limited = subsets.filter(({ maxReplicas }) => maxReplicas !== undefined).length;
  const least = sum(amounts.map((one) => one.least));
  const most = sum(amounts.map((one) => one.most));
  if (total === UNKNOWN) field.invalid(wording.totalUnknown, null);
  if (limited === subsets.length) field.invalid(wording.nothingUnlimited, limited);
  if (least > most) field.invalid(wording.leastSumAboveMost(least, most), least);
}

function validateReplicas(field: Field<unknown>, { subsets, amounts, total }: All): void {
  const all = subsets.every(({ replicas }) => replicas !== undefined);
  const indicated = sum(amounts.map(({ replicas }) => replicas));
  if (total === UNKNOWN) {
    if (!all) field.invalid(wording.replicasMissing, indicated);
    return;
  }
  if (indicated > total) field.invalid(wording.sumAboveTotal(indicated, total), indicated);
  if (all && subsets.length > 0 && indicated !== total) field.invalid(wording.sumNotTotal(indicated, total), indicated);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
