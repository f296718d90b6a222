// The policies: decisions of policy.wasm, each in as many rounds of questions as it takes. The instance that makes them, and
// the objects that it keeps, are in instance.ts.

import { readFile } from 'node:fs/promises';
import type { Json } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import type { Denial } from './denial.ts';
import { type Fact, type FactText, factOf } from './fact.ts';
import { Instance, written } from './instance.ts';
import type { Kept } from './kept.ts';
import { type Module, STATUS } from './module.ts';
import { refusal } from './refusal.ts';
import { Remembered } from './remembered.ts';

/** Which object: as in its own apiVersion, kind and metadata. */
export type ObjectReference = { apiVersion: string; kind: string; namespace?: string; name: string };

/** Why a policy acts or does not act on a pod. */
export type Explanation = {
  kind: string;
  name: string;
  namespace?: string;
  matched: boolean;
  /** A machine word, such as SelectorMismatch. */
  reason: string;
  /** One sentence. */
  message: string;
};

/** What a policy asks about the cluster (docs/reference/abi.md). */
export type Question =
  | { get: ObjectReference }
  | {
      count: {
        apiVersion: string;
        kind: string;
        namespace?: string;
        where: 'active' | 'bound' | 'live';
        limit: number;
      };
    };

/** The answer: an object or null, or how many there are; or why it cannot be found out. */
export type FactAnswer = { answer: Json } | { error: string };

/** Answers a question at once. */
export type Facts = (question: Question) => FactAnswer | FactText;

/** The new status of an object, to be written if the object still has this uid and resourceVersion. */
export type Effect = ObjectReference & { uid: string; resourceVersion: string; status: Json };

/** What a review takes from the cluster before it can be answered. */
export type Outstanding = { questions: readonly Question[] } | Effects;

/** What must be written before the answer may be given. */
type Effects = { effects: readonly Effect[]; answer: Uint8Array };

/** What decisions need of the cluster while they are made. */
export type Cluster = {
  answer: Facts;
  /** Writes all effects or none; after a conflict the newer objects have been applied, and the review is made again. */
  commit(effects: readonly Effect[]): 'done' | 'conflict' | { error: string };
};

const NO_FACTS: Facts = () => ({ error: 'there is no cluster to ask' });
const NO_CLUSTER: Cluster = { answer: NO_FACTS, commit: () => ({ error: 'there is no cluster to write to' }) };

/** Times that a review is made again because an object that it changes was changed meanwhile. */
export const ATTEMPTS_MOST = 5;

const NOTHING: readonly Fact[] = [];
const TOO_LONG = 'the review is longer than the 7 MiB that are read';
const STOPPED = 'panic: the policy module stopped; it was replaced';

/** Rounds of questions that a review may take. */
export const ROUNDS_MOST = 4;

/** What is said when a decision does not come to an end. */
export const TOO_MANY_ROUNDS = `the policies asked more than ${ROUNDS_MOST} times for facts`;

/** Feature gates and the namespace of the controllers. */
export type PolicySettings = { gates: ReadonlyMap<string, boolean>; systemNamespace: string };

/** Webhooks that the module answers, by path: their numbers (docs/reference/abi.md). */
const WEBHOOKS: ReadonlyMap<string, number> = new Map([
  ['/mutate-pod', 0],
  ['/validate-namespace', 1],
  ['/validate-customresourcedefinition', 2],
  ['/validate-apps-deployment', 3],
  ['/validate-apps-replicaset', 4],
  ['/validate-apps-statefulset', 5],
  ['/validate-service', 6],
  ['/validate-ingress', 7],
  ['/validate-apps-kruise-io-cloneset', 8],
  ['/validate-apps-kruise-io-statefulset', 9],
  ['/validate-apps-kruise-io-uniteddeployment', 10],
  ['/validate-pod', 11],
]);

export class Policies {
  private readonly instance: Instance;
  private readonly asked = new Remembered<readonly Question[]>();
  private readonly denials = new Remembered<Denial>();
  /** Status of the last review. */
  private status: number = STATUS.done;

  private constructor(compiled: WebAssembly.Module) {
    this.instance = new Instance(compiled);
  }

