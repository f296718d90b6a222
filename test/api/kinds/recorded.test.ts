// The recorded answers of the corpus that api/ alone decides: defaults of kinds, what does not decode, and conversion.
import { describe, expect, test } from 'vitest';
import { diff } from '../../../api/core/diff.ts';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { applyPatch as apply, type Operation } from '../../../api/core/patch.ts';
import { effectiveGates, parseGates } from '../../../api/gates.ts';
import { findKind, kinds } from '../../../api/kinds/index.ts';
import { type Kind, parseApiVersion } from '../../../api/kinds/kind.ts';
import { formatDifferences } from '../../support/compare/difference.ts';
import { areas, type Case, type CaseResult, compareCase, loadArea } from '../../support/corpus.ts';

const gates = effectiveGates(
  parseGates('AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false'),
);
const now = { fromMs: 0, toMs: 0 };
const cases = areas().flatMap(loadArea);

function mutatedKind(question: Case): Kind | undefined {
  if (!question.path.startsWith('/mutate-')) return undefined;
  return kinds.find(
    ({ group, kind }) => question.path === `/mutate-${group.replaceAll('.', '-')}-${kind.toLowerCase()}`,
  );
}

function mutate(kind: Kind, request: JsonObject): CaseResult {
  const object = request.object as JsonObject;
  const { version } = request.kind as { version: string };
  const { errors } = kind.decode(object, version);
  const [first] = errors;
  if (first !== undefined) return { allowed: false, code: 400, message: first, window: now };
  const old = isObject(request.oldObject) ? { old: request.oldObject } : {};
  const operations: Operation[] = diff(object, kind.applyDefaults(object, version, { gates, ...old }));
  const patched = apply(object, operations) as JsonObject;
  return { allowed: true, object: patched, operations: operations.length, window: now };
}

function convertedKinds(question: Case): Kind[] | undefined {
  const request = question.request.request;
  if (question.path !== '/convert' || !isObject(request) || !Array.isArray(request.objects)) return undefined;
  const { group, version } = parseApiVersion(request.desiredAPIVersion);
  const found = request.objects.map((object) => findKind(group, String((object as JsonObject).kind)));
  const served = found.every((kind) => kind?.versions.includes(version));
  const isSame = request.objects.some((object) => (object as JsonObject).apiVersion === request.desiredAPIVersion);
  return served && !isSame ? (found as Kind[]) : undefined;
}

function convert(used: Kind[], review: JsonObject): CaseResult {
  const request = review.request as JsonObject;
  const { version } = parseApiVersion(request.desiredAPIVersion);
  const response: JsonObject = { uid: request.uid as Json, apiVersion: review.apiVersion as Json };
  const objects = request.objects as JsonObject[];
  const failure = (message: string): CaseResult => ({
    conversion: { ...response, result: { status: 'Failure', message } },
    window: now,
  });
  for (const [i, object] of objects.entries()) {
    const [first] = (used[i] as Kind).decode(object, parseApiVersion(object.apiVersion).version).goErrors;
    if (first !== undefined) return failure(first);
  }
  try {
    const convertedObjects = objects.map((object, i) => (used[i] as Kind).convert(object, version));
    return { conversion: { ...response, result: { status: 'Success' }, convertedObjects }, window: now };
  } catch (error) {
    return failure((error as Error).message);
  }
}

describe('defaults as recorded', () => {
  const recorded = cases.flatMap((question) => {
    const kind = question.via === undefined ? mutatedKind(question) : undefined;
    // What asks the cluster is asked of the whole product (test/policies).
    return kind === undefined || kind.admit !== undefined ? [] : [[question.name, question, kind] as const];
  });
  test.each(recorded)('%s', (_name, question, kind) => {
    const { differences } = compareCase(question, mutate(kind, question.request));
    expect(differences, formatDifferences(question.what, differences)).toEqual([]);
  });
});

describe('conversions as recorded', () => {
  const recorded = cases.flatMap((question) => {
    const used = convertedKinds(question);
    return used === undefined ? [] : [[question.name, question, used] as const];
  });
  test.each(recorded)('%s', (_name, question, used) => {
    const { differences } = compareCase(question, convert(used, question.request));
    expect(differences, formatDifferences(question.what, differences)).toEqual([]);
  });
});
