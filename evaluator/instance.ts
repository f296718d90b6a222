// The instance of policy.wasm in use, with the settings and objects that it was given. One that has trapped is replaced and
// gets all objects again, so a bug costs one review and never the state.

import type { Json, JsonObject } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { textOf as utf8Text } from './fact.ts';
import { type Kept, keyOf, objectOf, textOf } from './kept.ts';
import { Module, STATUS } from './module.ts';
import type { Effect, ObjectReference, PolicySettings } from './policies.ts';
import { reclaim } from './reclaim.ts';

/** An instance whose memory has grown by more than this through one review is replaced. */
const GROWTH_MOST = 96 << 20;

/** Dropped instances may hold this much memory before it is reclaimed. */
const DROPPED_MOST = 64 << 20;

export class Instance {
  /** The one in use, until the next call of a method here. */
  module: Module;
  /** Instances that trapped and were replaced. */
  traps = 0;
  private readonly compiled: WebAssembly.Module;
  private settings = '{}';
  private readonly objects = new Map<string, Kept>();
  /** What is tried out in place of some of them. */
  private readonly staged = new Map<string, string>();
  /** Size of the memory when the last object had been applied. */
  private settled = 0;
  /** Bytes of memory of dropped instances that may not have been freed yet. */
  private dropped = 0;

  constructor(compiled: WebAssembly.Module) {
    this.compiled = compiled;
    this.module = Module.instantiate(compiled);
    this.settled = this.module.size;
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
   * `kept` has the same text: the object, from a caller who keeps it too, so that it is in memory once; `key` is its key.
   */
  apply(object: Uint8Array | string, kept?: Kept, key?: string): boolean {
    const status = this.call((module) => module.exports.apply(written(module, object)));
    if (status === STATUS.refused) throw new InputError(this.module.resultText());
    if (status !== STATUS.done) return false;
    const own = kept ?? (typeof object === 'string' ? object : utf8Text(object));
    this.objects.set(key ?? keyOf(own), own);
    this.settled = this.module.size;
    return true;
  }

  /** Forgets an object; false when there was none. */
  remove(reference: ObjectReference): boolean {
    const stub = named(reference);
    this.objects.delete(keyOf(stub));
    return this.call((module) => module.exports.remove(module.writeText(JSON.stringify(stub)))) === STATUS.done;
  }

  /** Decides with the new status from now on, until `unstage`: as if it were written, with the same resourceVersion. */
  stage(effect: Effect): void {
    const key = keyOf(named(effect));
    const object = this.objects.get(key);
    if (object === undefined) return;
    const staged = JSON.stringify({ ...objectOf(object), status: effect.status });
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
      if (object !== undefined) this.call((module) => module.exports.apply(written(module, textOf(object))));
    }
  }

  /** A call outside of reviews: a trap replaces the instance and is thrown on. */
  call<T>(call: (module: Module) => T): T {
    try {
      return call(this.module);
    } catch (trap) {
      if (isTrap(trap)) this.replace(trap);
      throw trap;
    }
  }

  /** Another instance after a trap; whatever else was thrown is thrown on. */
  replace(trap: unknown): void {
    if (!isTrap(trap)) throw trap;
    this.traps++;
    this.renew();
  }

  /** Has its memory grown so much since the last object was applied that it should be replaced? */
  get isGrown(): boolean {
    return this.module.size > this.settled + GROWTH_MOST;
  }

  /** A new instance with all objects. */
  renew(): void {
    this.dropped += this.module.size;
    this.module = Module.instantiate(this.compiled);
    this.configureModule();
    for (const object of this.objects.values()) this.module.exports.apply(this.module.writeText(textOf(object)));
    for (const object of this.staged.values()) this.module.exports.apply(this.module.writeText(object));
    this.settled = this.module.size;
    if (this.dropped <= DROPPED_MOST) return;
    this.dropped = 0;
    reclaim();
  }

  private configureModule(): void {
    this.module.exports.configure(this.module.writeText(this.settings));
  }
}

/** Writes the input of the next call; its length. Throws InputError when it is longer than the module reads. */
export function written(module: Module, input: Uint8Array | string): number {
  const length = typeof input === 'string' ? module.writeText(input) : module.write(input);
  if (length < 0) throw new InputError('the object is longer than 7 MiB');
  return length;
}

function isTrap(thrown: unknown): boolean {
  return thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
}

/** Just so much of an object as tells which it is. */
function named({ apiVersion, kind, name, namespace }: ObjectReference): JsonObject {
  return { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } };
}