  /** Loads the module: the one built beside this program, or the bytes given. */
  static async load(bytes?: Uint8Array<ArrayBuffer>): Promise<Policies> {
    return new Policies(await WebAssembly.compile(bytes ?? (await readFile(moduleUrl()))));
  }

  /** @internal Several instances of one compiled module. */
  static of(compiled: WebAssembly.Module): Policies {
    return new Policies(compiled);
  }

  /** Paths of webhooks that `review` answers. */
  static get paths(): readonly string[] {
    return [...WEBHOOKS.keys()];
  }

  /** Instances that trapped and were replaced. */
  get traps(): number {
    return this.instance.traps;
  }

  configure(settings: PolicySettings): void {
    this.instance.configure(settings);
  }

  /** See {@link Instance.apply}. */
  apply(object: Uint8Array | string, kept?: Kept, key?: string): boolean {
    return this.instance.apply(object, kept, key);
  }

  /** See {@link Instance.remove}. */
  remove(reference: ObjectReference): boolean {
    return this.instance.remove(reference);
  }

  /**
   * Answers an AdmissionReview; `now` is Unix time in milliseconds. Questions of policies are put to the cluster, and what
   * a decision changes is committed to it before the answer is given. The bytes lie in the module's memory and are valid
   * until the next call. A trap is answered as an error of code 500.
   */
  review(path: string, body: Uint8Array, now: number, cluster: Cluster = NO_CLUSTER): Uint8Array {
    for (let attempt = 0; attempt < ATTEMPTS_MOST; attempt++) {
      const decision = this.decide(path, body, now, cluster.answer);
      if (decision instanceof Uint8Array) return decision;
      const outcome = cluster.commit(decision.effects);
      if (outcome === 'done') return decision.answer;
      if (outcome !== 'conflict') return refusal(body, 500, `${outcome.error}; try again`);
    }
    return refusal(body, 500, 'the objects that the decision changes are written by others all the time; try again');
  }

  /** One review with as many rounds of questions as it takes: an answer that holds, or one that has effects. */
  private decide(path: string, body: Uint8Array, now: number, facts: Facts): Uint8Array | Effects {
    const decided = this.inRounds(facts, (known) => {
      const answer = this.reviewAtOnce(path, body, now, known);
      return answer ?? (this.status === STATUS.asks ? undefined : this.effects());
    });
    return decided ?? refusal(body, 500, TOO_MANY_ROUNDS);
  }

  /** Calls `step` with all that is known, until it asks no more; undefined when that does not end. */
  private inRounds<T>(facts: Facts, step: (known: readonly Fact[]) => T | undefined): T | undefined {
    let known = NOTHING;
    for (let round = 0; round <= ROUNDS_MOST; round++) {
      const done = step(known);
      if (done !== undefined) return done;
      const found = this.questions().map((question) => factOf(question, facts(question)));
      known = round === 0 ? found : [...known, ...found];
    }
    return undefined;
  }

  /**
   * Like `review` for a cluster that is not asked yet: the answer, with the same lifetime, when the decision takes nothing
   * from it. Undefined otherwise: `outstanding` tells what is missing, until the next call.
   */
  reviewAtOnce(path: string, body: Uint8Array, now: number, facts = NOTHING): Uint8Array | undefined {
    const webhook = WEBHOOKS.get(path);
    if (webhook === undefined) throw new Error(`${path} is not answered by the policies`);
    try {
      const unread = this.giveFacts(facts);
      const length = this.module.write(body);
      if (length < 0) return refusal(body, 413, TOO_LONG);
      this.status = this.module.exports.review(webhook, length, now);
      if (this.status === STATUS.asks && unread !== undefined) return refusal(body, 500, unread);
      if (this.status === STATUS.asks || this.module.exports.effectsLength() !== 0) return undefined;
      return this.decided();
    } catch (trap) {
      this.instance.replace(trap);
      return refusal(body, 500, STOPPED);
    }
  }

  /** Hands them in for the next review or explanation, which asks again for those that cannot be read; why one cannot. */
  private giveFacts(facts: readonly Fact[]): string | undefined {
    let unread: string | undefined;
    for (const fact of facts) {
      const length = this.module.write(...fact);
      if (length >= 0 && this.module.exports.fact(length) === STATUS.done) continue;
      const reason = length < 0 ? 'it is longer than the 7 MiB that are read' : this.module.resultText();
      unread ??= `an answer of the cluster cannot be read: ${reason}`;
    }
    return unread;
  }

