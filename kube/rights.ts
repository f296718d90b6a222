// Tells a right that the account of a program lacks from all else that the API server may refuse.

import { StatusError } from '../component/errors.ts';

/** As authorisers put it: `User "x" cannot patch resource "pods/status" in API group "" ...`. */
const MISSING = / cannot \S+ (?:resource|path) "/;

/** The request itself may be right: it works as soon as the account has the right. */
export function lacksRight(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.code === 401 || (error.code === 403 && MISSING.test(error.message));
}
