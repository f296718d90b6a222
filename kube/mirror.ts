// Keeps the objects of one resource in memory as the API server has them: a list in pages, then a watch that is taken up
// where it ended. What was read stays readable while the API server cannot be reached or is listed again.

import { StatusError } from '../component/errors.ts';
import { Trouble } from '../component/trouble.ts';
import { isConversionFailure } from './conversion-errors.ts';
import { Detours } from './detours.ts';
import { compareVersions, FrameError, LineCutter, readEvent, type WatchEvent } from './frames.ts';
import { Intake } from './intake.ts';
import type { Detour, MirrorCounts, MirrorOptions, MirrorTimes } from './mirror-options.ts';
import { listTurns, Waits } from './mirror-waits.ts';
import { type KubeObject, type ObjectReference, withoutManagedFields } from './objects.ts';
import { pagesOf, piecesOf, takeAll } from './pages.ts';
import { CONTROLLER_INDEX, controllerKeys, NotSyncedError, type Stored } from './reader.ts';
import type { Resource } from './resource.ts';
import { Store, type StoredChange } from './store.ts';
import { pause, Steps } from './waiting.ts';
import { errorOf, isExpired, isForbidden, isRefusal, SilenceError } from './watch-errors.ts';

// A watch is shorter than the API server's own: each end brings a bookmark, so that one which brings nothing within the
// limit of silence (a minute is allowed for) is known to be broken.
const TIMES: MirrorTimes = {
  watchMs: 45_000,
  silenceMs: 55_000,
  leastWaitMs: 1000,
  mostWaitMs: 8_000,
  pollMs: 15_000,
  returnMs: 300_000,
};
/** Objects that are packed or unpacked before others get their turn: some milliseconds. */
const TURN = 100;
/** Damaged streams in a row before everything is read again. */
const DAMAGED_MOST = 3;

