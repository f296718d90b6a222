// What goes wrong with lists and watches, told apart by what has to be done about it.

import { StatusError } from '../component/errors.ts';
import type { KubeObject } from './objects.ts';

/** Nothing came on a watch for so long that it must be broken. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';

  constructor() {
    super('nothing came on the watch for too long');
  }
}

/** What the Status of an ERROR event says. */
export function errorOf(status: KubeObject): StatusError {
  const { code, reason, message } = status as Readonly<Record<string, unknown>>;
  const text = typeof message === 'string' && message !== '' ? message : 'the watch was ended with an error';
  return new StatusError(typeof code === 'number' ? code : 500, typeof reason === 'string' ? reason : '', text);
}

const FORGOTTEN = /too old resource version|too large resource version|required revision has been compacted/i;

/** The API server has thrown away what comes after a version or a page, or knows nothing of it yet: list again. */
export function isExpired(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone' || FORGOTTEN.test(error.message);
}

/** A right is missing. */
export function isForbidden(error: unknown): boolean {
  return error instanceof StatusError && [401, 403].includes(error.code);
}

/** Somebody has to do something before it works again. */
export function isRefusal(error: unknown): boolean {
  return isForbidden(error) || (error instanceof StatusError && error.code === 404);
}
