// Rules of the strategies that order the update of pods; several kinds share them. (sidecarset 4.4)
import type { LabelSelector } from '../meta.ts';
import { isEmptySelector, selectorFault } from '../selector.ts';
import { wording } from './wording.ts';

export type PriorityStrategy = {
  orderPriority?: readonly { orderedKey: string }[];
  weightPriority?: readonly { weight: number; matchSelector: LabelSelector }[];
};
export type ScatterTerm = { key: string; value: string };

const GREATEST_WEIGHT = 100;

/** The first thing wrong with a priority strategy; undefined if nothing is. */
export function priorityFault(strategy: PriorityStrategy): string | undefined {
  const { weightPriority = [], orderPriority = [] } = strategy;
  if (weightPriority.length > 0 && orderPriority.length > 0) return wording.oneOfTwoPriorities;
  for (const { weight, matchSelector = {} } of weightPriority) {
    if (weight < 0 || weight > GREATEST_WEIGHT) return wording.priorityWeight;
    if (isEmptySelector(matchSelector)) return wording.prioritySelectorEmpty;
    const fault = selectorFault(matchSelector);
    if (fault !== undefined) return wording.prioritySelector(fault);
  }
  return orderPriority.some(({ orderedKey = '' }) => orderedKey === '') ? wording.orderKeyEmpty : undefined;
}

/** The first thing wrong with scatter terms; undefined if nothing is. */
export function scatterFault(terms: readonly ScatterTerm[]): string | undefined {
  const seen = new Set<string>();
  for (const { key = '', value = '' } of terms) {
    if (key === '') return wording.scatterKeyEmpty;
    const term = `${key}:${value}`;
    if (seen.has(term)) return wording.scatterTwice(key, value);
    seen.add(term);
  }
  return undefined;
}