  /** The denial that the last call, a review, came to; undefined where it decided otherwise, and for dry runs. */
  denial(): Denial | undefined {
    const text = this.module.denialText();
    return text === '' ? undefined : this.denials.parse(text);
  }

  /** What the last review takes from the cluster: the answers to questions, or the effects to be written first. */
  outstanding(): Outstanding {
    if (this.status === STATUS.asks) return { questions: this.questions() };
    return this.effects();
  }

  private questions(): readonly Question[] {
    return this.asked.parse(this.module.resultText());
  }

  private effects(): Effects {
    return { effects: JSON.parse(this.module.effectsText()) as Effect[], answer: this.module.result().slice() };
  }

  /** See {@link Instance.stage}. */
  stage(effect: Effect): void {
    this.instance.stage(effect);
  }

  /** See {@link Instance.current}. */
  current(reference: ObjectReference): Json {
    return this.instance.current(reference);
  }

  /** See {@link Instance.unstage}. */
  unstage(): void {
    this.instance.unstage();
  }

  /** The answer of the last review; an instance that grew much through it is replaced. */
  private decided(): Uint8Array {
    if (!this.instance.isGrown) return this.module.result();
    const answer = this.module.result().slice();
    this.instance.renew();
    return answer;
  }

  /**
   * Why each policy object does or does not act on the reviewed pod; `facts` answers what policies ask. Throws InputError
   * when it cannot be read.
   */
  explain(body: Uint8Array, now: number, facts: Facts = NO_FACTS): Explanation[] {
    const status = this.inRounds(facts, (known) => {
      const unread = this.call(() => this.giveFacts(known));
      const reached = this.call((module) => module.exports.explain(written(module, body), now));
      if (reached === STATUS.asks && unread !== undefined) throw new InputError(unread);
      return reached === STATUS.asks ? undefined : reached;
    });
    if (status === undefined) throw new InputError(TOO_MANY_ROUNDS);
    if (status === STATUS.refused) throw new InputError(this.module.resultText());
    return JSON.parse(this.module.resultText()) as Explanation[];
  }

  /** Why the text is not the strict JSON that reviews are, or undefined. */
  checkJson(text: Uint8Array): string | undefined {
    return this.checked((module) => module.exports.checkJson(written(module, text)));
  }

  /** Why the text is no pattern that can be matched, or undefined. */
  checkPattern(pattern: string): string | undefined {
    return this.checked((module) => module.exports.checkPattern(module.writeText(pattern)));
  }

  /** Is the pattern found in the text? False for a pattern that `checkPattern` refuses. */
  matchesPattern(pattern: string, text: string): boolean {
    const question = JSON.stringify({ pattern, text });
    return this.call((module) => module.exports.matchPattern(module.writeText(question))) === STATUS.done;
  }

  /** Why the expression cannot stand in the field of this resource, or undefined. */
  checkExpression(expression: string, variable: 'cpu' | 'memory'): string | undefined {
    const isMemory = variable === 'memory' ? 1 : 0;
    return this.checked((module) => module.exports.checkExpression(module.writeText(expression), isMemory));
  }

  /** Is the pod ready, and does it run what it asks for? So budgets count it. Throws InputError when it cannot be read. */
  isAvailable(pod: unknown): boolean {
    const status = this.call((module) => module.exports.available(module.writeText(JSON.stringify(pod))));
    if (status === STATUS.refused) throw new InputError(this.module.resultText());
    return status === STATUS.done;
  }

  /** Number of objects kept, and bytes of memory of the module. */
  get size(): { objects: number; objectBytes: number; memoryBytes: number } {
    const { exports, size } = this.module;
    return { objects: exports.objects(), objectBytes: exports.objectBytes(), memoryBytes: size };
  }

  private checked(call: (module: Module) => number): string | undefined {
    return this.call(call) === STATUS.refused ? this.module.resultText() : undefined;
  }

  private get module(): Module {
    return this.instance.module;
  }

  private call<T>(call: (module: Module) => T): T {
    return this.instance.call(call);
  }
}

/** In the bundle the module lies beside the program, in a checkout in dist/. */
function moduleUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? '../dist/policy.wasm' : './policy.wasm', import.meta.url);
}
