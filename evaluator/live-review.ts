// One review that takes something from a live cluster, while it waits and is decided again and again. The module knows
// nothing of it between two decisions.

import { isObject, type JsonObject } from '../api/core/json.ts';
import type { Denial } from './denial.ts';
import { type Fact, factOf } from './fact.ts';
import type { LiveCluster } from './live-cluster.ts';
import {
  type Effect,
  type ObjectReference,
  type Policies,
  type Question,
  ROUNDS_MOST,
  TOO_MANY_ROUNDS,
} from './policies.ts';
import { refusal } from './refusal.ts';

/** What a decision came to; `answer` may be kept. */
export type Decision =
  | { answer: Uint8Array; effects: readonly Effect[]; denial?: Denial | undefined }
  | { questions: readonly Question[] };

export class LiveReview {
  readonly body: Uint8Array;
  /** Aborted when the caller does not wait any longer. */
  readonly signal: AbortSignal;
  /** Times that its effects met those of others. */
  conflicts = 0;
  private readonly path: string;
  private readonly now: number;
  /** Facts by question. */
  private readonly facts = new Map<string, Fact>();
  /** Those of what others change at any time. */
  private readonly volatile = new Set<string>();
  /** Budgets that were read, by question. */
  private readonly budgets = new Map<string, Extract<Question, { get: unknown }>>();
  private rounds = 0;

  constructor(path: string, body: Uint8Array, now: number, signal: AbortSignal) {
    this.path = path;
    this.body = body;
    this.now = now;
    this.signal = signal;
  }

  /** Was it decided by what others may have changed since it was read? */
  get hasReadVolatile(): boolean {
    return this.volatile.size > 0;
  }

  /** Decides by what is known. */
  decide(policies: Policies): Decision {
    const facts = [...this.facts.values()];
    // In a batch a budget is what the reviews before this one leave of it.
    for (const question of this.budgets.values())
      facts.push(factOf(question, { answer: policies.current(question.get) }));
    const answer = policies.reviewAtOnce(this.path, this.body, this.now, facts);
    if (answer === undefined) return policies.outstanding();
    return { answer: answer.slice(), effects: [], denial: policies.denial() };
  }

  /**
   * Has the questions answered; a refusal when there are too many. `found` takes over budgets that were read: they are decided
   * by as they are known at the time. Rejects when the caller does not wait any longer.
   */
  async ask(
    questions: readonly Question[],
    cluster: LiveCluster,
    found: (reference: ObjectReference, object: JsonObject | null) => void,
  ): Promise<Uint8Array | undefined> {
    if (++this.rounds > ROUNDS_MOST) return refusal(this.body, 500, TOO_MANY_ROUNDS);
    await Promise.all(
      questions.map(async (question) => {
        const answer = await cluster.answer(question, this.signal);
        const key = JSON.stringify(question);
        if (isBudget(question) && 'answer' in answer) {
          found(question.get, isObject(answer.answer) ? answer.answer : null);
          this.budgets.set(key, question);
          return;
        }
        this.facts.set(key, factOf(question, answer));
        if ('get' in question && isVolatile(question.get.kind)) this.volatile.add(key);
      }),
    );
    this.signal.throwIfAborted();
    return undefined;
  }

  /** Reads again from now on what others change: what was read is older than what it is held against. */
  forgetVolatile(): void {
    for (const key of this.volatile) this.facts.delete(key);
    this.volatile.clear();
    this.rounds = 0;
  }
}

function isBudget(question: Question): question is Extract<Question, { get: unknown }> {
  return 'get' in question && question.get.kind === 'PodUnavailableBudget';
}

/** What others change at any time: pods, and budgets that have a pod on record. It is read for each decision. */
export function isVolatile(kind: string): boolean {
  return kind === 'Pod' || kind === 'PodUnavailableBudget';
}

/** A signal that is aborted when the caller does not wait any longer. */
export function signalIn(leftMs: number): AbortSignal {
  return AbortSignal.timeout(Math.max(1, Math.floor(leftMs)));
}
