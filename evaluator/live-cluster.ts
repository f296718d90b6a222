// What live reviews need of a cluster that takes its time to answer. The gateway has it from the API server.

import type { JsonObject } from '../api/core/json.ts';
import type { Effect, FactAnswer, ObjectReference, Question } from './policies.ts';

/** Asks for all objects of a kind, in one namespace or without: `answer` is a JSON array. For kinds' validation only. */
export type ListQuestion = { list: { apiVersion: string; kind: string; namespace?: string } };

/** How the write of a status ended. */
export type Written =
  | { outcome: 'done'; object: JsonObject }
  /** Somebody else wrote first: the object as it is now, or null when there is none. */
  | { outcome: 'conflict'; object: JsonObject | null }
  /** Not written, or nobody knows; `error` says why. */
  | { outcome: 'failed'; error: string };

/** The objects that the policies keep come by another way; see `LiveWebhooks`. */
export type LiveCluster = {
  /** Answers a question from the cluster as it is now. Never rejects. */
  answer(question: Question | ListQuestion, signal: AbortSignal): Promise<FactAnswer>;
  /** Writes the status if the object still has the uid and resourceVersion of the effect. Never rejects. */
  write(effect: Effect, signal: AbortSignal): Promise<Written>;
};

/** What is done with a request whose decision cannot be written: refused for now, or admitted with a warning. */
export type OnWriteFailure = 'deny' | 'admit';

/** What live reviews tell about themselves, for metrics. */
export type LiveObserver = {
  /** A request was refused or admitted though its decision could not be written. */
  unwritten(kind: string, done: OnWriteFailure): void;
};

/** Of which kind, group and name; equal for the same object in all versions. */
export function keyOf({ apiVersion, kind, namespace = '', name }: ObjectReference): string {
  const slash = apiVersion.indexOf('/');
  return `${apiVersion.slice(0, Math.max(slash, 0))}/${kind}/${namespace}/${name}`;
}
