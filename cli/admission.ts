// Runs the webhooks of a review as the API server would (mutating, then validating on the mutated object) and merges
// their answers into one.

import { isObject, type Json, type JsonObject, parseJson } from '../api/core/json.ts';
import { applyPatch, type Operation, readPatch } from '../api/core/patch.ts';
import { CONVERT_PATH, type WebhookEntry, webhookEntries } from '../api/webhooks.ts';
import { InputError } from '../component/errors.ts';
import { textOf } from './resources.ts';

/** Why a policy object does or does not act on a pod. `reason` is one word for machines, `message` one sentence. */
export type Explanation = {
  kind: string;
  name: string;
  namespace?: string;
  matched: boolean;
  reason: string;
  message: string;
  details?: JsonObject;
};

/** What the command needs of the evaluator. */
export type Admission = {
  /** Adds or replaces an object of the cluster. Throws InputError naming the field. */
  apply(object: JsonObject): void;
  /** The webhook paths that are served. */
  paths(): readonly string[];
  /** One exchange: HTTP status and body. */
  answer(path: string, body: Uint8Array, nowMs: number): { status: number; body: Uint8Array };
  /** Why each policy object does or does not act on the pod of a review. */
  explain(body: Uint8Array, nowMs: number): Explanation[];
  /** What it takes by now. */
  readonly figures: { memoryBytes: number };
};

/** One webhook that was called. `name` is that of the configuration's entry, '' if the path has none. */
type Call = { name: string; path: string; allowed: boolean };

/** The outcome of a review. */
export type Outcome = {
  /** The whole answer, as it goes over the wire. */
  answer: JsonObject;
  allowed: boolean;
  /** The refusing code, or 200. */
  code: number;
  message: string;
  warnings: readonly string[];
  calls: readonly Call[];
  /** The reviewed object before and after the patch; undefined where there is none (conversions, deletions). */
  before: Json | undefined;
  after: Json | undefined;
  patch: readonly Operation[];
};

/** Answers a review at one path. Throws InputError if the path is not served. */
export function reviewAt(admission: Admission, path: string, review: JsonObject, nowMs: number): Outcome {
  if (!admission.paths().includes(path)) {
    const close = admission.paths().map((served) => `  ${served}`);
    throw new InputError(`${path} is not served with these feature gates; served are\n${close.join('\n')}`, {
      field: '--path',
    });
  }
  const answer = exchange(admission, path, review, nowMs);
  return path === CONVERT_PATH
    ? conversionOutcome(answer, path)
    : outcomeOf(review, [{ entry: entryAt(path, review), path, answer }]);
}

/** Answers a review at the paths of its resource. Without any it is allowed, as the API server would. */
export function reviewAll(admission: Admission, review: JsonObject, nowMs: number): Outcome {
  if (review.kind === 'ConversionReview') return reviewAt(admission, CONVERT_PATH, review, nowMs);
  const answers: WebhookAnswer[] = [];
  let current = review;
  for (const entry of entriesFor(admission, review)) {
    const answer = exchange(admission, entry.path, current, nowMs);
    answers.push({ entry, path: entry.path, answer });
    const response = responseOf(answer);
    if (response.allowed !== true) break;
    if (response.patch !== undefined) current = patched(current, patchOf(response));
  }
  return outcomeOf(review, answers);
}

/** The path of the webhook that is called first; undefined if none is. */
export function firstPath(admission: Admission, review: JsonObject): string | undefined {
  return review.kind === 'ConversionReview' ? CONVERT_PATH : entriesFor(admission, review)[0]?.path;
}

type WebhookAnswer = { entry: WebhookEntry | undefined; path: string; answer: JsonObject };

function entriesFor(admission: Admission, review: JsonObject): WebhookEntry[] {
  const request = requestOf(review);
  const { group, resource } = isObject(request.resource) ? request.resource : ({} as JsonObject);
  const subResource = textOf(request.subResource);
  const wanted = subResource === '' ? resource : `${textOf(resource)}/${subResource}`;
  const served = new Set(admission.paths());
  return webhookEntries.filter(
    (entry) =>
      entry.group === (group ?? '') &&
      entry.resource === wanted &&
      entry.operations.some((operation) => operation === request.operation) &&
      served.has(entry.path),
  );
}

