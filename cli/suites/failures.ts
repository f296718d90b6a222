// Holds what a case showed against what it expects; each difference names the expectation and shows both.

import { equalJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { contains, described, inOrderOf } from '../compare.ts';
import { unifiedDiff } from '../diff.ts';
import { renderYaml } from '../render.ts';
import type { Observation } from './run.ts';
import type { Expectation, SuiteCase, TextMatch } from './suite.ts';

export type Failure = {
  /** The member of `expect`. */
  field: keyof Expectation;
  /** One sentence. */
  message: string;
  /** A unified diff from what was expected to what is; '' where the sentence says it all. */
  diff: string;
  /** What the expectation would have to be; undefined where nothing could make it true. */
  recorded: Json | undefined;
};

/** Every expectation that is not met. */
export function failuresOf({ expect }: SuiteCase, observation: Observation): Failure[] {
  return CHECKS.flatMap((check) => check(expect, observation) ?? []);
}

type Check = (expect: Expectation, observation: Observation) => Failure | Failure[] | undefined;

const CHECKS: readonly Check[] = [
  checkVerdict,
  checkCode,
  checkMessage,
  checkWarnings,
  checkWarned,
  checkChanged,
  checkObject,
  checkContains,
  checkLacks,
  checkEffects,
  checkExplanation,
];

function checkVerdict({ verdict }: Expectation, { outcome, isUnguarded }: Observation): Failure | undefined {
  const actual = outcome.allowed ? 'allowed' : 'denied';
  if (verdict === undefined || verdict === actual) return undefined;
  const unguarded = isUnguarded ? ': the feature gate ResourcesDeletionProtection is off' : '';
  const why = outcome.allowed ? unguarded : refusalOf(outcome);
  return { field: 'verdict', message: `expected ${verdict}, got ${actual}${why}`, diff: '', recorded: actual };
}

function checkCode({ code }: Expectation, { outcome }: Observation): Failure | undefined {
  if (code === undefined || code === outcome.code) return undefined;
  const message = `expected ${code}, got ${outcome.code}${refusalOf(outcome)}`;
  return { field: 'code', message, diff: '', recorded: outcome.code };
}

function refusalOf({ allowed, message }: Observation['outcome']): string {
  return allowed || message === '' ? '' : `: ${message}`;
}

function checkMessage({ message }: Expectation, { outcome }: Observation): Failure | undefined {
  if (message === undefined || fits(message, outcome.message)) return undefined;
  const got = outcome.message;
  return {
    field: 'message',
    message: `expected ${matchText(message)}, got ${JSON.stringify(got)}`,
    diff: '',
    recorded: got,
  };
}

function checkWarnings({ warnings }: Expectation, { outcome }: Observation): Failure | undefined {
  const { warnings: actual } = outcome;
  if (warnings === undefined) return undefined;
  if (warnings.length === actual.length && warnings.every((match, index) => fits(match, actual[index] ?? ''))) {
    return undefined;
  }
  const expected = warnings.map(matchText).join(', ');
  const message = `expected [${expected}], got ${JSON.stringify(actual)}`;
  return { field: 'warnings', message, diff: '', recorded: [...actual] };
}

function checkWarned({ warned }: Expectation, { outcome }: Observation): Failure | undefined {
  if (warned === undefined || warned === outcome.warnings.length > 0) return undefined;
  const message = warned
    ? 'expected a warning, got none'
    : `expected no warning, got ${JSON.stringify(outcome.warnings)}`;
  return { field: 'warned', message, diff: '', recorded: undefined };
}

function checkChanged({ changed }: Expectation, { outcome }: Observation): Failure | undefined {
  const actual = outcome.patch.length > 0;
  if (changed === undefined || changed === actual || !outcome.allowed) return undefined;
  const message = actual ? 'expected no change of the object' : 'expected the object to be changed, it is as it was';
  const diff = actual ? diffOf(outcome.before ?? null, outcome.after ?? null) : '';
  return { field: 'changed', message, diff, recorded: actual };
}

function checkObject({ object }: Expectation, { outcome }: Observation): Failure | undefined {
  if (object === undefined) return undefined;
  const { after } = outcome;
  if (after === undefined) return withoutObject('object', outcome);
  if (equalJson(object.value, after)) return undefined;
  const ordered = inOrderOf(object.value, after);
  const diff = diffOf(object.value, ordered) || orderDiff(object.value, after);
  return { field: 'object', message: 'the resulting object is another', diff, recorded: ordered };
}

// Members in another order are equal; what is left are numbers that YAML writes in one way.
function orderDiff(expected: Json, actual: Json): string {
  return diffOf(JSON.stringify(expected, undefined, 2), JSON.stringify(actual, undefined, 2));
}

function checkContains({ contains: wanted }: Expectation, { outcome }: Observation): Failure | undefined {
  if (wanted === undefined) return undefined;
  if (outcome.after === undefined) return withoutObject('contains', outcome);
  if (contains(wanted, outcome.after)) return undefined;
  const recorded = described(wanted, outcome.after);
  return { field: 'contains', message: 'the resulting object differs', diff: diffOf(wanted, recorded), recorded };
}

function checkLacks({ lacks = [] }: Expectation, { outcome }: Observation): Failure[] {
  return lacks.flatMap((unwanted, index) => {
    if (outcome.after === undefined || !contains(unwanted, outcome.after)) return [];
    const message = `the resulting object has what lacks[${index}] describes`;
    return [{ field: 'lacks' as const, message, diff: '', recorded: undefined }];
  });
}

function checkEffects({ effects: wanted }: Expectation, { effects }: Observation): Failure | undefined {
  if (wanted === undefined) return undefined;
  const actual = effects.map((effect): Json => ({ ...effect }));
  if (wanted.length === actual.length && wanted.every((one, index) => contains(one, actual[index]))) return undefined;
  const recorded = actual.map((one, index) => described(wanted[index] ?? effectShape(one), one));
  const message = `expected ${counted(wanted.length, 'effect')}, got ${counted(actual.length, 'effect')}`;
  return { field: 'effects', message, diff: diffOf([...wanted], recorded), recorded };
}

/** What is recorded of an effect: which object, and its new status. */
export function effectShape(effect: Json): Json {
  if (!isObject(effect)) return {};
  const { kind = null, namespace, name = null, status = null } = effect;
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, status };
}

