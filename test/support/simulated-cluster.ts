// A cluster in memory in which controllers run step by step, in an order that a seed decides: caches lag, writes fail or
// conflict, nodes start and restart containers. A run is the same each time for the same seed.

import type { JsonObject } from '../../api/core/json.ts';
import { ConnectionError, StatusError } from '../../component/errors.ts';
import { type KubeObject, keyOf, type ObjectReference } from '../../kube/objects.ts';
import type { FailedEffect, Plan, PlannedEffect } from '../../kube/plan.ts';
import type { IndexKeys, LookUp, Reader } from '../../kube/reader.ts';
import { PODS, type Resource } from '../../kube/resource.ts';
import type { Controller } from '../../reconcilers/loop/controller.ts';
import { type Expectation, Expectations } from '../../reconcilers/loop/expectations.ts';
import { withLookups } from '../../reconcilers/loop/lookups.ts';
import { randomOf } from './random.ts';
import { type Cache, Caches, deliver } from './simulation/caches.ts';
import { type Kubelet, simulatedKubelet } from './simulation/kubelet.ts';
import { metadataOf, type PatchParts, SimulatedObjects, type WorldChange } from './simulation/objects.ts';

/** The state of a controller is its own affair here. */
export type AnyController = Controller<unknown>;

export type SimulationOptions = {
  readonly seed: number;
  readonly controllers?: readonly AnyController[];
  /** The share of a controller's writes that fail: refused, conflicting, or done though an error comes back. */
  readonly failures?: number;
  /** Caches follow at once, so that a table of steps can be written by hand. */
  readonly fresh?: boolean;
  /** Unix time in milliseconds at the start. */
  readonly now?: number;
};

export type RestOptions = {
  /** Called after every step; throws when something must not be. */
  readonly invariant?: (cluster: SimulatedCluster) => void;
  /** How far the clock may be moved on, while nothing else happens, to when controllers want to look again. */
  readonly forMs?: number;
  /** More steps than this are an error: controllers do not come to rest. */
  readonly steps?: number;
  /** Others that act in the cluster, such as a Deployment that replaces pods: what each could do next. */
  readonly actors?: readonly ((cluster: SimulatedCluster) => readonly (() => void)[])[];
};

/** An Event that a controller has recorded. */
export type RecordedEvent = Extract<PlannedEffect, { type: 'event' }>;

const START = Date.parse('2026-11-30T12:00:00Z');
const BACKOFF_MS = 1000;

