// Review answers that the gateway gives by itself, without an evaluator: what was sent cannot or may not be evaluated.

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
  if (path === '/convert') {
    const response = { uid, convertedObjects: [], result: { status: 'Failure', message, code } };
    return Buffer.from(
      JSON.stringify({ apiVersion: versionOf(CONVERSION, version), kind: 'ConversionReview', response }),
    );
  }
  const response = { uid, allowed: false, status: { code, message } };
  return Buffer.from(JSON.stringify({ apiVersion: versionOf(ADMISSION, version), kind: 'AdmissionReview', response }));
}

/** The uid in an answer or a request, for logs; empty when there is none near the start. */
export function uidOf(answer: Uint8Array): string {
  const head = Buffer.from(answer.buffer, answer.byteOffset, Math.min(answer.length, 512)).toString('latin1');
  return /"uid"\s*:\s*"([\w.:-]{1,128})"/.exec(head)?.[1] ?? '';
}

function versionOf(fallback: string, found: string | undefined): string {
  return found?.split('/')[0] === fallback.split('/')[0] ? (found ?? fallback) : fallback;
}

/** What a review's answer decided, for metrics and logs. */
export type Verdict = { allowed: boolean; code: number };

/** Reads the verdict out of an answer's bytes; a body that is no review answer counts as not allowed, code 0. */
export function verdictOf(answer: Uint8Array): Verdict {
  const end = Math.min(answer.length - 3, 400);
  // `d":t` and `d":f`: the end of "allowed" and the start of its value. Answers are written without spaces.
  for (let i = 0; i < end; i++) {
    if (answer[i] !== 0x64 || answer[i + 1] !== 0x22 || answer[i + 2] !== 0x3a) continue;
    if (answer[i + 3] === 0x74) return ALLOWED;
    if (answer[i + 3] === 0x66) {
      const code = codeBehind(answer, i + 8);
      if (code > 0) return { allowed: false, code };
      break;
    }
  }
  const text = Buffer.from(answer.buffer, answer.byteOffset, answer.length);
  const at = text.lastIndexOf('"code":');
  const code = at < 0 ? 0 : Number.parseInt(text.toString('latin1', at + 7, at + 12), 10);
  return { allowed: false, code: Number.isNaN(code) ? 0 : code };
}

/** The three digits of the code where they stand right behind a verdict, as in nearly all answers; 0 where they do not. */
function codeBehind(answer: Uint8Array, at: number): number {
  for (let i = 0; i < STATUS.length; i++) if (answer[at + i] !== STATUS[i]) return 0;
  const digits = at + STATUS.length;
  let code = 0;
  for (let i = 0; i < 3; i++) {
    const digit = (answer[digits + i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    code = code * 10 + digit;
  }
  // `,` or `}`: a code of more digits is none that is known here.
  return answer[digits + 3] === 0x2c || answer[digits + 3] === 0x7d ? code : 0;
}

const STATUS = Buffer.from(',"status":{"code":');
const ALLOWED: Verdict = Object.freeze({ allowed: true, code: 200 });
