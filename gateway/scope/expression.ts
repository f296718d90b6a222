// The match condition of an entry: its terms in one expression, which can be read back, so that replicas that know of different
// policies never take a term away from each other.

import type { Terms } from './terms.ts';

const OR = '\n|| ';
/** An entry that no request has to be sent for. */
const NOTHING = 'false';
/**
 * How long terms must have been unnecessary before they are taken away. A policy that another replica has just acknowledged
 * is stored, and seen by all, within the time of a request.
 */
export const HOLD_MS = 120_000;

export type ExpressionState = {
  readonly wanted: Terms;
  /** The expression as it is; undefined while all requests are sent. */
  readonly live: string | undefined;
  /** Since when it has more than is wanted, as it stands. */
  readonly surplusSinceMs: number | undefined;
  readonly now: number;
};

/** The expression to have; undefined to send all requests. Pure: widens at once, narrows after a while. */
export function planExpression({ wanted, live, surplusSinceMs, now }: ExpressionState): string | undefined {
  if (wanted === 'all') return undefined;
  const target = write(wanted);
  const isHeld = surplusSinceMs === undefined || now - surplusSinceMs < HOLD_MS;
  if (live === undefined) return isHeld ? undefined : target;
  const present = read(live);
  const missing = [...wanted].filter((term) => !present.has(term));
  if (missing.length > 0) return write(new Set([...present, ...missing]));
  return isHeld || live === target ? live : target;
}

/** Does an expression send requests that are not wanted? */
export function hasSurplus(wanted: Terms, live: string | undefined): boolean {
  if (wanted === 'all') return false;
  return live === undefined || [...read(live)].some((term) => !wanted.has(term));
}

function write(terms: ReadonlySet<string>): string {
  if (terms.size === 0) return NOTHING;
  const parts = [...terms].sort().map((term) => `(${term})`);
  return parts.join(OR);
}

function read(expression: string): Set<string> {
  if (expression === NOTHING) return new Set();
  return new Set(expression.split(OR).map((part) => part.replace(/^\(([\s\S]*)\)$/, '$1')));
}
