// What the headers of an admission request must look like. Faults in the framing itself (two lengths, length and
// chunks, folded lines, ...) never get here: the parser of Node.js refuses them.

import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../metrics/rows.ts';

/** Why a request is turned away: HTTP status, code inside the review answer, and a message for people. */
export type RequestFault = { reason: Refusal; status: number; code: number; message: string };

/** The first fault of a request's headers, undefined when there is none. */
export function headerFault(request: IncomingMessage): RequestFault | undefined {
  const { headers } = request;
  if (request.httpVersion !== '1.1') return HTTP_VERSION;
  if (headers['content-type'] !== 'application/json') return CONTENT_TYPE;
  if (headers['content-encoding'] !== undefined) return CONTENT_ENCODING;
  if (headers.upgrade !== undefined) return UPGRADE;
  if (headers.trailer !== undefined) return TRAILERS;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return TRANSFER_CODING;
  return hasTwoHosts(request.rawHeaders) ? TWO_HOSTS : undefined;
}

/** The declared length of the body, 0 when there is none, -1 when it comes in chunks. */
export function bodyLength(request: IncomingMessage): number {
  const declared = request.headers['content-length'];
  if (declared !== undefined) return Number(declared);
  return request.headers['transfer-encoding'] === undefined ? 0 : -1;
}

function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

function fault(reason: Refusal, status: number, code: number, message: string): RequestFault {
  return Object.freeze({ reason, status, code, message });
}

const HTTP_VERSION = fault('http_version', 505, 400, 'HTTP/1.1 is expected');
// The code inside the answer is 400 as clients of the reference know it; HTTP has a status of its own for it.
const CONTENT_TYPE = fault('content_type', 415, 400, 'Content-Type must be exactly application/json');
const CONTENT_ENCODING = fault(
  'content_encoding',
  415,
  415,
  'Content-Encoding is not supported, send the body as it is',
);
const UPGRADE = fault('upgrade', 400, 400, 'Upgrade is not supported');
const TRANSFER_CODING = fault('malformed_request', 400, 400, 'Transfer-Encoding must be chunked alone');
const TWO_HOSTS = fault('malformed_request', 400, 400, 'Host must be given once');
export const TRAILERS = fault('trailers', 400, 400, 'trailers are not supported');
export const BODY_MISSING = fault('body_missing', 400, 400, 'the body is empty, an AdmissionReview is expected');
export const BODY_TOO_SLOW = fault('body_too_slow', 408, 408, 'the body did not arrive in time');
export const NOT_READY = fault('not_ready', 503, 503, 'the policy objects are not loaded yet');
export const OVERLOADED = fault('overloaded', 503, 503, 'too many requests in flight, try again');
export const LATE = fault('late', 503, 503, 'the request waited too long to be answered in time');

/** The fault of a body over the limit. */
export function bodyTooLarge(limit: number): RequestFault {
  return fault('body_too_large', 413, 413, `the body is larger than ${limit} bytes`);
}
