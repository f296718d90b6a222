// Runs the cases of suites: makes the cluster of each, reviews its input, and looks at what came of it.

import { isObject } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import type { Effect } from '../../evaluator/policies.ts';
import { type Explanation, type Outcome, reviewAll, reviewAt } from '../admission.ts';
import type { Host } from '../host.ts';
import { type Observed, observedCluster } from '../observed.ts';
import { type ReviewRequest, requestOf } from '../requests.ts';
import { readGates, type State, stateOf } from '../state.ts';
import { GivenFacts, type SuiteFact } from './facts.ts';
import { type Failure, failuresOf } from './failures.ts';
import { protectedByRequest } from './rules.ts';
import type { Suite, SuiteCase } from './suite.ts';

/** What a case showed. */
export type Observation = {
  request: ReviewRequest;
  outcome: Outcome;
  /** What the decision wrote. */
  effects: readonly Effect[];
  /** Why each policy acts or not; undefined for what is no creation of a pod. */
  explanations: readonly Explanation[] | undefined;
  /** The object to be deleted is labelled as protected, and the gate that would protect it is off. */
  isUnguarded: boolean;
  /** The facts of the case that were asked for. */
  asked: ReadonlySet<SuiteFact>;
};

export type CaseResult = {
  suite: Suite;
  case: SuiteCase;
  /** `error`: the case cannot be run as it is written. */
  result: 'pass' | 'fail' | 'skip' | 'error';
  /** Why it was skipped or could not be run, or that it was recorded. */
  reason: string;
  failures: readonly Failure[];
  observation: Observation | undefined;
};

/** Runs the cases that are wanted, and those before them that they continue. Throws InputError for a wrong cluster. */
export async function runSuite(host: Host, suite: Suite, wanted: (one: SuiteCase) => boolean): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  const given = new GivenFacts();
  let cluster: Observed | undefined;
  for (const [index, one] of suite.cases.entries()) {
    const isWanted = wanted(one);
    if (!isWanted && !isContinued(suite, index, wanted)) continue;
    if (one.skip !== undefined) {
      if (isWanted) results.push({ ...nothing(suite, one), result: 'skip', reason: one.skip });
      continue;
    }
    cluster = await clusterOf(host, one, { given, before: one.continues ? cluster : undefined });
    const { admission } = cluster.state;
    given.begin(one.facts, (object) => admission.apply(object));
    const result = runCase(suite, one, { ...cluster, given });
    if (isWanted) results.push(result);
  }
  return results;
}

function isContinued(suite: Suite, index: number, wanted: (one: SuiteCase) => boolean): boolean {
  for (const later of suite.cases.slice(index + 1)) {
    if (!later.continues) return false;
    if (wanted(later)) return true;
  }
  return false;
}

async function clusterOf(
  host: Host,
  one: SuiteCase,
  { given, before }: { given: GivenFacts; before: Observed | undefined },
): Promise<Observed> {
  if (before !== undefined) {
    const { admission } = before.state;
    before.effects.length = 0;
    return { ...before, state: joined(before.state, stateOf(admission, one.objects)) };
  }
  const { featureGates, systemNamespace } = one;
  const answered = { featureGates, systemNamespace, given: given.answer.bind(given) };
  return await observedCluster(host, answered, one.objects);
}

function joined(before: State, added: State): State {
  return {
    ...added,
    find: (object) => added.find(object) ?? before.find(object),
    imply: (object) => {
      if (added.find(object) === undefined) before.imply(object);
    },
  };
}

type Running = Observed & { given: GivenFacts };

function runCase(suite: Suite, one: SuiteCase, cluster: Running): CaseResult {
  try {
    const observation = observe(one, cluster);
    const failures = failuresOf(one, observation);
    const result = failures.length === 0 ? 'pass' : 'fail';
    return { suite, case: one, result, reason: '', failures, observation };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...nothing(suite, one), result: 'error', reason: error.describe() };
  }
}

function observe(one: SuiteCase, { state, effects, given }: Running): Observation {
  const { nowMs, namespace, operation, path } = one;
  const storedObject = state.find;
  const request = requestOf(one.input, { namespace, operation, nowMs, path, storedObject });
  for (const owner of request.implied) state.imply(owner);
  const { admission } = state;
  // Before the review: what that writes would change the explanation.
  const explanations = isPodCreation(request)
    ? admission.explain(Buffer.from(JSON.stringify(request.review)), nowMs)
    : undefined;
  const outcome =
    path === undefined ? reviewAll(admission, request.review, nowMs) : reviewAt(admission, path, request.review, nowMs);
  const isUnguarded = protectedByRequest(request.review) !== undefined && !isProtecting(one.featureGates);
  return { request, outcome, effects: [...effects], explanations, isUnguarded, asked: given.asked };
}

/** The facts of the suites that nothing asked for, though every case that has them was run to its end. */
export function unaskedFacts(suites: readonly Suite[], results: readonly CaseResult[]): SuiteFact[] {
  const observations = new Map(results.map(({ case: one, observation }) => [one, observation]));
  const cases = suites.flatMap((suite) => suite.cases);
  const others = cases.flatMap((one) => {
    const observation = observations.get(one);
    return observation === undefined ? one.facts : [...observation.asked];
  });
  const unasked = new Set(cases.flatMap(({ facts }) => facts));
  for (const fact of others) unasked.delete(fact);
  return [...unasked];
}

function isProtecting(featureGates: string): boolean {
  return readGates(featureGates).get('ResourcesDeletionProtection') === true;
}

function isPodCreation({ review }: ReviewRequest): boolean {
  const request = isObject(review.request) ? review.request : {};
  const resource = isObject(request.resource) ? request.resource : {};
  const isPod = resource.group === '' && resource.resource === 'pods' && (request.subResource ?? '') === '';
  return isPod && request.operation === 'CREATE';
}

function nothing(suite: Suite, one: SuiteCase): Omit<CaseResult, 'result'> {
  return { suite, case: one, reason: '', failures: [], observation: undefined };
}
