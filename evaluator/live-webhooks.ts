// Answers every webhook path on a live cluster, as `Webhooks` does on objects in memory. The policy objects come from
// mirrors by `apply` and `remove`; all else is read, and what decisions change is written, while a review waits.

import { isObject, type JsonObject } from '../api/core/json.ts';
import type { Kind } from '../api/kinds/kind.ts';
import type { WebhookEntry } from '../api/webhooks.ts';
import { StatusError } from '../component/errors.ts';
import { convertBody } from './conversion.ts';
import { type Answer, type Envelope, unreadable, writeVerdict } from './envelope.ts';
import { Freshness } from './freshness.ts';
import { decideAtOnce, decideLive } from './kind-questions.ts';
import { answerKind, type Judge, panicVerdict } from './kind-reviews.ts';
import { keyOf, type LiveCluster } from './live-cluster.ts';
import { signalIn } from './live-review.ts';
import { type LiveOptions, LiveReviews } from './live-reviews.ts';
import { type ObjectReference, Policies, type PolicySettings } from './policies.ts';
import { tryAgain } from './refusal.ts';
import { handlersOf } from './served.ts';
import { State } from './state.ts';

const LATE = 'what the rules of the kind ask was not answered in time';

type Handler = (body: Uint8Array, now: number, leftMs: number) => Answer | Promise<Answer>;

export class LiveWebhooks {
  private readonly policies: Policies;
  private readonly state: State;
  private readonly cluster: LiveCluster;
  private readonly reviews: LiveReviews;
  private readonly freshness = new Freshness();
  private readonly handlers: ReadonlyMap<string, Handler>;

  constructor(policies: Policies, settings: PolicySettings, live: LiveOptions) {
    policies.configure(settings);
    this.policies = policies;
    this.state = new State(policies, settings);
    this.cluster = live.cluster;
    this.reviews = new LiveReviews(policies, live, {
      written: (_, object) => this.apply(object),
      found: (reference, object) => (object === null ? this.remove(reference) : this.apply(object)),
    });
    this.handlers = this.makeHandlers(settings);
  }

  /** With the module built beside this program. */
  static async load(settings: PolicySettings, live: LiveOptions): Promise<LiveWebhooks> {
    return new LiveWebhooks(await Policies.load(), settings, live);
  }

  /** The paths that are served with these gates. */
  paths(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Answers one exchange; `now` is Unix time in milliseconds, `leftMs` how long the caller waits. An answer that is there
   * at once is valid until the next call; `body` must stay as it is until there is one.
   */
  answer(path: string, body: Uint8Array, now: number, leftMs: number): Answer | Promise<Answer> {
    const handler = this.handlers.get(path);
    return handler === undefined ? unreadable(404, `${path} is not served`) : handler(body, now, leftMs);
  }

  /**
   * Takes an object over as the API server has it, unless a newer one is known. Throws InputError naming the field when it
   * cannot be used, and forgets the one before: to decide by what is not so any more would be wrong.
   */
  apply(object: JsonObject): void {
    const reference = referenceOf(object);
    const metadata = isObject(object.metadata) ? object.metadata : {};
    if (!this.freshness.isNewer(keyOf(reference), String(metadata.resourceVersion ?? ''))) return;
    if (reference.kind === 'PodUnavailableBudget') this.reviews.budgetChanged();
    try {
      this.state.apply(object);
    } catch (error) {
      this.state.remove(reference);
      throw error;
    }
  }

  /** Forgets an object that is gone as of a resourceVersion, or by now. */
  remove(reference: ObjectReference, resourceVersion?: string): void {
    if (this.freshness.isGone(keyOf(reference), resourceVersion)) this.state.remove(reference);
  }

  /** The data of the API server were put back to an earlier state: lower versions are newer from now on. */
  restored(): void {
    this.freshness.forget();
  }

  /** Figures of the module: traps so far, objects and memory. */
  get figures(): { traps: number; objects: number; objectBytes: number; memoryBytes: number } {
    return { traps: this.policies.traps, ...this.policies.size };
  }

  private makeHandlers({ gates }: PolicySettings): ReadonlyMap<string, Handler> {
    return handlersOf<Handler>(gates, {
      policy: (path) => this.policyHandler(path),
      kind: (kind, type, deletion) => this.kindHandler(kind, type, deletion),
      convert: (body) => convertBody(body, this.policies),
    });
  }

  private policyHandler(path: string): Handler {
    const { reviews } = this;
    return (body, now, leftMs) => reviews.review(path, body, now, leftMs);
  }

  /** Deletions of kinds that can be protected are decided by the policies, all else by the kind. */
  private kindHandler(kind: Kind, type: WebhookEntry['type'], deletion: Handler | undefined): Handler {
    return (body, now, leftMs) =>
      answerKind<Answer | Promise<Answer>>(body, this.policies, {
        kind,
        type,
        now,
        deletion: deletion && (() => deletion(body, now, leftMs)),
        judged: (envelope, judge) => {
          const verdict = decideAtOnce(judge, this.state.context);
          return verdict === undefined
            ? this.judgeLive(envelope, body, judge, leftMs)
            : writeVerdict(envelope, verdict);
        },
      });
  }

  private async judgeLive(envelope: Envelope, body: Uint8Array, judge: Judge, leftMs: number): Promise<Answer> {
    const signal = signalIn(leftMs);
    try {
      return writeVerdict(envelope, await decideLive(judge, this.state.context, this.cluster, signal));
    } catch (error) {
      if (signal.aborted) return { status: 200, body: tryAgain(body, LATE) };
      if (!(error instanceof StatusError)) return writeVerdict(envelope, panicVerdict(error));
      return writeVerdict(envelope, { allowed: false, code: error.code, message: error.message });
    }
  }
}

function referenceOf(object: JsonObject): ObjectReference {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const reference = { apiVersion: text(object.apiVersion), kind: text(object.kind), name: text(metadata.name) };
  const namespace = text(metadata.namespace);
  return namespace === '' ? reference : { ...reference, namespace };
}
