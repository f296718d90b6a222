// Reads the recorded cases of test/corpus and says how an answer differs from the recorded one.
// The rules of comparing are those of test/corpus/README.md; the parts are in test/support/compare.
import { readdirSync, readFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject, parseJson } from '../../api/core/json.ts';
import { differsFromBetter } from './better.ts';
import { compareConversion } from './compare/conversion.ts';
import { type Difference, truth } from './compare/difference.ts';
import { fieldErrorsOf } from './compare/field-errors.ts';
import { compareObjects } from './compare/objects.ts';
import { type DecisionWindow, Placeholders } from './compare/placeholders.ts';

export type Expectation = {
  allowed?: boolean;
  code?: number;
  reason?: string;
  message?: string;
  causes?: Json[];
  errors?: string[];
  object?: JsonObject;
  status?: JsonObject | string;
  objects?: JsonObject[];
  uid?: string;
  reviewVersion?: string;
  http?: number;
  body?: string;
};

/** One recorded question and its answer; the members are described in test/corpus/README.md. */
export type Case = {
  name: string;
  area: string;
  what: string;
  spec: string;
  via?: 'apiserver';
  objects: JsonObject[];
  path: string;
  request: JsonObject;
  expect: Expectation;
  volatile: string[];
  goText?: boolean;
  unordered?: boolean;
  fault?: string;
  better?: Json;
};

/** What a product answered to a case: the verdict, and the object after its patch. */
export type CaseResult = {
  /** Absent if the exchange itself failed (HTTP status other than 200). */
  allowed?: boolean;
  code?: number;
  reason?: string;
  message?: string;
  causes?: Json[];
  /** The object with the patch applied; the object of the request if there was none. Absent for refusals. */
  object?: JsonObject;
  /** Number of operations in the patch. */
  operations?: number;
  /** Statuses of budgets and spreads after the decision, by `Kind/namespace/name`, where they can be seen. */
  statuses?: JsonObject | 'unseen';
  /** The decoded `response` of a ConversionReview, with the review's apiVersion. */
  conversion?: JsonObject;
  http?: number;
  /** The body as text, of an exchange that failed. */
  body?: string;
  window: DecisionWindow;
};

const CORPUS = new URL('../corpus/', import.meta.url);

/** The areas that were recorded: every folder of the corpus. */
export function areas(): string[] {
  return readdirSync(CORPUS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** All cases of an area, by name. */
export function loadArea(area: string): Case[] {
  const folder = new URL(`${area}/`, CORPUS);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => parseJson(readFileSync(new URL(file, folder), 'utf8')) as unknown as Case);
}

export type Comparison = {
  /** Empty: the answer is right. */
  differences: Difference[];
  /** Which answer it is: the recorded one, or the one that is known to be better. */
  answered: 'recorded' | 'better';
};

/** How `result` differs from what was recorded, or from the better answer if the case has one and the result is nearer to it. */
export function compareCase(recorded: Case, result: CaseResult): Comparison {
  const differences = compareExpectation(recorded, recorded.expect, result);
  if (differences.length === 0 || recorded.better === undefined) return { differences, answered: 'recorded' };
  const fromBetter = isObject(recorded.better)
    ? compareExpectation(recorded, recorded.better as Expectation, result)
    : differsFromBetter(recorded, result);
  if (fromBetter === undefined) return { differences, answered: 'recorded' };
  if (fromBetter.length === 0) return { differences: [], answered: 'better' };
  return { differences: fromBetter.length < differences.length ? fromBetter : differences, answered: 'recorded' };
}

function compareExpectation(recorded: Case, expect: Expectation, result: CaseResult): Difference[] {
  const placeholders = new Placeholders(result.window);
  if (recorded.path.startsWith('/convert')) return compareConversion(recorded, expect, result, placeholders);
  if (result.http !== undefined && result.http !== 200) {
    return truth('/http', 200, `${result.http}: ${result.body ?? ''}`);
  }
  const verdict = truth('/allowed', expect.allowed, result.allowed);
  if (verdict.length > 0) {
    return result.message === undefined ? verdict : [...verdict, ...truth('/message', expect.message, result.message)];
  }
  const differences = expect.allowed
    ? compareAdmitted(recorded, expect, result, placeholders)
    : compareRefused(recorded, expect, result);
  return [...differences, ...compareStatuses(recorded, expect, result, placeholders)];
}

function compareAdmitted(
  recorded: Case,
  expect: Expectation,
  result: CaseResult,
  placeholders: Placeholders,
): Difference[] {
  if (expect.object === undefined) {
    // A validating webhook must not patch.
    return truth('/patch', 'no patch', (result.operations ?? 0) === 0 ? 'no patch' : `${result.operations} operations`);
  }
  const original = recorded.request.object as JsonObject | null | undefined;
  return compareObjects(expect.object, result.object, {
    root: '/object',
    volatile: recorded.volatile,
    placeholders,
    ...(recorded.unordered ? { unorderedExcept: original ?? {} } : {}),
  });
}

function compareRefused(recorded: Case, expect: Expectation, result: CaseResult): Difference[] {
  const differences: Difference[] = [];
  if (expect.code !== undefined && !isAcceptedCode(expect.code, result.code)) {
    differences.push(...truth('/code', expect.code === 500 ? '500 or 4xx' : expect.code, result.code));
  }
  if (expect.reason !== undefined) differences.push(...truth('/reason', expect.reason, result.reason));
  if (expect.causes !== undefined) differences.push(...truth('/causes', expect.causes, result.causes));
  const message = result.message ?? '';
  if (message === '') differences.push(...truth('/message', expect.message ?? 'some text', result.message));
  if (expect.errors !== undefined) {
    differences.push(...truth('/errors', expect.errors.toSorted(), fieldErrorsOf(message).toSorted()));
  }
  const isTextFree = recorded.goText === true || recorded.volatile.includes('/message');
  if (expect.message !== undefined && !isTextFree) differences.push(...truth('/message', expect.message, message));
  return differences;
}

function isAcceptedCode(recorded: number, code: number | undefined): boolean {
  return code === recorded || (recorded === 500 && code !== undefined && code >= 400 && code < 500);
}

function compareStatuses(
  recorded: Case,
  expect: Expectation,
  result: CaseResult,
  placeholders: Placeholders,
): Difference[] {
  if (typeof expect.status !== 'object' || result.statuses === 'unseen') return [];
  return compareObjects(expect.status, result.statuses, { root: '/status', volatile: recorded.volatile, placeholders });
}
