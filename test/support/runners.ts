// Asks the product the questions of the corpus. How a question travels is a transport; everything else is the same.
import { isObject, type JsonObject, parseJson } from '../../api/core/json.ts';
import type { ObjectReference } from '../../evaluator/policies.ts';
import { type Exchange, readVerdict, type Verdict } from './answer.ts';
import { askApiServer } from './apiserver.ts';
import type { DecisionWindow } from './compare/placeholders.ts';
import type { Case, CaseResult } from './corpus.ts';
import { referenceTo } from './policy-module.ts';

/** Answers one question of the corpus. */
export type Runner = (question: Case) => Promise<CaseResult>;

/** A way to the product. One question is asked at a time. */
export type Transport = {
  /** Makes the cluster hold exactly these objects, which are as stored. */
  hold(objects: readonly JsonObject[]): void | Promise<void>;
  /** Sends a review to the webhook at a path. */
  ask(path: string, body: Uint8Array): Exchange | Promise<Exchange>;
  /** An object as it is stored by now. Absent where it cannot be seen what decisions have written. */
  readonly stored?: ((reference: ObjectReference) => JsonObject | undefined) | undefined;
  /** The clock that the product decides by, in milliseconds. */
  now(): number;
};

/** A runner that sends every question over this transport. */
export function runnerOver(transport: Transport): Runner {
  const ask = async (path: string, review: JsonObject) => transport.ask(path, encode(review));
  return async (question) => {
    await transport.hold(question.objects);
    const fromMs = transport.now();
    const window = (): DecisionWindow => ({ fromMs, toMs: transport.now() });
    if (question.via === 'apiserver') {
      const verdict = await askApiServer(question, ask);
      return { ...resultOf(verdict), window: window() };
    }
    if (question.path === '/convert') {
      const exchange = await ask(question.path, question.request);
      return { ...readConversion(exchange), window: window() };
    }
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: question.request };
    const exchange = await ask(question.path, review);
    if (exchange.status !== 200) return { http: exchange.status, body: textOf(exchange), window: window() };
    const verdict = resultOf(readVerdict(question.request, exchange.body));
    return { ...verdict, statuses: statusesOf(question.objects, transport), http: 200, window: window() };
  };
}

function resultOf({ operations, ...verdict }: Verdict): Omit<CaseResult, 'window'> {
  return { ...verdict, operations: operations.length };
}

/** Of budgets and spreads, by `Kind/namespace/name`, where they can be seen. */
function statusesOf(objects: readonly JsonObject[], transport: Transport): JsonObject | 'unseen' {
  if (transport.stored === undefined) return 'unseen';
  const counted = objects.filter(({ kind }) => kind === 'PodUnavailableBudget' || kind === 'WorkloadSpread');
  const statuses: JsonObject = {};
  for (const object of counted) {
    const reference = referenceTo(object);
    const status = transport.stored(reference)?.status;
    statuses[`${reference.kind}/${reference.namespace}/${reference.name}`] = status ?? {};
  }
  return statuses;
}

function readConversion(exchange: Exchange): Omit<CaseResult, 'window'> {
  const text = textOf(exchange);
  if (exchange.status !== 200) return { http: exchange.status, body: text };
  const review = parseJson(text);
  if (!isObject(review) || !isObject(review.response)) return { http: 200, body: text };
  return { http: 200, conversion: { ...review.response, apiVersion: review.apiVersion ?? null } };
}

function encode(review: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(review));
}

function textOf(exchange: Exchange): string {
  return new TextDecoder().decode(exchange.body);
}
