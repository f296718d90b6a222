// Answers every webhook path: pods by the policy module, the kinds' own admission and conversion by api/. What the
// gateway serves and the command line evaluates.

import type { JsonObject } from '../api/core/json.ts';
import { findResource } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { CONVERT_PATH, webhookEntries } from '../api/webhooks.ts';
import { convertReview } from './conversion.ts';
import { type Answer, readEnvelope, unreadable, type Verdict, writeVerdict } from './envelope.ts';
import { type KindReview, mutateKind, validateKind } from './kind-reviews.ts';
import { type Explanation, type ObjectReference, Policies, type PolicySettings } from './policies.ts';
import { State } from './state.ts';

/** Answers one body at a time. */
type Handler = (body: Uint8Array, now: number) => Answer;

export class Webhooks {
  private readonly policies: Policies;
  private readonly state: State;
  private readonly handlers: ReadonlyMap<string, Handler>;

  constructor(policies: Policies, settings: PolicySettings) {
    policies.configure(settings);
    this.policies = policies;
    this.state = new State(policies, settings);
    this.handlers = this.makeHandlers(settings);
  }

  /** With the module built beside this program. */
  static async load(settings: PolicySettings): Promise<Webhooks> {
    return new Webhooks(await Policies.load(), settings);
  }

  /** The paths that are served with these gates. */
  paths(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Answers one exchange; `now` is Unix time in milliseconds. `body` is only read before this returns; the answer's
   * body belongs to the caller.
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

  /** Why each policy object does or does not act on the reviewed pod. Throws InputError when it cannot be read. */
  explain(body: Uint8Array, now: number): Explanation[] {
    return this.policies.explain(body, now);
  }

  /** Figures of the module: traps so far, objects and memory. */
  get figures(): { traps: number; objects: number; objectBytes: number; memoryBytes: number } {
    return { traps: this.policies.traps, ...this.policies.size };
  }

  private makeHandlers({ gates }: PolicySettings): ReadonlyMap<string, Handler> {
    const handlers = new Map<string, Handler>();
    for (const { path, type, group, resource } of webhookEntries) {
      const kind = findResource(group, resource);
      if (Policies.paths.includes(path)) {
        if (gates.get('PodWebhook') === true) handlers.set(path, this.podHandler(path));
      } else if (kind !== undefined) {
        handlers.set(path, this.kindHandler(kind, type === 'mutating' ? mutateKind : validateKind));
      }
    }
    handlers.set(CONVERT_PATH, (body) => {
      const fault = this.policies.checkJson(body);
      return fault === undefined ? convertReview(body) : { status: 400, body: new TextEncoder().encode(fault) };
    });
    return handlers;
  }

  private podHandler(path: string): Handler {
    const { policies } = this;
    return (body, now) => ({ status: 200, body: policies.review(path, body, now).slice() });
  }

  private kindHandler(kind: Kind, decide: (review: KindReview) => Verdict): Handler {
    return (body, now) => {
      const fault = this.policies.checkJson(body);
      if (fault !== undefined) return unreadable(400, fault);
      const envelope = readEnvelope(body);
      if (typeof envelope === 'string') return unreadable(400, envelope);
      try {
        const { request } = envelope;
        return writeVerdict(envelope, decide({ kind, request, context: this.state.context, now }));
      } catch (error) {
        const message = `panic: ${error instanceof Error ? error.message : String(error)}`;
        return writeVerdict(envelope, { allowed: false, code: 500, message });
      }
    };
  }
}
