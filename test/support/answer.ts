// Reads the answer of an admission webhook as an API server does, and applies its patch with a library of others.
import { applyPatch, type Operation } from 'rfc6902';
import { cloneJson, isObject, type Json, type JsonObject, parseJson } from '../../api/core/json.ts';

/** One exchange over any transport: the HTTP status and the bytes of the body. */
export type Exchange = { status: number; body: Uint8Array };

export type Verdict = {
  allowed: boolean;
  code?: number;
  reason?: string;
  message?: string;
  causes?: Json[];
  /** What clients show besides; absent if nothing. */
  warnings?: Json[];
  /** The operations of the patch; none if there was no patch. */
  operations: Operation[];
  /** The object of the request with the patch applied; absent for refusals and where the request had none. */
  object?: JsonObject;
};

/** Reads the answer to `request`. Throws if it breaks the protocol: wrong uid, version, patch type, or a patch that does not apply. */
export function readVerdict(request: JsonObject, body: Uint8Array, apiVersion = 'admission.k8s.io/v1'): Verdict {
  const review = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  if (!isObject(review) || !isObject(review.response)) throw new Error('the answer has no response');
  const { response } = review;
  hold(review.kind === 'AdmissionReview' && review.apiVersion === apiVersion, `${review.kind} of ${review.apiVersion}`);
  hold(response.uid === request.uid, `uid ${response.uid} in answer to ${request.uid}`);
  hold(typeof response.allowed === 'boolean', 'no verdict');
  const status = isObject(response.status) ? response.status : {};
  const operations = readOperations(response);
  hold(response.allowed === true || operations.length === 0, 'a refusal carries a patch');
  const verdict: Verdict = { allowed: response.allowed === true, operations };
  if (typeof status.code === 'number') verdict.code = status.code;
  if (typeof status.reason === 'string' && status.reason !== '') verdict.reason = status.reason;
  if (typeof status.message === 'string') verdict.message = status.message;
  if (isObject(status.details) && Array.isArray(status.details.causes)) verdict.causes = status.details.causes;
  if (Array.isArray(response.warnings) && response.warnings.length > 0) verdict.warnings = response.warnings;
  if (verdict.allowed && isObject(request.object)) verdict.object = patched(request.object, operations);
  return verdict;
}

/** A copy of `object` with the operations applied. Throws if one does not apply. */
function patched(object: JsonObject, operations: readonly Operation[]): JsonObject {
  const copy = cloneJson(object);
  const failures = applyPatch(copy, cloneJson(operations as unknown as Json) as unknown as Operation[]);
  failures.forEach((failure, index) => {
    if (failure !== null) throw new Error(`${JSON.stringify(operations[index])} does not apply: ${failure.message}`);
  });
  return copy;
}

function readOperations(response: JsonObject): Operation[] {
  if (response.patch === undefined && response.patchType === undefined) return [];
  hold(response.patchType === 'JSONPatch' && typeof response.patch === 'string', `patch of type ${response.patchType}`);
  const text = Buffer.from(String(response.patch), 'base64').toString('utf8');
  const operations = parseJson(text);
  hold(Array.isArray(operations) && operations.length > 0, 'the patch is no list, or an empty one');
  for (const operation of operations as JsonObject[]) {
    hold(['add', 'remove', 'replace'].includes(String(operation.op)), `operation ${operation.op}`);
    hold(operation.path !== '', 'the patch replaces the whole object');
  }
  return operations as unknown as Operation[];
}

function hold(condition: boolean, broken: string): void {
  if (!condition) throw new Error(`the answer breaks the protocol: ${broken}`);
}