export class Mirror {
  readonly resource: Resource;
  readonly counts: MirrorCounts = {
    lists: 0,
    watches: 0,
    events: 0,
    damagedFrames: 0,
    silences: 0,
    expirations: 0,
    failures: 0,
  };
  readonly #options: MirrorOptions;
  readonly #times: MirrorTimes;
  readonly #store: Store;
  readonly #listeners = new Set<(change: StoredChange) => void>();
  readonly #steps = new Steps();
  readonly #detours: Detours;
  readonly #trouble: Trouble;
  readonly #intake: Intake;
  readonly #waits: Waits;
  /** What was seen last; a watch goes on from here. */
  #version = '';
  #mustList = true;
  #synced = false;
  #problem: string | undefined = 'not read yet';
  #absent = false;
  #heardAt: number;
  #listedAt = Number.NEGATIVE_INFINITY;
  #damagedInARow = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.resource = options.resource;
    this.#times = { ...TIMES, ...options.times };
    const { indexes = {}, trim = (object) => object } = options;
    const all = { ...indexes, [CONTROLLER_INDEX]: controllerKeys };
    this.#store = new Store(all, (object) => withoutManagedFields(trim(object)));
    this.#heardAt = options.monotonic();
    this.#intake = new Intake(options);
    const { logger, monotonic, resource, random, turns = listTurns(monotonic) } = options;
    this.#waits = new Waits({ times: this.#times, random, turns });
    const told = { logger, monotonic, keys: { resource: resource.plural, group: resource.group } };
    this.#trouble = new Trouble({
      ...told,
      begins: 'a mirror does not follow the API server',
      ends: 'a mirror follows the API server again',
    });
    this.#detours = new Detours({ ...told, resource, returnMs: this.#times.returnMs });
  }

  /** True once everything was read; stays true. */
  get synced(): boolean {
    return this.#synced;
  }

  /** True while the API server has no such resource. */
  get absent(): boolean {
    return this.#absent;
  }

  /** Why the mirror does not follow the API server now; undefined if it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** How objects are read while the API server cannot convert all of them; undefined while it can. */
  get detour(): Detour | undefined {
    return this.#detours.current;
  }

  /** Milliseconds since the API server last said something. */
  get stalenessMs(): number {
    return Math.max(this.#options.monotonic() - this.#heardAt, 0);
  }

  /** The resourceVersion up to which everything was seen; empty before the first list. */
  get version(): string {
    return this.#version;
  }

  get size(): number {
    return this.#store.size;
  }

  /** How many objects are left out because they cannot be read. */
  get leftOut(): number {
    return this.#intake.leftOut;
  }

  /** True if what the mirror has is not older than this resourceVersion. */
  hasSeen(resourceVersion: string): boolean {
    // Versions that are no numbers cannot be waited for.
    return this.#synced && (compareVersions(this.#version, resourceVersion) ?? 0) >= 0;
  }

  /** Throws NotSyncedError before everything was read, unless there is no such resource. */
  get(reference: ObjectReference): KubeObject | undefined {
    this.#requireSynced();
    return this.#store.get(reference);
  }

  /** As `get`; all objects, or those of one namespace. */
  list(namespace?: string): readonly KubeObject[] {
    this.#requireSynced();
    return this.#store.list(namespace);
  }

  /** As `get`; what an index has under a key. */
  indexed(index: string, key: string): readonly KubeObject[] {
    this.#requireSynced();
    return this.#store.indexed(index, key);
  }

  /** As `indexed`, without reading any of them. */
  stored(index: string, key: string): readonly Stored[] {
    this.#requireSynced();
    return this.#store.stored(index, key);
  }

  /** How many they are. */
  count(index: string, key: string): number {
    this.#requireSynced();
    return this.#store.count(index, key);
  }

  /**
   * Calls the listener at each change, after it can be read. Returns how to stop that. Changes that nobody saw, because
   * the watch was broken meanwhile, come when everything was listed again.
   */
  onChange(listener: (change: StoredChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives all present objects to `visit` as if they had just come, some at a time. Rejects when the signal is aborted. */
  async replay(visit: (change: StoredChange) => void, signal: AbortSignal): Promise<void> {
    let turn = 0;
    for (const key of this.#store.keys()) {
      if (++turn % TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      const object = this.#store.at(key);
      if (object !== undefined) visit({ old: undefined, new: object });
    }
  }

  /** Resolves once everything was read, or it is known that there is no such resource. Rejects with the signal's reason. */
  async whenSettled(signal: AbortSignal): Promise<void> {
    while (!this.#synced && !this.#absent) await this.#steps.next(signal);
  }

  /** Resolves once everything was read. Rejects with the signal's reason. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    while (!this.#synced) await this.#steps.next(signal);
  }

  /** Follows the API server until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#mustList) {
          // What was never read is waited for.
          if (this.#synced) await pause(this.#waits.beforeList(), signal);
          await this.#load(signal);
        }
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        await pause(this.#failed(error), signal);
      }
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    const finish = await this.#detours.list((version) => this.#loadAs(version, signal));
    finish();
  }

  // What is to be done once it is known that this was the way.
  async #loadAs(version: Resource | undefined, signal: AbortSignal): Promise<() => void> {
    const { client, selection = {} } = this.#options;
    let paged = true;
    for (;;) {
      await pause(this.#listedAt + this.#times.leastWaitMs - this.#options.monotonic(), signal);
      signal.throwIfAborted();
      this.#listedAt = this.#options.monotonic();
      this.counts.lists++;
      const replacement = this.#store.replace();
      const intake = this.#intake.replace();
      const add = (objects: readonly KubeObject[]) =>
        replacement.add(objects.flatMap((object) => intake.take(object) ?? []));
      const options = { client, selection, signal };
      const pages =
        version === undefined ? piecesOf(this.#detours.versions, options) : pagesOf(version, { ...options, paged });
      try {
        const seen = await takeAll(pages, add, { signal, heard: () => this.#heard() });
        return () => {
          intake.finish();
          this.#listed(seen, replacement.finish());
        };
      } catch (error) {
        // Pages are kept for some minutes only: what takes longer has to come in one piece.
        if (!paged || version === undefined || !isExpired(error)) throw error;
        this.counts.expirations++;
        paged = false;
      }
    }
  }

  #listed(version: string, changes: readonly StoredChange[]): void {
    this.#version = version;
    this.#mustList = false;
    this.#synced = true;
    this.#absent = false;
    this.#waits.listed();
    this.#works();
    for (const change of changes) this.#tell(change);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { client, selection, random, monotonic } = this.#options;
    const resource = this.#detours.followed;
    if (resource === undefined) {
      await pause(this.#times.pollMs, signal);
      this.#mustList = true;
      return;
    }
    const ending = new AbortController();
    const stop = () => ending.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const silence = setTimeout(() => ending.abort(new SilenceError()), this.#times.silenceMs);
    const startedAt = monotonic();
    const timeoutSeconds = Math.max(Math.round((this.#times.watchMs * (0.8 + 0.2 * random())) / 1000), 1);
    this.counts.watches++;
    let lines = 0;
    try {
      const cutter = new LineCutter();
      const options = { ...selection, resourceVersion: this.#version, timeoutSeconds, signal: ending.signal };
      for await (const chunk of client.watch(resource, options)) {
        silence.refresh();
        for (const line of cutter.push(chunk)) {
          this.#take(readEvent(line));
          lines++;
        }
        // What kept it from its own version is gone.
        if (this.#mustList) return;
      }
      signal.throwIfAborted();
      ending.signal.throwIfAborted();
      if (cutter.unfinished) throw new FrameError('a watch that ended within an event');
      // One that ends at once and empty is no success, or it would be asked for again and again.
      if (lines === 0 && monotonic() - startedAt < this.#times.leastWaitMs) throw new Error('the watch ended at once');
      this.#waits.followed();
      this.#works();
      if (this.#detours.watched()) this.#mustList = true;
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      ending.abort();
    }
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') throw errorOf(object);
    const version = object.metadata.resourceVersion;
    const order = compareVersions(version, this.#version);
    if (order !== undefined && (type === 'BOOKMARK' ? order < 0 : order <= 0)) {
      throw new FrameError('an event that is older than the one before');
    }
    const changes = type === 'BOOKMARK' ? [] : this.#changesBy(type, object);
    this.#version = version;
    this.counts.events++;
    this.#heard();
    this.#waits.followed();
    this.#works();
    for (const change of changes) this.#tell(change);
  }

  #changesBy(type: WatchEvent['type'], object: KubeObject): readonly StoredChange[] {
    const isKept = this.detour !== undefined && this.#intake.hasUnconverted;
    const read = type === 'DELETED' ? this.#intake.takeLast(object) : this.#intake.take(object);
    if (isKept && !this.#intake.hasUnconverted) this.#mustList = true;
    if (read === undefined) return this.#store.drop(object.metadata);
    return type === 'DELETED' ? this.#store.remove(read) : this.#store.put(read);
  }

  #tell(change: StoredChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.logger.error({ err: error, resource: this.resource.plural }, 'a listener to changes failed');
      }
    }
  }

  // What went wrong decides from where the mirror goes on; returns how long to wait before.
  #failed(error: unknown): number {
    const waitMs = this.#waits.afterFailure(error);
    this.counts.failures++;
    let reason = error instanceof Error ? error.message : String(error);
    if (error instanceof SilenceError) {
      this.counts.silences++;
    } else if (isExpired(error)) {
      this.counts.expirations++;
      this.#mustList = true;
    } else if (error instanceof FrameError) {
      this.counts.damagedFrames++;
      if (++this.#damagedInARow >= DAMAGED_MOST) this.#mustList = true;
    } else if (isConversionFailure(error)) {
      // Another version may do, or pieces.
      this.#mustList = true;
    } else if (error instanceof StatusError && error.code === 404) {
      this.#absent = !this.#synced;
      this.#mustList = true;
      reason = 'the API server has no such resource';
    }
    // One that is repaired at once is no problem of anyone.
    if (!this.#synced || this.#waits.failures > 1 || isRefusal(error)) {
      // What is not there yet is waited for, but a right that is missing has to be given by somebody.
      this.#hasProblem(reason, this.#synced || isForbidden(error));
    }
    return waitMs;
  }

  #hasProblem(reason: string, isTold: boolean): void {
    this.#trouble.begin(reason);
    if (this.#problem !== reason && isTold) this.#options.onProblem?.(this.resource, reason);
    this.#problem = reason;
    this.#steps.wake();
  }

  #works(): void {
    this.#damagedInARow = 0;
    this.#trouble.end();
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#steps.wake();
  }

  #heard(): void {
    this.#heardAt = this.#options.monotonic();
  }

  #requireSynced(): void {
    if (!this.#synced && !this.#absent) throw new NotSyncedError(`${this.resource.plural} are not read yet`);
  }
}
