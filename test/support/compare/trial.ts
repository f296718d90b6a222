// Tries an answer against a recorded one: where do they differ? For the tests of the comparer.
import type { JsonObject } from '../../../api/core/json.ts';
import { type Case, type CaseResult, compareCase, type Expectation } from '../corpus.ts';

export const NOW = Date.parse('2026-07-02T08:00:00.250Z');
export const WINDOW = { fromMs: NOW, toMs: NOW };

export function recorded(expected: Expectation, more: Partial<Case> = {}): Case {
  return {
    name: 'case',
    area: 'area',
    what: '',
    spec: '',
    objects: [],
    path: '/mutate-pod',
    request: {},
    expect: expected,
    volatile: [],
    ...more,
  };
}

/** Where the answer differs, in the order of finding. */
export function places(question: Case, answer: Partial<CaseResult>): string[] {
  return compareCase(question, { window: WINDOW, ...answer }).differences.map((difference) => difference.pointer);
}

export function placesOfObjects(wanted: JsonObject, got: JsonObject | undefined, more: Partial<Case> = {}): string[] {
  const question = recorded({ allowed: true, object: wanted }, more);
  return places(question, { allowed: true, ...(got === undefined ? {} : { object: got }) });
}

export function placesOfRefusals(wanted: Expectation, got: Partial<CaseResult>, more: Partial<Case> = {}): string[] {
  return places(recorded({ allowed: false, ...wanted }, more), { allowed: false, ...got });
}
