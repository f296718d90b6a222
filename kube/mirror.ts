// Keeps the objects of one resource in memory as the API server has them: a list in pages, then a watch that is taken up
// where it ended. What was read stays readable while the API server cannot be reached or is listed again.

import { StatusError } from '../component/errors.ts';
import { compareVersions, FrameError, LineCutter, readEvent, type WatchEvent } from './frames.ts';
import type { MirrorCounts, MirrorOptions, MirrorTimes } from './mirror-options.ts';
import { type KubeObject, keyOf, type ObjectReference, withoutManagedFields } from './objects.ts';
import { CONTROLLER_INDEX, controllerKeys, NotSyncedError } from './reader.ts';
import type { Resource } from './resource.ts';
import { Store, type StoredChange } from './store.ts';
import { pause } from './waiting.ts';
import { errorOf, isExpired, isRefusal, SilenceError } from './watch-errors.ts';

// A watch is shorter than the API server's own: each end brings a bookmark, so that one which brings nothing within the
// limit of silence (a minute is allowed for) is known to be broken.
const TIMES: MirrorTimes = { watchMs: 45_000, silenceMs: 55_000, leastWaitMs: 1000, mostWaitMs: 15_000 };
const PAGE = 500;
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
  readonly #waiting = new Set<() => void>();
  /** Objects that cannot be read, by their names, with the reason. */
  #leftOut = new Map<string, string>();
  /** What was seen last; a watch goes on from here. */
  #version = '';
  #mustList = true;
  #synced = false;
  #problem: string | undefined = 'not read yet';
  #absent = false;
  #heardAt: number;
  #listedAt = Number.NEGATIVE_INFINITY;
  #failuresInARow = 0;
  #damagedInARow = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.resource = options.resource;
    this.#times = { ...TIMES, ...options.times };
    const { indexes = {}, trim = (object) => object } = options;
    const all = { ...indexes, [CONTROLLER_INDEX]: controllerKeys };
    this.#store = new Store(all, (object) => withoutManagedFields(trim(object)));
    this.#heardAt = options.monotonic();
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
    return this.#leftOut.size;
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
    while (!this.#synced && !this.#absent) await this.#nextStep(signal);
  }

  /** Resolves once everything was read. Rejects with the signal's reason. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    while (!this.#synced) await this.#nextStep(signal);
  }

  /** Follows the API server until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#mustList) await this.#load(signal);
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        await pause(this.#failed(error), signal);
      }
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    let paged = true;
    for (;;) {
      await pause(this.#listedAt + this.#times.leastWaitMs - this.#options.monotonic(), signal);
      this.#listedAt = this.#options.monotonic();
      this.counts.lists++;
      const replacement = this.#store.replace();
      const leftOut = new Map<string, string>();
      const add = (objects: readonly KubeObject[]) =>
        replacement.add(objects.flatMap((object) => this.#readable(object, leftOut) ?? []));
      try {
        const version = await this.#readPages(add, paged, signal);
        this.#leftOut = leftOut;
        this.#listed(version, replacement.finish());
        return;
      } catch (error) {
        // Pages are kept for some minutes only: what takes longer has to come in one piece.
        if (!paged || !isExpired(error)) throw error;
        this.counts.expirations++;
        paged = false;
      }
    }
  }

  async #readPages(
    add: (objects: readonly KubeObject[]) => void,
    paged: boolean,
    signal: AbortSignal,
  ): Promise<string> {
    const { client, resource, selection } = this.#options;
    const read = (next: string | undefined) => {
      const page = { ...(paged ? { limit: PAGE } : {}), ...(next === undefined ? {} : { continue: next }) };
      const list = client.list(resource, { ...selection, ...page, signal });
      // It is waited for a little later, or not at all any more.
      list.catch(() => undefined);
      return list;
    };
    for (let reading = read(undefined); ; ) {
      const { metadata, items } = await reading;
      this.#heard();
      const next = metadata.continue;
      // The next page is on its way while this one is taken over.
      if (next) reading = read(next);
      for (let at = 0; at < items.length; at += TURN) {
        add(items.slice(at, at + TURN));
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      if (next) continue;
      if (!metadata.resourceVersion) throw new FrameError('a list without resourceVersion');
      return metadata.resourceVersion;
    }
  }

  #listed(version: string, changes: readonly StoredChange[]): void {
    this.#version = version;
    this.#mustList = false;
    this.#synced = true;
    this.#absent = false;
    this.#works();
    for (const change of changes) this.#tell(change);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client, resource, selection, random, monotonic } = this.#options;
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
      }
      signal.throwIfAborted();
      ending.signal.throwIfAborted();
      if (cutter.unfinished) throw new FrameError('a watch that ended within an event');
      // One that ends at once and empty is no success, or it would be asked for again and again.
      if (lines === 0 && monotonic() - startedAt < this.#times.leastWaitMs) throw new Error('the watch ended at once');
      this.#works();
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
    this.#works();
    for (const change of changes) this.#tell(change);
  }

  #changesBy(type: WatchEvent['type'], object: KubeObject): readonly StoredChange[] {
    if (type === 'DELETED') {
      this.#leftOut.delete(keyOf(object.metadata));
      return this.#store.remove(object);
    }
    const read = this.#readable(object, this.#leftOut);
    return read === undefined ? this.#store.drop(object.metadata) : this.#store.put(read);
  }

  // Undefined for one that is left out.
  #readable(object: KubeObject, leftOut: Map<string, string>): KubeObject | undefined {
    const { read = (one: KubeObject) => one, onLeftOut, logger } = this.#options;
    const key = keyOf(object.metadata);
    const result = read(object);
    if (typeof result !== 'string') {
      leftOut.delete(key);
      return result;
    }
    const isTold = this.#leftOut.get(key) === result;
    leftOut.set(key, result);
    if (isTold) return undefined;
    logger.error(
      { resource: this.resource.plural, object: key, reason: result },
      'an object cannot be read, and is left out',
    );
    onLeftOut?.(object, result);
    return undefined;
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
    this.#failuresInARow++;
    this.counts.failures++;
    let reason = error instanceof Error ? error.message : String(error);
    if (error instanceof SilenceError) {
      this.counts.silences++;
      // Nothing is wrong with the API server as far as is known.
      this.#failuresInARow = 1;
    } else if (isExpired(error)) {
      this.counts.expirations++;
      this.#mustList = true;
    } else if (error instanceof FrameError) {
      this.counts.damagedFrames++;
      if (++this.#damagedInARow >= DAMAGED_MOST) this.#mustList = true;
    } else if (error instanceof StatusError && error.code === 404) {
      this.#absent = !this.#synced;
      this.#mustList = true;
      reason = 'the API server has no such resource';
    }
    // One that is repaired at once is no problem of anyone.
    if (!this.#synced || this.#failuresInARow > 1 || isRefusal(error)) this.#hasProblem(reason);
    const { leastWaitMs, mostWaitMs } = this.#times;
    const wanted = Math.min(leastWaitMs * 2 ** (this.#failuresInARow - 1), mostWaitMs);
    return wanted * (0.5 + 0.5 * this.#options.random());
  }

  #hasProblem(reason: string): void {
    if (this.#problem !== reason) {
      const { plural, group } = this.resource;
      this.#options.logger.warn({ resource: plural, group, reason }, 'a mirror does not follow the API server');
      if (this.#synced) this.#options.onProblem?.(this.resource, reason);
    }
    this.#problem = reason;
    this.#wake();
  }

  #works(): void {
    this.#failuresInARow = 0;
    this.#damagedInARow = 0;
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#wake();
  }

  #heard(): void {
    this.#heardAt = this.#options.monotonic();
  }

  #requireSynced(): void {
    if (!this.#synced && !this.#absent) throw new NotSyncedError(`${this.resource.plural} are not read yet`);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #nextStep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#waiting.delete(woken);
        signal.removeEventListener('abort', aborted);
        settle();
      };
      const woken = end(resolve);
      const aborted = end(() => reject(signal.reason));
      this.#waiting.add(woken);
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
