// Commits what live reviews change. Reviews of one namespace wait for each other: those that have come in meanwhile are
// decided one after the other, each on what the ones before it take, and all of it goes out in one write an object. Only
// then do they get their answers. So reviews of one gateway never conflict with themselves, and a burst takes few writes.
//
//   enter -> waiting -> decided on staged objects -> written -> answered
//               ^                                       |
//               +--------- conflict: newer objects -----+

import type { JsonObject } from '../api/core/json.ts';
import { keyOf, type LiveCluster, type Written } from './live-cluster.ts';
import type { Decision, LiveReview } from './live-review.ts';
import { ATTEMPTS_MOST, type Effect, type ObjectReference, type Policies } from './policies.ts';

/** How a review fared: an answer that holds, or what has to be done before it can be decided. */
export type Settled =
  | Decision
  /** The answer holds: what it takes is written. */
  | { committed: Uint8Array }
  | { unwritten: { effect: Effect | undefined; error: string }; answer: Uint8Array }
  | { late: true };

/** Reviews that are decided in one go; more wait for the next write. */
const BATCH_MOST = 256;

/** Takes the objects over that writes bring to light. */
export type CommitStore = {
  written(effect: Effect, object: JsonObject): void;
  /** The object as it is now; null when there is none. */
  found(reference: ObjectReference, object: JsonObject | null): void;
};

type Waiting = { review: LiveReview; settle(settled: Settled): void; fail(error: unknown): void };
type Decided = { waiting: Waiting; decision: Made; keys: readonly string[] };
type Made = Exclude<Decision, { questions: unknown }>;

export class Commits {
  private readonly policies: Policies;
  private readonly cluster: LiveCluster;
  private readonly store: CommitStore;
  /** By namespace; one that is here is being worked on. */
  private readonly queues = new Map<string, Waiting[]>();

  constructor(policies: Policies, cluster: LiveCluster, store: CommitStore) {
    this.policies = policies;
    this.cluster = cluster;
    this.store = store;
  }

  /** Decides a review on what others have taken, commits what it takes, and resolves with what came of it. */
  enter(namespace: string, review: LiveReview): Promise<Settled> {
    return new Promise((settle, fail) => {
      const queue = this.queues.get(namespace);
      if (queue !== undefined) {
        queue.push({ review, settle, fail });
        return;
      }
      this.queues.set(namespace, [{ review, settle, fail }]);
      void this.work(namespace);
    });
  }

  private async work(namespace: string): Promise<void> {
    const queue = this.queues.get(namespace) ?? [];
    // Those that come in in the same turn belong to the first batch.
    await undefined;
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MOST);
      try {
        queue.unshift(...(await this.settle(batch)));
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.queues.delete(namespace);
  }

  /** Settles a batch; gives back those that met a conflict and have to be decided again. */
  private async settle(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const effects = new Map<string, Effect>();
    const decided = this.decide(batch, effects);
    const outcomes = await this.write(effects, decided);
    return decided.filter((one) => !this.conclude(one, outcomes, effects)).map(({ waiting }) => waiting);
  }

  /** Synchronous: nothing else is decided on staged objects. `effects` gets the last status of every object. */
  private decide(batch: readonly Waiting[], effects: Map<string, Effect>): Decided[] {
    const decided: Decided[] = [];
    try {
      for (const waiting of batch) {
        if (waiting.review.signal.aborted) {
          waiting.settle({ late: true });
          continue;
        }
        const decision = waiting.review.decide(this.policies);
        if ('questions' in decision) {
          waiting.settle(decision);
          continue;
        }
        for (const effect of decision.effects) {
          effects.set(keyOf(effect), effect);
          this.policies.stage(effect);
        }
        decided.push({ waiting, decision, keys: decision.effects.map(keyOf) });
      }
    } finally {
      this.policies.unstage();
    }
    return decided;
  }

  /**
   * Budgets first: what they do not grant is not booked elsewhere either. An object with a part in a review whose budget
   * was not written is left for the next round.
   */
  private async write(
    effects: ReadonlyMap<string, Effect>,
    decided: readonly Decided[],
  ): Promise<ReadonlyMap<string, Written>> {
    const outcomes = new Map<string, Written>();
    const isBudget = ({ kind }: Effect) => kind === 'PodUnavailableBudget';
    const isLost = (key: string) =>
      decided.some(
        ({ keys }) => keys.includes(key) && keys.some((own) => (outcomes.get(own)?.outcome ?? 'done') !== 'done'),
      );
    // The last one that came in waits the longest.
    const signal = decided.at(-1)?.waiting.review.signal ?? AbortSignal.abort();
    for (const first of [true, false]) {
      const group = [...effects].filter(([key, effect]) => isBudget(effect) === first && !isLost(key));
      await Promise.all(
        group.map(async ([key, effect]) => {
          const written = await this.cluster.write(effect, signal);
          if (written.outcome === 'done') this.store.written(effect, written.object);
          else if (written.outcome === 'conflict') this.store.found(effect, written.object);
          outcomes.set(key, written);
        }),
      );
    }
    return outcomes;
  }

  /** False when the review has to be decided again. */
  private conclude(
    { waiting, decision, keys }: Decided,
    outcomes: ReadonlyMap<string, Written>,
    effects: ReadonlyMap<string, Effect>,
  ): boolean {
    const { answer, denial } = decision;
    // One without effects was decided on what others were about to take.
    const own = keys.length > 0 ? keys : [...effects.keys()];
    const failed = own.find((key) => outcomes.get(key)?.outcome === 'failed');
    if (failed !== undefined) {
      const written = outcomes.get(failed);
      const error = written?.outcome === 'failed' ? written.error : '';
      waiting.settle({ unwritten: { effect: effects.get(failed), error }, answer });
      return true;
    }
    if (own.every((key) => outcomes.get(key)?.outcome === 'done')) {
      waiting.settle(keys.length > 0 ? { committed: answer } : { answer, effects: [], denial });
      return true;
    }
    const { review } = waiting;
    if (++review.conflicts < ATTEMPTS_MOST) {
      review.forgetVolatile();
      return false;
    }
    const error = 'the objects that the decision changes are written by others all the time';
    waiting.settle({ unwritten: { effect: effects.get(own[0] ?? ''), error }, answer });
    return true;
  }
}
