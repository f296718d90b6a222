// The policy module and the kinds' webhooks alone: no server, no process, a fixed clock.
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { commitTo } from '../../evaluator/commit.ts';
import type { Denial } from '../../evaluator/denial.ts';
import { Objects } from '../../evaluator/objects.ts';
import {
  type Cluster,
  type Explanation,
  type Facts,
  type ObjectReference,
  Policies,
  type PolicySettings,
} from '../../evaluator/policies.ts';
import { Webhooks } from '../../evaluator/webhooks.ts';
import type { Exchange } from './answer.ts';
import { SYSTEM_NAMESPACE } from './builders/cluster.ts';
import type { Transport } from './runners.ts';

/** A policy module that holds exactly the given objects. */
export type HeldObjects = {
  hold(objects: readonly JsonObject[]): void;
  /** Adds or replaces one more. */
  apply(object: JsonObject): void;
  remove(reference: ObjectReference): void;
  /** An object as it is by now, with what decisions have written. */
  object(reference: ObjectReference): JsonObject | undefined;
  review(path: string, body: Uint8Array, nowMs: number): Uint8Array;
  /** What the last review denied. */
  denial(): Denial | undefined;
  explain(body: Uint8Array, nowMs: number): Explanation[];
  isAvailable(pod: unknown): boolean;
};

/** A module with gates at their defaults but for those given. Objects are as stored. */
export async function holdPolicies(gates: Record<string, boolean> = {}): Promise<HeldObjects> {
  const policies = await Policies.load();
  policies.configure(settings(gates));
  const cluster = new Objects();
  const apply = (object: JsonObject) => policies.apply(new TextEncoder().encode(JSON.stringify(object)));
  const held = new Replaced(
    (object) => {
      apply(object);
      cluster.put(referenceTo(object), object);
    },
    (object) => {
      policies.remove(referenceTo(object));
      cluster.delete(referenceTo(object));
    },
  );
  const facts: Facts = (question) => cluster.answer(question);
  const asked: Cluster = { answer: facts, commit: (effects) => commitTo(cluster, effects, apply) };
  return {
    hold: (objects) => held.replace(objects),
    apply: (object) => held.add(object),
    remove: (reference) => {
      policies.remove(reference);
      cluster.delete(reference);
    },
    object: ({ apiVersion, kind, namespace = '', name }) =>
      cluster.find(parseApiVersion(apiVersion).group, kind, namespace, name),
    review: (path, body, nowMs) => policies.review(path, body, nowMs, asked),
    denial: () => policies.denial(),
    explain: (body, nowMs) => policies.explain(body, nowMs, facts),
    isAvailable: (pod) => policies.isAvailable(pod),
  };
}

/** The webhooks of all paths, with gates at their defaults but for those given. */
export async function holdWebhooks(gates: Record<string, boolean> = {}): Promise<Webhooks> {
  return new Webhooks(await Policies.load(), settings(gates));
}

function settings(gates: Record<string, boolean>): PolicySettings {
  return { gates: effectiveGates(new Map(Object.entries(gates))), systemNamespace: SYSTEM_NAMESPACE };
}

/** Makes the webhooks hold exactly the objects that were given last. */
export function replacing(webhooks: Webhooks): (objects: readonly JsonObject[]) => void {
  const held = new Replaced(
    (object) => webhooks.apply(object),
    (object) => webhooks.remove(referenceTo(object)),
  );
  return (objects) => held.replace(objects);
}

/** Pod reviews go to the bare policy module, all others to the webhooks. The clock stands at `nowMs`. */
export async function moduleTransport(gates: Record<string, boolean>, nowMs: number): Promise<Transport> {
  const policies = await holdPolicies(gates);
  const webhooks = await holdWebhooks(gates);
  const replace = replacing(webhooks);
  return {
    hold: (objects) => {
      policies.hold(objects);
      replace(objects);
    },
    ask: (path, body): Exchange =>
      path.endsWith('-pod')
        ? { status: 200, body: policies.review(path, body, nowMs) }
        : webhooks.answer(path, body, nowMs),
    stored: (reference) => policies.object(reference),
    now: () => nowMs,
  };
}

/** The objects held now; replacing them removes those that are gone. */
class Replaced {
  readonly #apply: (object: JsonObject) => void;
  readonly #remove: (object: JsonObject) => void;
  #held: JsonObject[] = [];

  constructor(apply: (object: JsonObject) => void, remove: (object: JsonObject) => void) {
    this.#apply = apply;
    this.#remove = remove;
  }

  replace(objects: readonly JsonObject[]): void {
    for (const object of this.#held) this.#remove(object);
    this.#held = [];
    for (const object of objects) this.add(object);
  }

  add(object: JsonObject): void {
    this.#held.push(object);
    this.#apply(object);
  }
}

export function referenceTo(object: JsonObject): ObjectReference {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const { namespace } = metadata;
  return {
    apiVersion: String(object.apiVersion),
    kind: String(object.kind),
    name: String(metadata.name),
    ...(typeof namespace === 'string' ? { namespace } : {}),
  };
}
