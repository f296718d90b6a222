// Which pods of a workload are updated first: how much they are worth now, then what the user said (admission-overview 10.9,
// sidecarset 7.7).

import type { LabelSelector } from '../../api/core/meta.ts';
import { matchesSelector } from '../../api/core/selector.ts';
import { keyOf } from '../../kube/objects.ts';
import { type ContainerStatus, conditionOf, isReady, type Pod } from './pod.ts';

export type PriorityStrategy = {
  readonly orderPriority?: readonly { readonly orderedKey: string }[];
  readonly weightPriority?: readonly { readonly weight: number; readonly matchSelector: LabelSelector }[];
};
export type ScatterTerm = { readonly key: string; readonly value: string };

/** Orders pods by what is lost with them, the least first: those that do not run, are not ready, are new. */
export function compareForUpdate(a: Pod, b: Pod): number {
  return (
    Number(isScheduled(a)) - Number(isScheduled(b)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (isReady(a) ? compareTimes(readySince(b), readySince(a)) : 0) ||
    mostRestarts(b.status?.containerStatuses) - mostRestarts(a.status?.containerStatuses) ||
    mostRestarts(sidecarStatuses(b)) - mostRestarts(sidecarStatuses(a)) ||
    compareTimes(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
    compareTexts(keyOf(a.metadata), keyOf(b.metadata))
  );
}

/** Pods of greater weight, or of an earlier key and a greater number, first; otherwise the order stays. */
export function orderByPriority(pods: readonly Pod[], strategy: PriorityStrategy | undefined): readonly Pod[] {
  const { weightPriority = [], orderPriority = [] } = strategy ?? {};
  if (weightPriority.length > 0) {
    const weights = new Map(pods.map((pod) => [pod, weightOf(pod, weightPriority)]));
    return pods.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  }
  if (orderPriority.length === 0) return pods;
  const ranks = new Map(pods.map((pod) => [pod, rankOf(pod, orderPriority)]));
  return pods.toSorted((a, b) => {
    const [x, y] = [ranks.get(a), ranks.get(b)];
    return x === undefined || y === undefined ? 0 : x.level - y.level || y.number - x.number;
  });
}

/**
 * Spreads the pods with each label over the order, so that they are not updated in one go. `all` are the pods of the
 * workload, of which `pods` wait for the update.
 */
export function scatter(
  pods: readonly Pod[],
  terms: readonly ScatterTerm[] | undefined,
  all: readonly Pod[],
): readonly Pod[] {
  let order = pods;
  for (const term of relevantTerms(terms ?? [], pods)) order = scatterOne(order, term, all);
  return order;
}

function isScheduled(pod: Pod): boolean {
  return (pod.spec.nodeName ?? '') !== '';
}

function phaseRank(pod: Pod): number {
  return Math.max(0, ['Pending', 'Unknown', 'Running'].indexOf(pod.status?.phase ?? ''));
}

function readySince(pod: Pod): string | undefined {
  return conditionOf(pod, 'Ready')?.lastTransitionTime ?? undefined;
}

/** Earlier first, but no time at all last. */
function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function mostRestarts(statuses: readonly ContainerStatus[] = []): number {
  return statuses.reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);
}

function sidecarStatuses(pod: Pod): readonly ContainerStatus[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const names = new Set(sidecars.map(({ name }) => name));
  return (pod.status?.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
}

function weightOf(pod: Pod, terms: NonNullable<PriorityStrategy['weightPriority']>): number {
  let sum = 0;
  for (const { weight, matchSelector } of terms) {
    if (matchesSelector(matchSelector, pod.metadata.labels)) sum += weight;
  }
  return sum;
}

// Compatibility: pods that have none of the keys come first.
function rankOf(pod: Pod, terms: NonNullable<PriorityStrategy['orderPriority']>): { level: number; number: number } {
  const labels = pod.metadata.labels ?? {};
  const level = terms.findIndex(({ orderedKey }) => Object.hasOwn(labels, orderedKey));
  const key = terms[level]?.orderedKey;
  const digits = key === undefined ? '' : (/\d*$/.exec(labels[key] ?? '')?.[0] ?? '');
  const number = Number(digits);
  return { level, number: number > MAX_NUMBER ? 0 : number };
}
const MAX_NUMBER = 2 ** 63 - 1;

// A single term counts as it is; of several those that some pod has, the most frequent first.
function relevantTerms(terms: readonly ScatterTerm[], pods: readonly Pod[]): readonly ScatterTerm[] {
  if (terms.length <= 1) return terms;
  const unique = new Map(terms.map((term) => [JSON.stringify([term.key, term.value]), term]));
  return [...unique.values()]
    .map((term) => ({ term, count: pods.filter((pod) => hasTerm(pod, term)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ term }) => term);
}

function hasTerm(pod: Pod, { key, value }: ScatterTerm): boolean {
  return pod.metadata.labels?.[key] === value;
}

function scatterOne(pods: readonly Pod[], term: ScatterTerm, all: readonly Pod[]): readonly Pod[] {
  const matching = pods.filter((pod) => hasTerm(pod, term));
  const others = pods.filter((pod) => !hasTerm(pod, term));
  if (matching.length <= 1 || others.length <= 1) return pods;
  const last = matching.splice(-1);
  const { share, rest } = sharesOf(matching.length, others.length, {
    matching: all.filter((pod) => hasTerm(pod, term)).length - 1,
    others: all.filter((pod) => !hasTerm(pod, term)).length,
  });
  const order = others.splice(0, rest);
  for (let i = 0; i < share.times; i++) {
    order.push(...matching.splice(0, share.matching), ...others.splice(0, share.others));
  }
  return [...order, ...matching, ...others, ...last];
}

type Share = { times: number; matching: number; others: number };

// If those who wait have the smaller part of the others, these come in the proportion that the whole workload has, and what
// would be too much goes first.
function sharesOf(
  matching: number,
  others: number,
  total: { matching: number; others: number },
): { share: Share; rest: number } {
  if (Math.fround(total.others / total.matching) >= Math.fround(others / matching)) {
    return { share: groups(matching, others), rest: 0 };
  }
  const share = groups(total.matching, total.others);
  const times = Math.min(Math.floor(matching / share.matching), Math.floor(others / share.others));
  return { share: { ...share, times }, rest: others - times * share.others };
}

function groups(matching: number, others: number): Share {
  const times = Math.min(matching, others);
  return { times, matching: halfUp(matching / times), others: halfUp(others / times) };
}

function halfUp(value: number): number {
  return Math.floor(value + 0.5);
}