function checkExplanation({ explanation: wanted }: Expectation, { explanations }: Observation): Failure | undefined {
  if (wanted === undefined) return undefined;
  if (explanations === undefined) {
    const message = 'only the creation of a pod is explained';
    return { field: 'explanation', message, diff: '', recorded: undefined };
  }
  const actual = explanations.map((one): JsonObject => ({ ...one }));
  const found = wanted.map((one) => actual.find((other) => isAbout(one, other)));
  if (wanted.every((one, index) => contains(one, found[index]))) return undefined;
  const shown = found.flatMap((one, index) => (one === undefined ? [] : [described(wanted[index] ?? null, one)]));
  const recorded = shown.length === wanted.length ? shown : undefined;
  return { field: 'explanation', message: 'the reasons differ', diff: diffOf([...wanted], shown), recorded };
}

function isAbout(wanted: Json, actual: JsonObject): boolean {
  if (!isObject(wanted)) return false;
  return ['kind', 'namespace', 'name'].every((name) => wanted[name] === undefined || wanted[name] === actual[name]);
}

function withoutObject(field: 'object' | 'contains', outcome: Observation['outcome']): Failure {
  return { field, message: `there is no resulting object${refusalOf(outcome)}`, diff: '', recorded: undefined };
}

function diffOf(expected: Json, actual: Json): string {
  return unifiedDiff(renderYaml(expected), renderYaml(actual), { before: 'expected', after: 'actual' });
}

function fits(match: TextMatch, text: string): boolean {
  if ('exact' in match) return match.exact === text;
  return 'contains' in match ? text.includes(match.contains) : match.matches.test(text);
}

function matchText(match: TextMatch): string {
  if ('exact' in match) return JSON.stringify(match.exact);
  return 'contains' in match
    ? `text with ${JSON.stringify(match.contains)}`
    : `text that matches /${match.matches.source}/`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
