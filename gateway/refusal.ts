// Review answers that the gateway gives by itself, without an evaluator: what was sent cannot or may not be evaluated.

import { CONVERT_PATH } from '../api/webhooks.ts';
import type { Content } from './http/answer-form.ts';

const ADMISSION = 'admission.k8s.io/v1';
const CONVERSION = 'apiextensions.k8s.io/v1';
/** How much of a body is searched for the uid; the API server writes it at the start. */
const HEAD_BYTES = 4096;
const UID = /"request"\s*:\s*\{[^{}]*?"uid"\s*:\s*"([\w.:-]{1,128})"/;
const VERSION = /"apiVersion"\s*:\s*"((?:admission|apiextensions)\.k8s\.io\/v1(?:beta1)?)"/;

/**
 * The body of a refusal: a review that is not allowed (for `/convert`: a failed conversion) with this code and message.
 * `request` is what is known of the request's body; its uid and apiVersion are echoed when they can be found.
 */
export function refusalBody(path: string, code: number, message: string, request?: Uint8Array): Buffer {
  const head =
    request === undefined
      ? ''
      : Buffer.from(request.buffer, request.byteOffset, Math.min(request.length, HEAD_BYTES)).toString('latin1');
  const uid = UID.exec(head)?.[1] ?? '';
  const version = VERSION.exec(head)?.[1];
  if (path === CONVERT_PATH) {
    const response = { uid, convertedObjects: [], result: { status: 'Failure', message, code } };
    return Buffer.from(
      JSON.stringify({ apiVersion: versionOf(CONVERSION, version), kind: 'ConversionReview', response }),
    );
  }
  const response = { uid, allowed: false, status: { code, message } };
  return Buffer.from(JSON.stringify({ apiVersion: versionOf(ADMISSION, version), kind: 'AdmissionReview', response }));
}

/** The uid in an answer, for logs; empty when there is none near the start. */
export function uidOf(answer: Content): string {
  return /"uid":"([\w.:-]{1,128})"/.exec(answer.slice(0, 512))?.[1] ?? '';
}

function versionOf(fallback: string, found: string | undefined): string {
  return found?.split('/')[0] === fallback.split('/')[0] ? (found ?? fallback) : fallback;
}

/** What a review's answer decided, for metrics and logs. */
export type Verdict = { allowed: boolean; code: number };

/** Reads the verdict out of an answer; one that is no review counts as not allowed, code 0. */
export function verdictOf(path: string, answer: Content): Verdict {
  if (path === CONVERT_PATH ? answer.endsWith(CONVERTED) : isAllowed(answer)) return ALLOWED;
  const at = answer.lastIndexOf('"code":');
  const code = at < 0 ? 0 : Number.parseInt(answer.slice(at + 7, at + 12), 10);
  return { allowed: false, code: Number.isNaN(code) ? 0 : code };
}

function isAllowed(answer: Content): boolean {
  const at = answer.indexOf(ALLOWED_MEMBER);
  return at >= 0 && answer.startsWith('true', at + ALLOWED_MEMBER.length);
}

/** The end of a conversion without a fault. */
const CONVERTED = '"result":{"status":"Success"}}}';
/** As answers are written, without spaces; no text has it, where quotes are escaped. */
const ALLOWED_MEMBER = '"allowed":';
const ALLOWED: Verdict = Object.freeze({ allowed: true, code: 200 });
