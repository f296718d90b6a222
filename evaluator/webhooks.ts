// Answers every webhook path: pods by the policy module, the kinds' own admission and conversion by api/. What the
// gateway serves and the command line evaluates.

import type { JsonObject } from '../api/core/json.ts';
import type { Kind } from '../api/kinds/kind.ts';
import type { WebhookEntry } from '../api/webhooks.ts';
import { convertBody } from './conversion.ts';
import { type Answer, unreadable, writeVerdict } from './envelope.ts';
import { readAnswer } from './fact.ts';
import { answerKind } from './kind-reviews.ts';
import {
  type Cluster,
  type Effect,
  type Explanation,
  type FactAnswer,
  type ObjectReference,
  Policies,
  type PolicySettings,
  type Question,
} from './policies.ts';
import { handlersOf } from './served.ts';
import { State } from './state.ts';

/** Answers one body at a time. */
type Handler = (body: Uint8Array, now: number) => Answer;

/** Hears what decisions of the policies take from the cluster and give to it. */
export type Observer = {
  asked(question: Question, answer: FactAnswer): void;
  committed(effects: readonly Effect[]): void;
};

/** Answers some questions in place of the objects; undefined for those that the objects are to answer. */
export type GivenAnswers = (question: Question) => FactAnswer | undefined;

/** What stands around the objects. */
type Surroundings = { observer?: Observer; given?: GivenAnswers };

export type LoadOptions = Surroundings & { module?: Uint8Array<ArrayBuffer> };

const NO_ANSWERS: GivenAnswers = () => undefined;

export class Webhooks {
  private readonly policies: Policies;
  private readonly state: State;
  private readonly observer: Observer | undefined;
  private readonly given: GivenAnswers;
  private readonly handlers: ReadonlyMap<string, Handler>;
  private readonly cluster: Cluster = {
    answer: (question) => {
      const answer = this.given(question) ?? this.state.answer(question);
      this.observer?.asked(question, readAnswer(answer));
      return answer;
    },
    commit: (effects) => {
      const outcome = this.state.commit(effects);
      if (outcome === 'done') this.observer?.committed(effects);
      return outcome;
    },
  };

  constructor(policies: Policies, settings: PolicySettings, { observer, given = NO_ANSWERS }: Surroundings = {}) {
    policies.configure(settings);
    this.policies = policies;
    this.observer = observer;
    this.given = given;
    this.state = new State(policies, settings);
    this.handlers = this.makeHandlers(settings);
  }

  /** With the module built beside this program, or the bytes of another one. */
  static async load(settings: PolicySettings, { module, ...around }: LoadOptions = {}): Promise<Webhooks> {
    return new Webhooks(await Policies.load(module), settings, around);
  }

  /** The paths that are served with these gates. */
  paths(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Answers one exchange; `now` is Unix time in milliseconds. `body` is only read before this returns; the answer's
   * body is valid until the next call.
   */
  answer(path: string, body: Uint8Array, now: number): Answer {
    const handler = this.handlers.get(path);
    return handler === undefined ? unreadable(404, `${path} is not served`) : handler(body, now);
  }

  /** Adds or replaces an object of the cluster. Throws InputError naming the field, and has then changed nothing. */
  apply(object: JsonObject): void {
    this.state.apply(object);
  }

  remove(reference: ObjectReference): void {
    this.state.remove(reference);
  }

  /** The object as it is stored by now, with what decisions have written. */
  object(reference: ObjectReference): JsonObject | undefined {
    return this.state.object(reference);
  }

  /** Why each policy object does or does not act on the reviewed pod. Throws InputError when it cannot be read. */
  explain(body: Uint8Array, now: number): Explanation[] {
    return this.policies.explain(body, now, this.cluster.answer);
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
    const { policies } = this;
    return (body, now) => {
      const answer = policies.review(path, body, now, this.cluster);
      return { status: 200, body: answer, denial: policies.denial() };
    };
  }

  /** Deletions of kinds that can be protected are decided by the policies, all else by the kind. */
  private kindHandler(kind: Kind, type: WebhookEntry['type'], deletion: Handler | undefined): Handler {
    return (body, now) =>
      answerKind(body, this.policies, {
        kind,
        type,
        now,
        deletion: deletion && (() => deletion(body, now)),
        judged: (envelope, judge) => writeVerdict(envelope, judge(this.state.context)),
      });
  }
}
