// What changed budgets come to: how many pods must stay, and how many may go.

import { isNumber, type Json, type JsonObject, numberText } from '../../api/core/json.ts';
import { matchesSelector } from '../../api/core/selector.ts';
import { desiredAvailable } from '../../api/kinds/podunavailablebudget/desired-available.ts';
import { isActive, isPod, isReady } from '../pods.ts';
import { kindNameOf, metadataOf, nameOf, namespaceOf } from '../resources.ts';
import { objectAt } from '../workload-parts.ts';

/** The counters of a budget before and after; `before` is undefined for a new one. */
export type BudgetChange = {
  name: string;
  pods: number;
  available: number;
  before: Counters | undefined;
  after: Counters;
};

type Counters = { desired: number; allowed: number };

type Find = (object: JsonObject) => JsonObject | undefined;

/** The changed budgets whose counters change. `live` are all live objects. */
export function budgetChanges(changed: readonly JsonObject[], live: readonly JsonObject[], find: Find): BudgetChange[] {
  return changed.flatMap((budget) => {
    const { group, kind } = kindNameOf(budget);
    if (group !== 'policy.kruise.io' || kind !== 'PodUnavailableBudget') return [];
    const change = changeOf(budget, find(budget), live);
    const { before, after } = change;
    return before?.desired === after.desired && before.allowed === after.allowed ? [] : [change];
  });
}

function changeOf(budget: JsonObject, stored: JsonObject | undefined, live: readonly JsonObject[]): BudgetChange {
  const status = stored === undefined ? {} : objectAt(stored, 'status');
  const counted = stored === undefined || status.totalReplicas === undefined ? countedPods(budget, live) : undefined;
  const expected = numberOf(objectAt(budget, 'spec').protectTotalReplicas);
  const pods = expected ?? counted?.pods ?? numberOf(status.totalReplicas) ?? 0;
  const available = counted?.available ?? numberOf(status.currentAvailable) ?? 0;
  const desired = desiredAvailable(amountsOf(budget), pods) ?? 0;
  const before =
    stored === undefined
      ? undefined
      : { desired: numberOf(status.desiredAvailable) ?? 0, allowed: numberOf(status.unavailableAllowed) ?? 0 };
  const after = { desired, allowed: Math.max(available - desired, 0) };
  const namespace = namespaceOf(budget) || 'default';
  return { name: `${namespace}/${nameOf(budget)}`, pods, available, before, after };
}

function amountsOf(budget: JsonObject) {
  const { maxUnavailable, minAvailable } = objectAt(budget, 'spec');
  return { maxUnavailable: amountOf(maxUnavailable), minAvailable: amountOf(minAvailable) };
}

function amountOf(value: Json | undefined): number | string | undefined {
  return typeof value === 'string' ? value : numberOf(value);
}

/** Before any controller has counted: by labels alone, so a budget by reference has no pods yet. */
function countedPods(budget: JsonObject, live: readonly JsonObject[]): { pods: number; available: number } {
  const selector = objectAt(budget, 'spec').selector;
  const namespace = namespaceOf(budget) || 'default';
  const pods = live.filter((object) => {
    if (!isPod(object) || !isActive(object) || (namespaceOf(object) || 'default') !== namespace) return false;
    const labels = metadataOf(object).labels as Record<string, string> | undefined;
    return selector !== undefined && matchesSelector(selector as object, labels ?? {});
  });
  return { pods: pods.length, available: pods.filter(isReady).length };
}

function numberOf(value: Json | undefined): number | undefined {
  return isNumber(value) ? Number(numberText(value)) : undefined;
}
