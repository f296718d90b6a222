// What Kubernetes' own PodDisruptionBudgets say of an eviction, as its eviction sub-resource decides.

import { isNumber, isObject, type Json, type JsonObject, numberText } from '../../api/core/json.ts';
import { matchesSelector } from '../../api/core/selector.ts';
import { isReady } from '../pods.ts';
import { kindNameOf, metadataOf, nameOf, namespaceOf } from '../resources.ts';
import { objectAt } from '../workload-parts.ts';

/** `refused` names the budget and says why; `isFinal`: asking again later does not help. */
export type Ruling = { refused: undefined } | { refused: string; message: string; isFinal: boolean };

const ALLOWED: Ruling = { refused: undefined };

type Counted = { budget: JsonObject; allowed: number };

/** The budgets of a cluster, with what evictions take of them. */
export class DisruptionBudgets {
  private readonly budgets: readonly Counted[];

  constructor(objects: readonly JsonObject[]) {
    this.budgets = objects.filter(isDisruptionBudget).map((budget) => ({
      budget,
      allowed: numberOf(objectAt(budget, 'status').disruptionsAllowed) ?? 0,
    }));
  }

  /** Decides on an eviction, and takes a disruption if it is allowed. */
  evict(pod: JsonObject): Ruling {
    const matching = this.budgets.filter(({ budget }) => selects(budget, pod));
    const [counted, other] = matching;
    if (counted === undefined || objectAt(pod, 'status').phase === 'Pending') return ALLOWED;
    const { budget } = counted;
    const name = `PodDisruptionBudget ${nameOf(budget)}`;
    if (other !== undefined) {
      const message = `also ${nameOf(other.budget)} selects the pod: pods of several budgets cannot be evicted`;
      return { refused: name, message, isFinal: true };
    }
    const status = objectAt(budget, 'status');
    const spec = objectAt(budget, 'spec');
    const healthy = numberOf(status.currentHealthy) ?? 0;
    const desired = numberOf(status.desiredHealthy) ?? 0;
    const isSpared = spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (healthy >= desired && desired > 0);
    if (!isReady(pod) && isSpared) return ALLOWED;
    if ((numberOf(status.observedGeneration) ?? 0) < (numberOf(metadataOf(budget).generation) ?? 0)) {
      return { refused: name, message: 'the disruption controller has not looked at it yet', isFinal: false };
    }
    if (counted.allowed <= 0) {
      const message = `needs ${desired} healthy pods, has ${healthy}`;
      return { refused: name, message, isFinal: false };
    }
    counted.allowed--;
    return ALLOWED;
  }
}

function isDisruptionBudget(object: JsonObject): boolean {
  const { group, kind } = kindNameOf(object);
  return group === 'policy' && kind === 'PodDisruptionBudget';
}

// Without a selector none, with an empty one all of the namespace.
function selects(budget: JsonObject, pod: JsonObject): boolean {
  const { selector } = objectAt(budget, 'spec');
  if (!isObject(selector) || (namespaceOf(budget) || 'default') !== (namespaceOf(pod) || 'default')) return false;
  return matchesSelector(selector as object, (metadataOf(pod).labels ?? {}) as Record<string, string>);
}

function numberOf(value: Json | undefined): number | undefined {
  return isNumber(value) ? Number(numberText(value)) : undefined;
}
