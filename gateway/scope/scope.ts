// `--scope demand`: the API server sends only pods that a present policy can concern. It is wider before a policy is
// acknowledged, so that no pod created after that is missed, and narrower only after a while.

import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../api/core/json.ts';
import { HOLD_MS, hasSurplus, planExpression } from './expression.ts';
import { SCOPED_ENTRIES, type ScopedEntry, type Terms, termsOf } from './terms.ts';

export type ScopeOptions = {
  readonly gates: ReadonlyMap<string, boolean>;
  /** The policy objects of the cluster as far as they are known. */
  readonly policies: () => Iterable<JsonObject>;
  /** True while `policies` follows the cluster. */
  readonly isCurrent: () => boolean;
  /** Writes the configurations if they are too narrow; resolves to true if they were. */
  readonly rescope: () => Promise<boolean>;
  readonly now: () => number;
  /** How long it takes until every API server follows a configuration that was written. */
  readonly settleMs?: number;
};

const SETTLE_MS = 1000;
/** Terms of policies that are being acknowledged; with more all requests are sent. */
const MOST_PENDING = 1000;
/** A policy that was acknowledged is among the others after that, or was not stored. */
const PENDING_MS = 2 * HOLD_MS;

export class Scope {
  readonly #options: ScopeOptions;
  /** Of policies that may not be among the others yet, by entry: until when each of their terms counts. */
  readonly #pending = new Map<ScopedEntry, Map<string, number>>();
  readonly #surplus = new Map<string, { live: string | undefined; sinceMs: number }>();

  constructor(options: ScopeOptions) {
    this.#options = options;
  }

  /** The expression that an entry should have in place of the present one; undefined to send all requests. */
  expressionOf(entry: string, live: string | undefined): string | undefined {
    const scoped = SCOPED_ENTRIES.find((name) => name === entry);
    if (scoped === undefined) return undefined;
    const { isCurrent, now } = this.#options;
    const wanted = this.#wanted(scoped);
    const surplusSinceMs = isCurrent() ? this.#surplusSince(entry, wanted, live) : undefined;
    return planExpression({ wanted, live, surplusSinceMs, now: now() });
  }

  /**
   * Resolves when pods that this policy concerns are sent; to be awaited before it is allowed to be created or changed, but
   * for dry runs. Rejects if that could not be brought about: then it must not be allowed.
   */
  async beforeAcknowledge(policy: JsonObject, signal: AbortSignal): Promise<void> {
    const { gates, now, rescope, settleMs = SETTLE_MS } = this.#options;
    for (const entry of SCOPED_ENTRIES) this.#expect(entry, termsOf(entry, [policy], gates), now() + PENDING_MS);
    const isWider = await rescope();
    signal.throwIfAborted();
    if (isWider) await wait(settleMs, undefined, { signal });
  }

  #expect(entry: ScopedEntry, terms: Terms, untilMs: number): void {
    const pending = this.#pending.get(entry) ?? new Map<string, number>();
    this.#pending.set(entry, pending);
    for (const term of terms === 'all' ? [ALL] : terms) {
      pending.set(pending.size < MOST_PENDING || pending.has(term) ? term : ALL, untilMs);
    }
  }

  #wanted(entry: ScopedEntry): Terms {
    const { policies, gates, now } = this.#options;
    const pending = this.#pending.get(entry) ?? new Map<string, number>();
    for (const [term, untilMs] of pending) if (untilMs <= now()) pending.delete(term);
    const present = termsOf(entry, policies(), gates);
    return present === 'all' || pending.has(ALL) ? 'all' : new Set([...present, ...pending.keys()]);
  }

  #surplusSince(entry: string, wanted: Terms, live: string | undefined): number | undefined {
    const present = this.#surplus.get(entry);
    if (!hasSurplus(wanted, live)) {
      this.#surplus.delete(entry);
      return undefined;
    }
    if (present !== undefined && present.live === live) return present.sinceMs;
    const sinceMs = this.#options.now();
    this.#surplus.set(entry, { live, sinceMs });
    return sinceMs;
  }
}

/** Stands for all requests. */
const ALL = '';
