// Reviews on a live cluster: what a decision asks is read from it, and what a decision changes is written to it, before the
// answer is given. While one review waits others go on. A review that takes nothing is answered at once.

import { type CommitStore, Commits, type Settled } from './commits.ts';
import type { Answer } from './envelope.ts';
import type { LiveCluster, LiveObserver, OnWriteFailure } from './live-cluster.ts';
import { LiveReview, signalIn } from './live-review.ts';
import type { Effect, Outstanding, Policies } from './policies.ts';
import { tryAgain, withWarning } from './refusal.ts';

export type LiveOptions = {
  cluster: LiveCluster;
  /** By kind of the object that cannot be written; `deny` where a kind is not named. */
  onWriteFailure: ReadonlyMap<string, OnWriteFailure>;
  observer: LiveObserver;
};

/** Times that pods are looked at again because budgets changed after they were read. */
const SECOND_LOOKS_MOST = 2;

const LATE = 'the decision was not made in time';

export class LiveReviews {
  private readonly policies: Policies;
  private readonly options: LiveOptions;
  private readonly commits: Commits;
  private readonly found: CommitStore['found'];
  /** Counts the changes of budgets. */
  private changes = 0;

  constructor(policies: Policies, options: LiveOptions, store: CommitStore) {
    this.policies = policies;
    this.options = options;
    this.commits = new Commits(policies, options.cluster, store);
    this.found = (reference, object) => store.found(reference, object);
  }

  /** A budget was changed, by whomever. */
  budgetChanged(): void {
    this.changes++;
  }

  /**
   * Answers a review as `Policies.review` does; `leftMs` is how long the caller waits for it. The bytes of an answer that is
   * there at once are valid until the next call. `body` must stay as it is until there is an answer.
   */
  review(path: string, body: Uint8Array, now: number, leftMs: number): Answer | Promise<Answer> {
    const answer = this.policies.reviewAtOnce(path, body, now);
    if (answer !== undefined) return { status: 200, body: answer, denial: this.policies.denial() };
    const signal = signalIn(leftMs);
    return this.goOn(new LiveReview(path, body, now, signal), this.policies.outstanding());
  }

  private async goOn(review: LiveReview, first: Outstanding): Promise<Answer> {
    const { body, signal } = review;
    try {
      return await untilAborted(this.settle(review, first), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return whole(tryAgain(body, LATE));
    }
  }

  private async settle(review: LiveReview, first: Outstanding): Promise<Answer> {
    let settled: Settled = first;
    let seen = this.changes;
    for (let looks = 0; ; ) {
      if ('committed' in settled) return whole(settled.committed);
      if ('late' in settled) return whole(tryAgain(review.body, LATE));
      if ('unwritten' in settled) return whole(this.unwritten(review, settled.answer, settled.unwritten));
      if ('questions' in settled) {
        seen = this.changes;
        const refused = await review.ask(settled.questions, this.options.cluster, this.found);
        if (refused !== undefined) return whole(refused);
        settled = review.decide(this.policies);
      } else if (settled.effects.length > 0) {
        settled = await this.commits.enter(settled.effects[0]?.namespace ?? '', review);
      } else if (
        review.hasReadVolatile &&
        this.changes !== seen &&
        isAllowed(settled.answer) &&
        looks < SECOND_LOOKS_MOST
      ) {
        // Allowed because the pod did not count when it was read: it may by now, and somebody may have been given its unit.
        looks++;
        review.forgetVolatile();
        settled = review.decide(this.policies);
      } else return { ...whole(settled.answer), denial: settled.denial };
    }
  }

  private unwritten(
    { body }: LiveReview,
    answer: Uint8Array,
    { effect, error }: { effect: Effect | undefined; error: string },
  ): Uint8Array {
    const kind = effect?.kind ?? '';
    const what = `the status of ${kind} ${effect?.namespace ?? ''}/${effect?.name ?? ''} is not written: ${error}`;
    const done = this.options.onWriteFailure.get(kind) ?? 'deny';
    this.options.observer.unwritten(kind, done);
    return done === 'admit' ? withWarning(answer, what) : tryAgain(body, what);
  }
}

function whole(body: Uint8Array): Answer {
  return { status: 200, body };
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function isAllowed(answer: Uint8Array): boolean {
  return Buffer.from(answer.buffer, answer.byteOffset, answer.length).includes('"allowed":true');
}
