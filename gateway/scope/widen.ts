// What has to happen before a policy is acknowledged with `--scope demand`: the pods that it concerns are sent from then on.
// Everything is in the configurations, so that every thread of every replica can do it.

import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { StatusError } from '../../component/errors.ts';
import type { Client } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../kube/resource.ts';
import { configurationName } from '../configurations/configurations.ts';
import { entriesOf, nameOf } from '../configurations/entries.ts';
import { SCOPE_CONDITION, SCOPE_STAMP_ANNOTATION } from '../configurations/plan.ts';
import { planExpression } from './expression.ts';
import { SCOPED_ENTRIES, termsOf } from './terms.ts';

export type WideningOptions = {
  readonly client: Pick<Client, 'get' | 'update'>;
  readonly gates: ReadonlyMap<string, boolean>;
  /** A text that is never the same again. */
  readonly stamp: () => string;
  /** How long it takes until every API server follows a configuration that was written. */
  readonly settleMs?: number;
};

const SETTLE_MS = 2000;
/** Other threads and replicas may write as well. */
const ATTEMPTS = 10;
const CONFIGURATIONS = [
  [MUTATING_WEBHOOK_CONFIGURATIONS, configurationName('mutating')],
  [VALIDATING_WEBHOOK_CONFIGURATIONS, configurationName('validating')],
] as const;

export class Widening {
  readonly #options: WideningOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WideningOptions) {
    this.#options = options;
  }

  /**
   * To be awaited before a policy object is allowed to be created, or changed from `old`, but for dry runs. Rejects if it
   * could not be brought about that its pods are sent: then it must not be allowed.
   */
  async widen(policy: JsonObject, old: JsonObject | undefined, signal: AbortSignal): Promise<void> {
    const { gates, settleMs = SETTLE_MS } = this.#options;
    if (old !== undefined && SCOPED_ENTRIES.every((entry) => isCovered(entry, policy, old, gates))) return;
    // One after the other, as they would only get into each other's way.
    const isWider = this.#turn.then(async () => {
      signal.throwIfAborted();
      const wider = await Promise.all(CONFIGURATIONS.map((one) => widenOne(this.#options, one, policy, signal)));
      return wider.includes(true);
    });
    this.#turn = isWider.catch(() => undefined);
    if (await isWider) await wait(settleMs, undefined, { signal });
  }
}

/** Were all its pods sent because of what it was before? */
function isCovered(
  entry: (typeof SCOPED_ENTRIES)[number],
  policy: JsonObject,
  old: JsonObject,
  gates: ReadonlyMap<string, boolean>,
): boolean {
  const [after, before] = [termsOf(entry, [policy], gates), termsOf(entry, [old], gates)];
  if (after === 'all' || before === 'all') return before === 'all';
  return [...after].every((term) => before.has(term));
}

/**
 * Resolves to true if requests are sent now that were not. It writes in any case: whoever is about to narrow has to look again,
 * and to wait anew.
 */
async function widenOne(
  { client, gates, stamp }: WideningOptions,
  [resource, name]: (typeof CONFIGURATIONS)[number],
  policy: JsonObject,
  signal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const live = await client.get(resource, { name }, { signal });
      const { update, isWider } = widened(live, policy, gates, stamp());
      await client.update(resource, update, { signal });
      return isWider;
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof StatusError) || error.code !== 409) throw error;
    }
  }
}

function widened(live: KubeObject, policy: JsonObject, gates: ReadonlyMap<string, boolean>, stamp: string) {
  let isWider = false;
  const webhooks = entriesOf(live.webhooks).map((entry) => {
    const scoped = SCOPED_ENTRIES.find((name) => name === nameOf(entry));
    const present = entriesOf(entry.matchConditions).find((condition) => nameOf(condition) === SCOPE_CONDITION);
    if (scoped === undefined || typeof present?.expression !== 'string') return entry;
    const wanted = termsOf(scoped, [policy], gates);
    const expression = planExpression({ wanted, live: present.expression, surplusSinceMs: undefined, now: 0 });
    if (expression === present.expression) return entry;
    isWider = true;
    const others = entriesOf(entry.matchConditions).filter((condition) => condition !== present);
    const own = expression === undefined ? [] : [{ name: SCOPE_CONDITION, expression }];
    return { ...entry, matchConditions: [...others, ...own] };
  });
  const { metadata, ...rest } = live as unknown as JsonObject & { metadata: JsonObject };
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const stamped = { ...metadata, annotations: { ...annotations, [SCOPE_STAMP_ANNOTATION]: stamp } };
  return { update: { ...rest, metadata: stamped, webhooks }, isWider };
}
