// The envelope of admission: reading a review for the kinds' own webhooks, and writing its answer (admission-overview 1).

import { OBJECT_LENGTH_MOST, TOO_LARGE } from '../api/core/decode.ts';
import { boundedText, type FieldError } from '../api/core/field-error.ts';
import { isObject, type JsonObject, parseJson } from '../api/core/json.ts';
import type { Operation } from '../api/core/patch.ts';
import type { Denial } from './denial.ts';

/** HTTP status and body; `body` is valid until the evaluator is called again. `denial`: of a refusal by the policies. */
export type Answer = { status: number; body: Uint8Array; denial?: Denial | undefined };

/** A review that can be answered. */
export type Envelope = { apiVersion: string; uid: string; request: JsonObject };

/** A verdict; `code` is that of the answer's status. */
export type Verdict =
  | { allowed: true; message?: string; warnings?: readonly string[]; patch?: readonly Operation[] }
  | { allowed: false; code: number; reason?: string; message: string; errors?: readonly FieldError[] };

const encoder = new TextEncoder();
const V1 = 'admission.k8s.io/v1';
/** A longer patch makes an object that is too large: besides values it has little (api/core/diff.ts). */
const PATCH_LENGTH_MOST = OBJECT_LENGTH_MOST + 1024 * 1024;
/** Callers show every one; API servers show 4 KiB of all, and cut each. */
const WARNINGS_MOST = 100;
const WARNING_LENGTH_MOST = 4096;
const V1BETA1 = 'admission.k8s.io/v1beta1';

/** Reads a body that was found to be strict JSON; a text tells what is missing. */
export function readEnvelope(body: Uint8Array): Envelope | string {
  const review = parseJson(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  if (!isObject(review) || !isObject(review.request)) return 'request: expected the request of an AdmissionReview';
  const { request } = review;
  if (typeof request.uid !== 'string' || request.uid === '') return 'request.uid: expected the uid of the review';
  if (typeof request.operation !== 'string' || request.operation === '') {
    return 'request.operation: expected CREATE, UPDATE, DELETE or CONNECT';
  }
  return { apiVersion: review.apiVersion === V1BETA1 ? V1BETA1 : V1, uid: request.uid, request };
}

/** The whole AdmissionReview with its response. */
export function writeVerdict(envelope: Omit<Envelope, 'request'>, verdict: Verdict): Answer {
  const { apiVersion, uid } = envelope;
  return answer({ kind: 'AdmissionReview', apiVersion, response: { uid, ...response(verdict) } });
}

/** The answer to a body that no envelope could be read from. */
export function unreadable(code: number, message: string): Answer {
  return writeVerdict({ apiVersion: V1, uid: '' }, { allowed: false, code, message });
}

/** An exchange with a JSON body. */
export function answer(body: JsonObject, status = 200): Answer {
  return { status, body: encoder.encode(JSON.stringify(body)) };
}

function response(verdict: Verdict): JsonObject {
  if (!verdict.allowed) {
    const { code, reason } = verdict;
    const message = boundedText(verdict.message);
    return { allowed: false, status: { code, ...(reason === undefined ? {} : { reason }), message } };
  }
  const { patch, message, warnings: given = [] } = verdict;
  const warnings = given.slice(0, WARNINGS_MOST).map((warning) => boundedText(warning, WARNING_LENGTH_MOST));
  const status = { code: 200, ...(message === undefined ? {} : { message }) };
  const allowed = { allowed: true, status, ...(warnings.length > 0 && { warnings }) };
  if (patch === undefined || patch.length === 0) return allowed;
  const text = JSON.stringify(patch);
  if (text.length > PATCH_LENGTH_MOST) return response({ allowed: false, code: 413, message: TOO_LARGE });
  return { ...allowed, patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') };
}
