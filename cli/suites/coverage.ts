// Which policy objects the cases touched, and by which of their rules; those that no case touched are told too.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import type { Explanation } from '../admission.ts';
import { table } from '../output.ts';
import { isNamespaced, kindNameOf, nameOf, namespaceOf, textOf } from '../resources.ts';
import { isPolicy, possibleRules, protectedByRequest, type Rule, subsetRule } from './rules.ts';
import type { CaseResult, Observation } from './run.ts';

/** A rule with the number of cases in which it decided. */
type CountedRule = Rule & { cases: number };

/** A policy object and its rules. */
type Covered = { kind: string; name: string; rules: Map<string, CountedRule> };

export type Coverage = {
  objects: readonly Covered[];
  /** Rules that decided in some case, and all rules. */
  hit: number;
  all: number;
};

/** Kinds that are asked by features of pods, not by objects: they are not what a suite covers. */
const FEATURES: ReadonlySet<string> = new Set(['ContainerLaunchPriority', 'EnhancedLivenessProbe']);

/** What the cases covered; those that failed count too. */
export function coverageOf(results: readonly CaseResult[]): Coverage {
  const objects = new Map<string, Covered>();
  for (const { case: one, observation } of results) {
    if (observation === undefined) continue;
    const all = one.objects.map(({ object }) => object);
    for (const object of all.filter(isPolicy)) {
      const { rules } = entryOf(objects, placeOf(object));
      const others = all.filter((other) => other !== object);
      for (const rule of possibleRules(object, others)) {
        rules.set(rule.reason, rules.get(rule.reason) ?? { ...rule, cases: 0 });
      }
    }
    for (const decided of decisionsOf(observation)) note(objects, decided);
  }
  const rows = [...objects.values()];
  const counted = rows.flatMap(({ rules }) => [...rules.values()]);
  return { objects: rows, hit: counted.filter(({ cases }) => cases > 0).length, all: counted.length };
}

/** The share of rules that decided, from 0 to 100, rounded down; 100 if there is no rule. */
export function coveragePercent({ hit, all }: Coverage): number {
  return all === 0 ? 100 : Math.floor((100 * hit) / all);
}

type Decision = About & Rule;

function decisionsOf(observation: Observation): Decision[] {
  const { explanations = [], effects, outcome, request } = observation;
  const asked = isObject(request.review.request) ? request.review.request : {};
  const explained = explanations
    .filter(({ kind }) => !FEATURES.has(kind))
    .map((one) => ({ kind: one.kind, name: one.name, namespace: one.namespace, ...ruleOf(one) }));
  const written = effects
    .filter(({ kind }) => kind !== 'WorkloadSpread' || asked.operation !== 'CREATE' || asked.subResource === 'eviction')
    .map(({ kind, name, namespace }) => {
      return { kind, name, namespace, acts: true, reason: kind === 'WorkloadSpread' ? 'Released' : 'UnitTaken' };
    });
  const denying = denyingBudget(outcome.answer);
  const denied =
    denying === undefined ? [] : [{ kind: 'PodUnavailableBudget', ...denying, acts: true, reason: 'Denied' }];
  return [...explained, ...written, ...denied, ...protectionDecision(observation)];
}

// Each subset of a spread is a rule of its own.
function ruleOf({ reason, message, matched }: Explanation): Rule {
  const [, subset] = reason === 'Booked' || reason === 'Placed' ? (/ subset (.*)$/.exec(message) ?? []) : [];
  return { reason: subset === undefined ? reason : subsetRule(subset), acts: matched };
}

// A denial by a budget says so to the audit log.
function denyingBudget({ response }: JsonObject): { namespace: string; name: string } | undefined {
  const annotations = (response as JsonObject | undefined)?.auditAnnotations as JsonObject | undefined;
  const [namespace = '', name] = textOf(annotations?.budget).split('/');
  return name === undefined ? undefined : { namespace, name };
}

function protectionDecision({ request, outcome: { allowed }, isUnguarded }: Observation): Decision[] {
  const object = protectedByRequest(request.review);
  if (object === undefined) return [];
  const allowing = isUnguarded ? 'GateOff' : 'DeletionAllowed';
  return [{ ...placeOf(object), acts: !allowed, reason: allowed ? allowing : 'DeletionDenied' }];
}

function note(objects: Map<string, Covered>, { acts, reason, ...about }: Decision): void {
  const { rules } = entryOf(objects, about);
  const cases = rules.get(reason)?.cases ?? 0;
  rules.set(reason, { reason, acts, cases: cases + 1 });
}

type About = { kind: string; name: string; namespace?: string | undefined };

function entryOf(objects: Map<string, Covered>, { kind, name, namespace = '' }: About): Covered {
  const fullName = namespace === '' ? name : `${namespace}/${name}`;
  const key = `${kind} ${fullName}`;
  const covered = objects.get(key) ?? { kind, name: fullName, rules: new Map() };
  objects.set(key, covered);
  return covered;
}

function placeOf(object: JsonObject): About {
  const kind = kindNameOf(object);
  const namespace = isNamespaced(kind) ? namespaceOf(object) || 'default' : '';
  return { kind: kind.kind, name: nameOf(object), namespace };
}

/** A table with a row for each rule, and below it the share of them that decided. */
export function coverageText(coverage: Coverage): string {
  const { objects, hit, all } = coverage;
  const rows = objects.flatMap(({ kind, name, rules }) =>
    [...rules.values()].map(({ reason, acts, cases }) => {
      return [kind, name, reason, acts ? 'acts' : 'leaves-alone', cases === 0 ? '<missed>' : String(cases)];
    }),
  );
  const share = `coverage: ${coveragePercent(coverage)}% (${hit} of ${all} ${all === 1 ? 'rule' : 'rules'})\n`;
  return `${table(['KIND', 'NAME', 'RULE', 'EFFECT', 'CASES'], rows)}${share}`;
}

export function coverageJson(coverage: Coverage): Json {
  const { objects, hit, all } = coverage;
  return {
    rules: { hit, all, percent: coveragePercent(coverage) },
    objects: objects.map(({ kind, name, rules }) => ({ kind, name, rules: [...rules.values()] })),
  };
}
