// What the API server says when objects cannot be converted between the versions of their kind.

import { StatusError } from '../component/errors.ts';

/** With this begins what the API server says of a conversion that failed. */
export const CONVERSION_FAILED = 'conversion webhook for ';

/** As it goes on where nobody answered. */
const UNANSWERED = new RegExp(`${CONVERSION_FAILED}.*? failed: (Post|Get) "`);

/** The API server could not convert what it has stored, or what it was sent. */
export function isConversionFailure(error: unknown): error is StatusError {
  return error instanceof StatusError && error.message.includes(CONVERSION_FAILED);
}

/** Likewise, and the webhook did answer: the same objects fail again. */
export function isConversionRefusal(error: unknown): boolean {
  return isConversionFailure(error) && !UNANSWERED.test(error.message);
}
