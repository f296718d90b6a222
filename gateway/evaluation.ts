// What the gateway needs of an evaluator, and how the real one is loaded.

import type { JsonObject } from '../api/core/json.ts';
import type { Denial } from '../evaluator/denial.ts';
import type { LiveOptions } from '../evaluator/live-reviews.ts';
import type { Widening } from './scope/widen.ts';

/** An answer ready to send; `body` is valid until the evaluator is called again. `denial`: to be counted and logged. */
export type Answer = { status: number; body: Uint8Array; denial?: Denial | undefined };

/** Names an object of the cluster. */
export type ObjectReference = { apiVersion: string; kind: string; namespace?: string; name: string };

/** Decides reviews from the objects it was given, and from what it asks a cluster. */
export type Evaluator = {
  /** The URL paths it answers. */
  paths(): readonly string[];
  /**
   * Answers one review: at once where it can, else within `leftMs` by a promise of an answer that stays valid. `body` is
   * read until there is an answer.
   */
  answer(path: string, body: Uint8Array, nowMs: number, leftMs: number): Answer | Promise<Answer>;
  /** Adds or replaces an object. Throws InputError naming the field. */
  apply(object: JsonObject): void;
  /** Forgets an object; `resourceVersion`: as of which it is gone, where there are versions. */
  remove(reference: ObjectReference, resourceVersion?: string): void;
  /** The versions that it has noted do not count any more: objects with lower ones are newer. */
  restored?(): void;
  /** How often its policy module stopped and was replaced so far. */
  readonly figures?: { readonly traps: number };
};

/** What decisions depend on besides objects. `gates` holds every gate with its effective value. */
export type EvaluatorOptions = {
  gates: ReadonlyMap<string, boolean>;
  systemNamespace: string;
  /** How it asks a cluster; without it, it decides by its objects alone. */
  live?: LiveOptions | undefined;
  /** What has to happen before a policy is allowed; see `acknowledging`. */
  widening?: Pick<Widening, 'widen'> | undefined;
};

/** Makes an evaluator without objects. */
export type EvaluatorLoader = (options: EvaluatorOptions) => Promise<Evaluator>;