export class SimulatedCluster {
  /** The world as the API server has it. */
  readonly objects: SimulatedObjects;
  readonly kubelet: Kubelet;
  readonly events: RecordedEvent[] = [];
  /** Everything that happened, for people who look for the cause of a failure. */
  readonly trace: string[] = [];
  now: number;
  readonly #options: SimulationOptions;
  readonly #random: () => number;
  readonly #caches = new Caches();
  readonly #runs: ControllerRun[];

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.now = options.now ?? START;
    this.#random = randomOf(options.seed);
    this.objects = new SimulatedObjects(() => this.now);
    this.kubelet = simulatedKubelet(this.objects, () => this.now);
    this.objects.onChange((change) => this.#changed(change));
    const view = {
      follows: (resource: Resource) => this.#caches.find(resource) !== undefined,
      hasSeen: (resource: Resource, version: string) => this.#caches.of(resource).version >= Number(version),
      get: (resource: Resource, reference: ObjectReference) => this.reader.get(resource, reference),
      isBehind: (resource: Resource) => this.#caches.of(resource).pending.length > 0,
    };
    this.#runs = (options.controllers ?? []).map((controller) => {
      for (const { resource, indexes = {} } of controller.watches) this.#caches.follow(resource, indexes);
      return { controller, queue: new Map(), expectations: new Expectations(view) };
    });
  }

  /** What controllers see: it lags behind the world unless the simulation is fresh. */
  get reader(): Reader {
    return this.#caches.reader;
  }

  /** Follows a resource that no controller watches, for tests that only read. */
  follow(resource: Resource, indexes: Readonly<Record<string, IndexKeys>> = {}): void {
    this.#caches.follow(resource, indexes);
  }

  // What a user does; each throws StatusError as the API server would.

  create(resource: Resource, object: JsonObject): KubeObject {
    return this.objects.create(resource, object);
  }

  /** Replaces an object by what `change` makes of it; the status too if `subresource` says so. */
  change(
    resource: Resource,
    reference: ObjectReference,
    change: (object: JsonObject) => JsonObject,
    subresource?: string,
  ) {
    const current = this.objects.get(resource, reference);
    if (current === undefined) throw new Error(`there is no ${resource.kind} ${keyOf(reference)}`);
    const object = change(structuredClone(current) as unknown as JsonObject);
    return this.objects.update(resource, object, subresource);
  }

  delete(resource: Resource, reference: ObjectReference): void {
    this.objects.delete(resource, reference);
  }

  get(resource: Resource, reference: ObjectReference): KubeObject | undefined {
    return this.objects.get(resource, reference);
  }

  list(resource: Resource, namespace?: string): readonly KubeObject[] {
    return this.objects.list(resource, namespace);
  }

  /**
   * Runs until nothing is left to do: caches are up to date, no key waits, nodes are idle, and nobody wants to look again
   * within `forMs`. Throws what the invariant throws, with the seed and the last steps before it.
   */
  async rest(options: RestOptions = {}): Promise<void> {
    const { forMs = 3_600_000, steps = 20_000, invariant, actors = [] } = options;
    const end = this.now + forMs;
    for (let step = 0; step < steps; step++) {
      const work = [...this.#work(), actors.flatMap((actor) => actor(this))].filter((kind) => kind.length > 0);
      if (work.length === 0 && !this.#skipTo(end)) return;
      await this.#pick(this.#pick(work) ?? [])?.();
      try {
        invariant?.(this);
      } catch (error) {
        throw this.#explained(error);
      }
    }
    throw this.#explained(new Error(`no rest after ${steps} steps`));
  }

  /**
   * The effects that controllers still want for any object that one of their watches leads to, by controller and key; empty
   * for settled controllers.
   */
  async outstanding(): Promise<Record<string, readonly PlannedEffect[]>> {
    const found: Record<string, readonly PlannedEffect[]> = {};
    for (const { controller } of this.#runs) {
      for (const [id, key] of this.#allKeys(controller)) {
        const plan = await this.plan(controller, key);
        const effects = plan === undefined ? [] : allOf(plan);
        if (effects.length > 0) found[`${controller.name} ${id}`] = effects;
      }
    }
    return found;
  }

  /** What a controller wants for a key now. */
  async plan(controller: AnyController, key: ObjectReference): Promise<Plan | undefined> {
    const fetch = (lookUp: LookUp) => controller.fetch(this.reader, key, lookUp);
    const state = await withLookups(fetch, async (lookup) => this.#lookUp(lookup), new AbortController().signal);
    return state === undefined ? undefined : controller.plan(state, this.now);
  }

  /** Carries a plan out without failures; for tables that go plan by plan. */
  apply(plan: Plan): void {
    for (const effect of allOf(plan)) this.#do(effect);
  }

  #work(): (() => void | Promise<void>)[][] {
    const due = this.#runs.flatMap((run) =>
      [...run.queue.values()].filter((item) => item.dueAt <= this.now).map((item) => ({ run, item })),
    );
    const ready = due.filter(({ run, item }) => run.expectations.unmet(keyOf(item.key)) === undefined);
    return [
      this.#caches.lagging().map((cache) => () => this.#deliver(cache)),
      ready.map(
        ({ run, item }) =>
          () =>
            this.#reconcile(run, item.key),
      ),
      [...this.kubelet.steps()],
    ];
  }

  // Moves the clock to when the next key is due; false if none is before the end.
  #skipTo(end: number): boolean {
    const times = this.#runs.flatMap(({ queue }) => [...queue.values()].map(({ dueAt }) => dueAt));
    const next = Math.min(...times.filter((time) => time > this.now));
    if (next > end) return false;
    this.now = next;
    return true;
  }

  async #reconcile(run: ControllerRun, key: ObjectReference): Promise<void> {
    const id = keyOf(key);
    run.queue.delete(id);
    this.trace.push(`${new Date(this.now).toISOString()} ${run.controller.name} ${id}`);
    const plan = await this.plan(run.controller, key);
    if (plan === undefined) return;
    const failed = this.#carryOut(run, id, plan);
    if (failed) this.#enqueue(run, key, BACKOFF_MS);
    else if (plan.requeueAfterMs !== undefined) this.#enqueue(run, key, plan.requeueAfterMs);
  }

  #carryOut(run: ControllerRun, id: string, plan: Plan): boolean {
    const failures: FailedEffect[] = [];
    for (const group of plan.groups) {
      if (failures.length > 0 && plan.report === undefined) break;
      for (const effect of group) failures.push(...this.#try(run, id, effect));
    }
    const status = statusOf(plan, failures);
    if (status !== undefined) failures.push(...this.#try(run, id, status));
    return failures.length > 0;
  }

  #try(run: ControllerRun, id: string, effect: PlannedEffect): readonly FailedEffect[] {
    const line = `  ${describe(effect)}`;
    const luck = effect.type === 'event' ? 1 : this.#random();
    const failures = this.#options.failures ?? 0;
    try {
      if (luck < failures / 2) throw new StatusError(luck < failures / 4 ? 409 : 500, 'Injected', 'injected failure');
      const expectation = this.#do(effect);
      if (luck < failures) {
        // The write was done though nobody was told: what the loop does then is to read no older state.
        if ('resource' in effect) this.#expectNow(run, id, effect.resource);
        throw new ConnectionError('injected failure after the write', { sent: true });
      }
      if (expectation !== undefined) run.expectations.expect(id, [expectation], this.now);
      this.trace.push(line);
      return [];
    } catch (error) {
      if (!(error instanceof StatusError || error instanceof ConnectionError)) throw error;
      this.trace.push(`${line}: ${error.message}`);
      const isGone = effect.type === 'delete' && error instanceof StatusError && error.code === 404;
      return isGone ? [] : [{ effect, error }];
    }
  }

  #expectNow(run: ControllerRun, id: string, resource: Resource): void {
    const cache = this.#caches.find(resource);
    const resourceVersion = String(
      Math.max(cache?.version ?? 0, ...(cache?.pending ?? []).map(({ version }) => version)),
    );
    run.expectations.expect(id, [{ type: 'seen', resource, resourceVersion }], this.now);
  }

  #do(effect: PlannedEffect): Expectation | undefined {
    if (effect.type === 'event') {
      this.events.push(effect);
      return undefined;
    }
    if (effect.type === 'evict' || effect.type === 'delete') {
      const resource = effect.type === 'evict' ? PODS : effect.resource;
      const { reference, uid } = effect;
      const resourceVersion = effect.type === 'delete' ? effect.resourceVersion : undefined;
      const isOther =
        resourceVersion !== undefined && this.get(resource, reference)?.metadata.resourceVersion !== resourceVersion;
      if (isOther) throw new StatusError(409, 'Conflict', 'the object has been modified');
      this.objects.delete(resource, reference, uid);
      return { type: 'gone', resource, reference, uid };
    }
    const { resource } = effect;
    const { resourceVersion } = this.#write(effect).metadata;
    return { type: 'seen', resource, resourceVersion };
  }

  #write(effect: Extract<PlannedEffect, { type: 'create' | 'update' | 'patch' }>): KubeObject {
    if (effect.type === 'create') return this.objects.create(effect.resource, effect.object);
    if (effect.type === 'update') return this.objects.update(effect.resource, effect.object, effect.subresource);
    return this.objects.patch(effect.resource, effect.reference, effect satisfies PatchParts);
  }

  #lookUp({ apiVersion, kind, namespace, name, subresource }: Parameters<LookUp>[0]): KubeObject | undefined {
    const object = this.objects.find(apiVersion, kind, { namespace, name });
    if (subresource === undefined || object === undefined) return object;
    const { replicas = 1, selector } = (object.spec ?? {}) as JsonObject;
    const labels = Object.entries(((selector as JsonObject)?.matchLabels ?? {}) as JsonObject);
    const text = labels.map(([label, value]) => `${label}=${value}`).join(',');
    const status = { replicas, selector: text };
    return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: object.metadata, spec: { replicas }, status };
  }

  #changed(change: WorldChange): void {
    const cache = this.#caches.find(change.resource);
    if (cache === undefined) return;
    cache.pending.push(change);
    if (this.#options.fresh === true) this.#deliver(cache);
  }

  #deliver(cache: Cache): void {
    const change = deliver(cache);
    if (change === undefined) return;
    for (const run of this.#runs) {
      for (const watch of run.controller.watches) {
        if (this.#caches.find(watch.resource) !== cache) continue;
        for (const wanted of watch.keys(change, this.reader)) {
          this.#enqueue(run, { name: wanted.name, namespace: wanted.namespace }, 0);
        }
      }
    }
  }

  #enqueue({ queue }: ControllerRun, key: ObjectReference, afterMs: number): void {
    const id = keyOf(key);
    const dueAt = Math.min(this.now + afterMs, queue.get(id)?.dueAt ?? Number.POSITIVE_INFINITY);
    queue.set(id, { key, dueAt });
  }

  #allKeys({ watches }: AnyController): Map<string, ObjectReference> {
    const keys = new Map<string, ObjectReference>();
    for (const { resource, keys: keysOf } of watches) {
      for (const object of this.reader.list(resource)) {
        for (const key of keysOf({ new: object }, this.reader)) keys.set(keyOf(key), key);
      }
    }
    return keys;
  }

  #pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)];
  }

  #explained(error: unknown): Error {
    const last = this.trace.slice(-40).join('\n');
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`seed ${this.#options.seed}: ${message}\n${last}`, { cause: error });
  }
}