function entryAt(path: string, review: JsonObject): WebhookEntry | undefined {
  const subResource = textOf(requestOf(review).subResource);
  const atPath = webhookEntries.filter((entry) => entry.path === path);
  return atPath.find((entry) => entry.resource.endsWith(`/${subResource}`)) ?? atPath[0];
}

function exchange(admission: Admission, path: string, review: JsonObject, nowMs: number): JsonObject {
  const { status, body } = admission.answer(path, Buffer.from(JSON.stringify(review)), nowMs);
  if (status !== 200) throw new InputError(`${path} answered HTTP ${status}: ${new TextDecoder().decode(body).trim()}`);
  const answer = parseJson(new TextDecoder().decode(body));
  if (!isObject(answer)) throw new Error(`${path} answered no object`);
  return answer;
}

function outcomeOf(review: JsonObject, answers: readonly WebhookAnswer[]): Outcome {
  const request = requestOf(review);
  const before = request.object ?? undefined;
  const responses = answers.map(({ answer }) => responseOf(answer));
  const last = responses.at(-1);
  const allowed = last === undefined || last.allowed === true;
  const patch = allowed ? responses.flatMap((response) => (response.patch === undefined ? [] : patchOf(response))) : [];
  const only = answers.length === 1 ? answers[0]?.answer : undefined;
  const status = isObject(last?.status) ? last.status : {};
  return {
    answer: only ?? merged(review, responses, patch),
    allowed,
    code: typeof status.code === 'number' ? status.code : allowed ? 200 : 0,
    message: textOf(status.message) || textOf(status.reason),
    warnings: responses.flatMap((response) => textsOf(response.warnings)),
    calls: answers.map(({ entry, path }, index) => ({
      name: entry?.name ?? '',
      path,
      allowed: responses[index]?.allowed === true,
    })),
    before,
    after: allowed && before !== undefined ? applyPatch(before, patch) : undefined,
    patch,
  };
}

function merged(review: JsonObject, responses: readonly JsonObject[], patch: readonly Operation[]): JsonObject {
  const last: JsonObject = responses.at(-1) ?? {
    uid: requestOf(review).uid ?? '',
    allowed: true,
    status: { code: 200 },
  };
  const warnings = responses.flatMap((response) => textsOf(response.warnings));
  const annotations = Object.assign(
    {},
    ...responses.map(({ auditAnnotations: one }) => (isObject(one) ? one : {})),
  ) as JsonObject;
  const { patch: _patch, patchType: _type, warnings: _warnings, auditAnnotations: _annotations, ...verdict } = last;
  const response: JsonObject = {
    ...verdict,
    ...(patch.length === 0 ? {} : { patch: encodePatch(patch), patchType: 'JSONPatch' }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(Object.keys(annotations).length === 0 ? {} : { auditAnnotations: annotations }),
  };
  return { apiVersion: review.apiVersion ?? 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function conversionOutcome(answer: JsonObject, path: string): Outcome {
  const response = responseOf(answer);
  const result = isObject(response.result) ? response.result : {};
  const allowed = result.status === 'Success';
  const objects = Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
  return {
    answer,
    allowed,
    code: allowed ? 200 : typeof result.code === 'number' ? result.code : 0,
    message: textOf(result.message),
    warnings: [],
    calls: [{ name: '', path, allowed }],
    before: undefined,
    after: allowed ? { apiVersion: 'v1', kind: 'List', items: objects } : undefined,
    patch: [],
  };
}

function patched(review: JsonObject, patch: readonly Operation[]): JsonObject {
  const request = requestOf(review);
  return { ...review, request: { ...request, object: applyPatch(request.object ?? null, patch) } };
}

function patchOf(response: JsonObject): Operation[] {
  return readPatch(parseJson(Buffer.from(textOf(response.patch), 'base64').toString('utf8')));
}

function encodePatch(patch: readonly Operation[]): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}

function responseOf(answer: JsonObject): JsonObject {
  if (!isObject(answer.response)) throw new Error('the answer has no response');
  return answer.response;
}

function requestOf(review: JsonObject): JsonObject {
  return isObject(review.request) ? review.request : {};
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
