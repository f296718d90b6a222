// What an answer of the API server that is no success means to decisions.

import { ConnectionError, StatusError } from '../../component/errors.ts';

/** There is no such object, or no such kind. */
export function isAbsent(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404;
}

/** Somebody else wrote first, or it is not the object that was meant. */
export function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.code === 409;
}

/** It may have been carried out all the same. */
export function isUncertain(error: unknown): boolean {
  if (error instanceof StatusError) return error.code >= 500;
  return !(error instanceof ConnectionError) || error.sent;
}

/** One sentence for whoever asked. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