function statusOf({ status, report }: Plan, failures: readonly FailedEffect[]): PlannedEffect | undefined {
  return report === undefined ? status : report(failures);
}

/** All that a plan does if nothing fails. */
function allOf(plan: Plan): readonly PlannedEffect[] {
  const status = statusOf(plan, []);
  return [...plan.groups.flat(), ...(status === undefined ? [] : [status])];
}

type ControllerRun = {
  readonly controller: AnyController;
  readonly queue: Map<string, { readonly key: ObjectReference; readonly dueAt: number }>;
  readonly expectations: Expectations;
};

function describe(effect: PlannedEffect): string {
  if (effect.type === 'event')
    return `event ${effect.reason} on ${keyOf(effect.regarding.metadata)}: ${effect.message}`;
  if (effect.type === 'evict') return `evict ${keyOf(effect.reference)}`;
  const { type, resource } = effect;
  const { name = '', namespace } =
    'reference' in effect ? effect.reference : (metadataOf(effect.object) as ObjectReference);
  const subresource = 'subresource' in effect ? `/${effect.subresource}` : '';
  const what = 'patch' in effect ? ` ${JSON.stringify(effect.patch)}` : '';
  return `${type} ${resource.plural}${subresource} ${keyOf({ name, namespace })}${what}`;
}
