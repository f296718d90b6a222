// Answers to reviews that the policies could not decide.

const encoder = new TextEncoder();

/** Seconds after which whoever was told to try again may do so. */
const RETRY_AFTER_SECONDS = 1;

/** A review that is not allowed, with the uid of the request if its body can be read. */
export function refusal(body: Uint8Array, code: number, message: string): Uint8Array {
  return answerTo(body, { allowed: false, status: { code, message } });
}

/**
 * A review that is not allowed now, for no fault of the request: the API server hands code 429 and the time on to the
 * client, and Kubernetes' own clients then try again by themselves.
 */
export function tryAgain(body: Uint8Array, why: string): Uint8Array {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  const status = { code: 429, reason: 'TooManyRequests', message: `${why}; try again`, details };
  return answerTo(body, { allowed: false, status });
}

/** The answer with one more warning. */
export function withWarning(answer: Uint8Array, warning: string): Uint8Array {
  const review = JSON.parse(textOf(answer)) as { response: { warnings?: string[] } };
  review.response.warnings = [...(review.response.warnings ?? []), warning];
  return encoder.encode(JSON.stringify(review));
}

function answerTo(body: Uint8Array, verdict: Record<string, unknown>): Uint8Array {
  let apiVersion = 'admission.k8s.io/v1';
  let uid = '';
  try {
    const review = JSON.parse(textOf(body));
    if (review.apiVersion === 'admission.k8s.io/v1beta1') apiVersion = review.apiVersion;
    if (typeof review.request?.uid === 'string') uid = review.request.uid;
  } catch {
    // Not readable: the answer goes without a uid.
  }
  return encoder.encode(JSON.stringify({ kind: 'AdmissionReview', apiVersion, response: { uid, ...verdict } }));
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString();
}
