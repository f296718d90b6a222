// Numbers that may be given as a percentage. (admission-overview 8.5)
import type { Field } from './field.ts';
import { mismatch } from './names.ts';
import { wording } from './wording.ts';

type IntOrString = number | string | undefined;

const percentPattern = '[0-9]+%';
const notPercent = mismatch(
  "a valid percent string must be a numeric string followed by an ending '%'",
  percentPattern,
  '1%',
  '93%',
);

/** A number of at least 0, or a whole percentage; a text without `%` is refused. */
export function validateIntOrPercent(field: Field<IntOrString>): void {
  if (typeof field.value !== 'string') field.notNegative();
  else if (!/^[0-9]+%$/.test(field.value)) field.invalid(notPercent);
}

/** A percentage is at most 100%; numbers and malformed texts pass. */
export function validateNotAbove100Percent(field: Field<IntOrString>): void {
  const percent = /^([0-9]+)%$/.exec(String(field.value ?? ''))?.[1];
  if (percent !== undefined && Number(percent) > 100) field.invalid(wording.percentAbove100);
}
