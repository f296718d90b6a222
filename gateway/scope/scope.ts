// `--scope demand`: the API server sends only pods that a present policy can concern. This narrows, a while after a policy is
// gone; `widen` is what happens before one is acknowledged.

import type { JsonObject } from '../../api/core/json.ts';
import { hasSurplus, planExpression } from './expression.ts';
import { SCOPED_ENTRIES, type Terms, termsOf } from './terms.ts';

export type ScopeOptions = {
  readonly gates: ReadonlyMap<string, boolean>;
  /** The policy objects of the cluster as far as they are known. */
  readonly policies: () => Iterable<JsonObject>;
  /** True while `policies` follows the cluster. */
  readonly isCurrent: () => boolean;
  readonly now: () => number;
};

/** How an entry is limited now; `stamp` is different after every policy that was acknowledged. */
export type LiveScope = { readonly expression: string | undefined; readonly stamp: string | undefined };

export class Scope {
  readonly #options: ScopeOptions;
  /** By entry: since when it has stood as it is, with more than is wanted. */
  readonly #surplus = new Map<string, { live: string; sinceMs: number }>();

  constructor(options: ScopeOptions) {
    this.#options = options;
  }

  /** The expression that an entry should have in place of the present one; undefined to send all requests. */
  expressionOf(entry: string, live: LiveScope): string | undefined {
    const scoped = SCOPED_ENTRIES.find((name) => name === entry);
    if (scoped === undefined) return undefined;
    const { isCurrent, now, policies, gates } = this.#options;
    // What is not known is not missed: terms stay as they are.
    if (!isCurrent()) return live.expression;
    const wanted = termsOf(scoped, policies(), gates);
    const surplusSinceMs = this.#surplusSince(entry, wanted, live);
    return planExpression({ wanted, live: live.expression, surplusSinceMs, now: now() });
  }

  #surplusSince(entry: string, wanted: Terms, { expression, stamp }: LiveScope): number | undefined {
    if (!hasSurplus(wanted, expression)) {
      this.#surplus.delete(entry);
      return undefined;
    }
    const live = JSON.stringify([expression, stamp]);
    const present = this.#surplus.get(entry);
    if (present?.live === live) return present.sinceMs;
    const sinceMs = this.#options.now();
    this.#surplus.set(entry, { live, sinceMs });
    return sinceMs;
  }
}
