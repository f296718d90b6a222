// The policies: policy.wasm with the objects that it keeps. An instance that has trapped is replaced and gets all
// objects again, so a bug costs one review and never the state.

import { readFile } from 'node:fs/promises';
import type { Json, JsonObject } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import type { Denial } from './denial.ts';
import { type Fact, type FactText, factOf } from './fact.ts';
import { bytesOf, type Kept, keyOf, objectOf } from './kept.ts';
import { Module, STATUS } from './module.ts';
import { reclaim } from './reclaim.ts';
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

/** An instance whose memory has grown by more than this through one review is replaced. */
const GROWTH_MOST = 96 << 20;

/** Dropped instances may hold this much memory before it is reclaimed. */
const DROPPED_MOST = 64 << 20;

const encoder = new TextEncoder();

export class Policies {
  private readonly compiled: WebAssembly.Module;
  private module: Module;
  private settings = '{}';
  private readonly objects = new Map<string, Kept>();
  /** What is tried out in place of some of them. */
  private readonly staged = new Map<string, Uint8Array>();
  /** Size of the memory when the last object had been applied. */
  private settled = 0;
  /** Bytes of memory of dropped instances that may not have been freed yet. */
  private dropped = 0;
  private readonly asked = new Remembered<readonly Question[]>();
  private readonly denials = new Remembered<Denial>();
  /** Status of the last review. */
  private status: number = STATUS.done;
  /** Instances that trapped and were replaced. */
  traps = 0;

  private constructor(compiled: WebAssembly.Module) {
    this.compiled = compiled;
    this.module = Module.instantiate(compiled);
    this.settled = this.module.size;
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

  configure(settings: PolicySettings): void {
    this.settings = JSON.stringify({
      gates: Object.fromEntries(settings.gates),
      systemNamespace: settings.systemNamespace,
    });
    this.configureModule();
  }

  /**
   * Keeps an object, as the API server stores it, in place of an older one of its kind and name.
   * False for kinds that the policies do not use. Throws InputError, and keeps the older one, when it cannot be read.
   * `kept` has the same text: the object, from a caller who keeps it too, so that it is in memory once.
   */
  apply(object: Uint8Array, kept: Kept = object): boolean {
    const status = this.call((module) => module.exports.apply(written(module, object)));
    if (status === STATUS.refused) throw new InputError(this.module.resultText());
    if (status !== STATUS.done) return false;
    this.objects.set(keyOf(kept), kept);
    this.settled = this.module.size;
    return true;
  }

  /** Forgets an object; false when there was none. */
  remove(reference: ObjectReference): boolean {
    const stub = named(reference);
    this.objects.delete(keyOf(stub));
    return this.call((module) => module.exports.remove(module.writeText(JSON.stringify(stub)))) === STATUS.done;
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
      this.replace(trap);
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

  /** Decides with the new status from now on, until `unstage`: as if it were written, with the same resourceVersion. */
  stage(effect: Effect): void {
    const key = keyOf(named(effect));
    const object = this.objects.get(key);
    if (object === undefined) return;
    const staged = encoder.encode(JSON.stringify({ ...objectOf(object), status: effect.status }));
    this.call((module) => module.exports.apply(written(module, staged)));
    this.staged.set(key, staged);
  }

  /** An object as decisions see it; null when there is none. */
  current(reference: ObjectReference): Json {
    const key = keyOf(named(reference));
    const object = this.staged.get(key) ?? this.objects.get(key);
    return object === undefined ? null : objectOf(object);
  }

  /** Decides with the objects as they were applied. */
  unstage(): void {
    const keys = [...this.staged.keys()];
    this.staged.clear();
    for (const key of keys) {
      const object = this.objects.get(key);
      if (object !== undefined) this.call((module) => module.exports.apply(written(module, bytesOf(object))));
    }
  }

  private decided(): Uint8Array {
    if (this.module.size > this.settled + GROWTH_MOST) return this.shrunk(this.module.result().slice());
    return this.module.result();
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

  /** A call outside of reviews: a trap replaces the instance and is thrown on. */
  private call<T>(call: (module: Module) => T): T {
    try {
      return call(this.module);
    } catch (trap) {
      if (trap instanceof WebAssembly.RuntimeError || trap instanceof RangeError) this.replace(trap);
      throw trap;
    }
  }

  private configureModule(): void {
    this.module.exports.configure(this.module.writeText(this.settings));
  }

  private replace(trap: unknown): void {
    if (!(trap instanceof WebAssembly.RuntimeError || trap instanceof RangeError)) throw trap;
    this.traps++;
    this.renew();
  }

  private shrunk(answer: Uint8Array): Uint8Array {
    this.renew();
    return answer;
  }

  /** A new instance with all objects. */
  private renew(): void {
    this.dropped += this.module.size;
    this.module = Module.instantiate(this.compiled);
    this.configureModule();
    for (const object of this.objects.values()) this.module.exports.apply(this.module.write(bytesOf(object)));
    for (const object of this.staged.values()) this.module.exports.apply(this.module.write(object));
    this.settled = this.module.size;
    if (this.dropped <= DROPPED_MOST) return;
    this.dropped = 0;
    reclaim();
  }
}

/** Just so much of an object as tells which it is. */
function named({ apiVersion, kind, name, namespace }: ObjectReference): JsonObject {
  return { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } };
}

function written(module: Module, input: Uint8Array): number {
  const length = module.write(input);
  if (length < 0) throw new InputError('the object is longer than 7 MiB');
  return length;
}

/** In the bundle the module lies beside the program, in a checkout in dist/. */
function moduleUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? '../dist/policy.wasm' : './policy.wasm', import.meta.url);
}
