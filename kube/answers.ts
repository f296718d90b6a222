// What an answer of the API server means: its bytes, or the Status that it holds as an error.

import { isObject, type Json, type JsonObject, parseJson, readJson } from '../api/core/json.ts';
import { ConnectionError, type StatusDetails, StatusError } from '../component/errors.ts';
import { type HttpAnswer, type HttpRequest, nameOf } from './transport.ts';

/** Longest text of an answer that is no Status which is shown. */
const MOST_SHOWN = 200;
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The whole body. */
export async function bytesOf(answer: HttpAnswer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** The JSON object that an answer is. Throws ConnectionError: what is no object does not come from the API server. */
export function objectOf(bytes: Uint8Array, request: HttpRequest): JsonObject {
  try {
    const value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new ConnectionError(`${nameOf(request)}: the answer is no JSON`, { sent: true, cause });
  }
  throw new ConnectionError(`${nameOf(request)}: the answer is no object`, { sent: true });
}

/** The refusal in an answer that was no success; a proxy's page or an empty body gives one made from the HTTP code. */
export function statusErrorOf(answer: HttpAnswer, bytes: Uint8Array, request: HttpRequest): StatusError {
  const text = new TextDecoder().decode(bytes);
  const status = statusOf(text);
  const code = answer.status;
  const reason =
    typeof status?.reason === 'string' && status.reason !== '' ? status.reason : (REASONS[code] ?? 'Unknown');
  const shown = text.trim().slice(0, MOST_SHOWN);
  const message =
    typeof status?.message === 'string' && status.message !== ''
      ? status.message
      : `${nameOf(request)}: HTTP ${answer.status}${shown === '' ? '' : `: ${shown}`}`;
  return new StatusError(code, reason, message, { details: detailsOf(answer, status?.details) });
}

function detailsOf(answer: HttpAnswer, details: Json | undefined): StatusDetails {
  const { causes, retryAfterSeconds } = isObject(details) ? details : {};
  const seconds = retryAfter(answer) ?? retryAfterSeconds;
  const reasons = Array.isArray(causes)
    ? causes.flatMap((cause) => (isObject(cause) ? [String(cause.reason)] : []))
    : [];
  return {
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
    ...(reasons.length === 0 ? {} : { causes: reasons }),
  };
}

function statusOf(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  const body = readJson(text);
  // Whatever else it is, it is shown as text.
  return isObject(body) && body.kind === 'Status' ? body : undefined;
}

// In seconds; the form with a date is not used by API servers.
function retryAfter({ headers }: HttpAnswer): number | undefined {
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
