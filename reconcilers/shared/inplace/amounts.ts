// Amounts of resources, compared by value in whatever way they are written.

import { compareQuantities, parseQuantity } from '../../../api/core/quantity.ts';
import type { Amounts } from '../pod.ts';

/** The same amount; what is no amount must be written alike. */
export function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  const left = a === undefined ? undefined : parseQuantity(String(a));
  const right = b === undefined ? undefined : parseQuantity(String(b));
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

/** The same amounts under the same names; no amounts at all are the same as an empty list. */
export function haveSameAmounts(a: Amounts | undefined = {}, b: Amounts | undefined = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSameAmount(a[name], b[name]));
}
