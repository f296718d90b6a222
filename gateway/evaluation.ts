// What the gateway needs of an evaluator, and how the real one is loaded.

import type { JsonObject } from '../api/core/json.ts';

/** An answer ready to send; `body` is valid until the evaluator is called again. */
export type Answer = { status: number; body: Uint8Array };

/** Names an object of the cluster. */
export type ObjectReference = { apiVersion: string; kind: string; namespace?: string; name: string };

/** Decides reviews from the objects it was given. Every call is done when it returns. */
export type Evaluator = {
  /** The URL paths it answers. */
  paths(): readonly string[];
  /** Answers one review; `body` is only read before it returns. */
  answer(path: string, body: Uint8Array, nowMs: number): Answer;
  /** Adds or replaces an object. Throws InputError naming the field, and has then changed nothing. */
  apply(object: JsonObject): void;
  remove(reference: ObjectReference): void;
  /** How often its policy module stopped and was replaced so far. */
  readonly figures?: { readonly traps: number };
};

/** What decisions depend on besides objects. `gates` holds every gate with its effective value. */
export type EvaluatorOptions = { gates: ReadonlyMap<string, boolean>; systemNamespace: string };

/** Makes an evaluator without objects. */
export type EvaluatorLoader = (options: EvaluatorOptions) => Promise<Evaluator>;
