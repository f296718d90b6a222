// One controller at work: changes become keys, and each key in its turn is looked at, planned for and acted on. What a
// controller wants is in its plan; when it is asked again is decided here.

import { ConnectionError, RetryError, StatusError, TerminalError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { applyPlan, type Outcome } from '../../kube/effects.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { EventRecorder } from '../../kube/events.ts';
import { keyOf, type ObjectReference } from '../../kube/objects.ts';
import type { Plan } from '../../kube/plan.ts';
import { type QueueOptions, WorkQueue } from '../../kube/queue.ts';
import { NotSyncedError, type Reader } from '../../kube/reader.ts';
import { PODS, type Resource } from '../../kube/resource.ts';
import { lacksRight } from '../../kube/rights.ts';
import { EVENTS } from '../events.ts';
import type { Change, Controller, Watch } from './controller.ts';
import { type Expectation, Expectations, type Unmet, type View } from './expectations.ts';
import { type ReadLive, withLookups } from './lookups.ts';
import { type Observed, ReconcileCounts, type Result } from './metrics.ts';
import { inTurns } from './turns.ts';

export type ReconcilerOptions = {
  readonly controller: Controller<unknown>;
  /** Keys that are reconciled at once. */
  readonly workers: number;
  /** What is read, and how far it has come. */
  readonly mirrors: Reader & View;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly readLive: ReadLive;
  readonly queue: QueueOptions;
  /** How long a write may stay unseen in a mirror that follows. */
  readonly expectationTimeoutMs: number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
};

/** The wait for a mirror to show a write: short at first, for it is nearly always there. */
const UNSEEN_MS = 20;
const UNSEEN_MOST_MS = 1000;
const UNSYNCED_MS = 1000;
/** The longest wait while a right is missing: once it is given, things are right within a minute. */
const NO_RIGHT_MOST_MS = 30_000;
/** What the API server refused so many times in a row is told as an Event on the object: the first ones may pass by themselves. */
const TOLD_FROM = 8;

export class Reconciler implements Observed {
  readonly name: string;
  readonly workers: number;
  readonly counts: ReconcileCounts;
  readonly queue: WorkQueue;
  readonly #options: ReconcilerOptions;
  readonly #expectations: Expectations;
  /** Resources of which it is not known whether a write for the key was done. */
  readonly #unsure = new Map<string, Set<Resource>>();
  /** Keys whose last reconcile failed in a way that was told. */
  readonly #failing = new Set<string>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.name = options.controller.name;
    this.workers = options.workers;
    this.counts = new ReconcileCounts(this.name);
    this.queue = new WorkQueue(options.queue);
    this.#expectations = new Expectations(options.mirrors);
  }

  /** Queues whom a change concerns. Never throws. */
  changed(watch: Watch, change: Change): void {
    try {
      for (const reference of watch.keys(change, this.#options.mirrors)) this.queue.add(keyOf(reference));
    } catch (error) {
      this.#panicked(error, 'a change could not be assigned');
    }
  }

  /** Reconciles until `stop` is aborted and what runs then has ended; `abandon` breaks that off too. */
  async run(stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: this.workers }, () => this.#work(stop, abandon)));
    this.queue.stop();
  }

  async #work(stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    for (let id = await this.queue.take(stop); id !== undefined; id = await this.queue.take(stop)) {
      const startedAt = this.#monotonic();
      const result = await this.#reconcile(id, abandon);
      if (result !== undefined) {
        this.counts.results[result]++;
        this.counts.seconds.observe((this.#monotonic() - startedAt) / 1000);
      }
      this.queue.done(id);
    }
  }

  // Ages are counted by the clock that nobody sets.
  #monotonic(): number {
    return this.#options.queue.monotonic();
  }

  // Undefined if it was not the time for it yet.
  async #reconcile(id: string, signal: AbortSignal): Promise<Result | undefined> {
    try {
      await this.#makeSure(id, signal);
      const unmet = this.#expectations.unmet(id);
      if (unmet !== undefined && !this.#hasLeaked(id, unmet)) {
        const waitedMs = this.#monotonic() - unmet.sinceMs;
        this.queue.addAfter(id, Math.min(Math.max(waitedMs, UNSEEN_MS), UNSEEN_MOST_MS));
        return undefined;
      }
      const plan = await this.#plan(id, signal);
      if (plan === undefined) return this.#finished(id, undefined);
      const { client, events } = this.#options;
      const outcome = await applyPlan(plan, { client, events, signal });
      this.#expect(id, outcome);
      if (outcome.error !== undefined) return this.#failed(id, outcome.error);
      return this.#finished(id, plan.requeueAfterMs);
    } catch (error) {
      if (signal.aborted) return undefined;
      return this.#failed(id, error);
    }
  }

  async #plan(id: string, signal: AbortSignal): Promise<Plan | undefined> {
    const { controller, mirrors, readLive, now } = this.#options;
    const key = referenceOf(id);
    if (controller.prepare !== undefined) {
      await inTurns(controller.prepare(mirrors, key), () => this.#monotonic(), signal);
    }
    const state = await withLookups((lookUp) => controller.fetch(mirrors, key, lookUp), readLive, signal);
    return state === undefined ? undefined : controller.plan(state, now());
  }

  #finished(id: string, requeueAfterMs: number | undefined): Result {
    this.queue.forget(id);
    if (this.#failing.delete(id)) {
      this.#options.logger.info({ object: id, controller: this.name }, 'a reconcile works again');
    }
    if (requeueAfterMs === undefined) return 'success';
    this.queue.addAfter(id, requeueAfterMs);
    return 'requeue_after';
  }

  #failed(id: string, error: unknown): Result {
    const object = { object: id, controller: this.name };
    if (error instanceof NotSyncedError) {
      this.queue.addAfter(id, UNSYNCED_MS);
      return 'requeue_after';
    }
    if (error instanceof RetryError) {
      this.#options.logger.debug({ ...object, reason: error.message }, 'a reconcile has to be repeated');
      if (error.afterMs === undefined) this.queue.retry(id);
      else this.queue.addAfter(id, error.afterMs);
      return error.afterMs === undefined ? 'requeue' : 'requeue_after';
    }
    this.counts.errors++;
    this.#failing.add(id);
    if (error instanceof TerminalError) {
      this.counts.terminal++;
      this.queue.forget(id);
      this.#options.logger.error({ ...object, reason: error.message }, 'a reconcile failed for good');
      return 'error';
    }
    if (error instanceof StatusError || error instanceof ConnectionError) {
      this.#options.logger.warn({ ...object, reason: error.message }, 'a reconcile failed');
    } else this.#panicked(error, 'a reconcile failed unexpectedly', object);
    this.queue.retry(id, lacksRight(error) ? NO_RIGHT_MOST_MS : undefined);
    if (error instanceof StatusError) this.#tellRefusal(id, error);
    return 'error';
  }

  // On the object that the controller is about, which is the first that it watches.
  #tellRefusal(id: string, { message }: StatusError): void {
    const { controller, mirrors, events } = this.#options;
    const [main] = controller.watches;
    if (main === undefined || this.queue.failuresOf(id) < TOLD_FROM) return;
    const regarding = mirrors.get(main.resource, referenceOf(id));
    if (regarding !== undefined) events.record(eventOf(EVENTS.reconcileFailed, regarding, message));
  }

  #panicked(error: unknown, message: string, keys: Readonly<Record<string, string>> = {}): void {
    this.counts.panics++;
    this.#options.logger.error({ err: error, controller: this.name, ...keys }, message);
  }

  #expect(id: string, { changes, failures }: Outcome): void {
    const expectations = changes.flatMap(({ type, resource, reference, uid, resourceVersion }): Expectation[] => {
      if (type === 'deleted') return [{ type: 'gone', resource, reference, uid }];
      return resourceVersion === undefined ? [] : [{ type: 'seen', resource, resourceVersion }];
    });
    this.#expectations.expect(id, expectations, this.#monotonic());
    for (const { effect, error } of failures) {
      if (!isUnsure(error) || effect.type === 'event') continue;
      const resource = effect.type === 'evict' ? PODS : effect.resource;
      this.#unsure.set(id, (this.#unsure.get(id) ?? new Set()).add(resource));
    }
  }

  // A write that got no answer may have been done: nothing is planned before the mirror is as new as the API server is now.
  async #makeSure(id: string, signal: AbortSignal): Promise<void> {
    const resources = this.#unsure.get(id);
    if (resources === undefined) return;
    const { mirrors, client } = this.#options;
    for (const resource of resources) {
      if (mirrors.follows(resource)) {
        const { metadata } = await client.list(resource, { limit: 1, metadataOnly: true, signal });
        const { resourceVersion } = metadata;
        this.#expectations.expect(id, [{ type: 'seen', resource, resourceVersion }], this.#monotonic());
      }
      resources.delete(resource);
    }
    this.#unsure.delete(id);
  }

  // What a mirror that follows has not shown for so long will not come; what one that is behind has not is waited for.
  #hasLeaked(id: string, { expectation, sinceMs }: Unmet): boolean {
    const { expectationTimeoutMs, mirrors, logger } = this.#options;
    if (this.#monotonic() - sinceMs < expectationTimeoutMs || mirrors.isBehind(expectation.resource)) return false;
    this.counts.leaks++;
    const { type, resource } = expectation;
    logger.warn({ controller: this.name, object: id, type, resource: resource.plural }, 'a write was never seen');
    this.#expectations.forget(id);
    return true;
  }
}

function isUnsure(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.sent;
  return error instanceof StatusError && error.code >= 500;
}

function referenceOf(id: string): ObjectReference {
  const slash = id.indexOf('/');
  return slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
