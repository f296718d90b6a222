// Several answering threads on one port. A thread that ends is replaced; one that hangs is ended and replaced.

import type { SecureContextOptions } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../component/logger.ts';
import type { Denial } from '../../evaluator/denial.ts';
import type { SourceChange } from '../change.ts';
import { Counters } from '../metrics/counters.ts';
import type { DecisionMetric } from '../metrics/rows.ts';
import type { Servers, WorkerInput, WorkerOrder, WorkerReport } from './threads.ts';
import { BEAT_MS, WORKER_ENTRY } from './worker.ts';

export type PoolOptions = {
  count: number;
  input: Omit<WorkerInput, 'sluiceGatewayWorker' | 'objects' | 'isLoaded' | 'secrets' | 'counters' | 'beats' | 'paths'>;
  paths: number;
  /** Do these objects suffice for answers? Else `loaded` says when. */
  isLoaded: boolean;
  /** The objects of now, for a thread that starts later. */
  objects: () => readonly SourceChange[];
  secrets: () => SecureContextOptions;
  logger: Logger;
  restarted: () => void;
  /** Told of every denial. */
  denied: (denial: Denial) => void;
  /** Told what threads count of their decisions. */
  decided: (metric: DecisionMetric, ...labels: string[]) => void;
  /** Milliseconds of a clock that nobody sets. */
  monotonic: () => number;
  /** A thread that does not show life for so long hangs. */
  hangMs: number;
};

/** A thread that ends sooner than this is not replaced at once. */
const SETTLED_MS = 1000;

type Thread = {
  isListening: boolean;
  worker: Worker;
  counters: Counters;
  beats: Int32Array;
  seen: number;
  seenAt: number;
  startedAt: number;
};

export class WorkerPool implements Servers {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** The counts of threads that have ended. */
  readonly #past: Counters;
  #port: number;
  #closing = false;
  #isLoaded: boolean;
  #watchdog: NodeJS.Timeout | undefined;

  private constructor(options: PoolOptions) {
    this.#options = options;
    this.#isLoaded = options.isLoaded;
    this.#past = new Counters(options.paths);
    this.#port = options.input.port;
  }

  /** Starts all threads and resolves when they listen; the first one chooses the port if it is 0. */
  static async start(options: PoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    pool.#port = await pool.#start();
    await Promise.all(Array.from({ length: options.count - 1 }, () => pool.#start()));
    pool.#watchdog = setInterval(() => pool.#endHanging(), BEAT_MS).unref();
    return pool;
  }

  get port(): number {
    return this.#port;
  }

  get running(): number {
    return [...this.#threads].filter((thread) => thread.isListening).length;
  }

  loaded(): void {
    this.#isLoaded = true;
    this.#order({ order: 'loaded' });
  }

  change(change: SourceChange): void {
    this.#order({ order: 'change', change });
  }

  renew(secrets: SecureContextOptions): void {
    this.#order({ order: 'renew', secrets });
  }

  drain(): void {
    this.#order({ order: 'drain' });
  }

  async close(limitMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#watchdog);
    const closed = [...this.#threads].map(({ worker }) => hasClosed(worker));
    this.#order({ order: 'close', limitMs });
    await Promise.all(closed);
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  counters(): readonly Counters[] {
    return [this.#past, ...[...this.#threads].map((thread) => thread.counters)];
  }

  #order(order: WorkerOrder): void {
    for (const { worker } of this.#threads) worker.postMessage(order);
  }

  /** Starts a thread; resolves with its port, rejects when it ends before it listens. */
  #start(): Promise<number> {
    const { input, paths, objects, secrets } = this.#options;
    const counters = new Counters(paths);
    const beats = new SharedArrayBuffer(4);
    const workerData: WorkerInput = {
      ...input,
      sluiceGatewayWorker: true,
      port: this.#port,
      objects: objects(),
      isLoaded: this.#isLoaded,
      secrets: secrets(),
      paths,
      counters: counters.memory,
      beats,
    };
    const worker = new Worker(WORKER_ENTRY, { workerData });
    const now = this.#options.monotonic();
    const thread: Thread = {
      isListening: false,
      worker,
      counters,
      beats: new Int32Array(beats),
      seen: -1,
      seenAt: now,
      startedAt: now,
    };
    this.#threads.add(thread);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerReport) => {
        if (message.report === 'denied') this.#options.denied(message.denial);
        if (message.report === 'count') this.#options.decided(message.metric, ...message.labels);
        if (message.report !== 'listening') return;
        thread.isListening = true;
        resolve(message.port);
      });
      worker.on('error', (error) => {
        const { name = 'error', code } = error as NodeJS.ErrnoException;
        this.#options.logger.error({ error: name, code }, 'worker failed');
        reject(error);
      });
      worker.on('exit', () => {
        reject(new Error('the worker ended before it listened'));
        this.#ended(thread);
      });
    });
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    this.#past.absorb(thread.counters);
    // Before the watchdog runs the pool is still starting: then a thread that ends is an error of the start.
    if (this.#closing || this.#watchdog === undefined) return;
    this.#options.restarted();
    const lived = this.#options.monotonic() - thread.startedAt;
    setTimeout(() => this.#replace(), lived < SETTLED_MS ? SETTLED_MS : 0).unref();
  }

  #replace(): void {
    if (this.#closing) return;
    this.#options.logger.warn({}, 'worker replaced');
    this.#start().catch((error: Error) => this.#options.logger.error({ error: error.message }, 'worker did not start'));
  }

  #endHanging(): void {
    const now = this.#options.monotonic();
    for (const thread of this.#threads) {
      const beat = Atomics.load(thread.beats, 0);
      if (beat !== thread.seen) {
        thread.seen = beat;
        thread.seenAt = now;
      } else if (now - thread.seenAt > this.#options.hangMs) {
        this.#options.logger.error({ silentMs: Math.round(now - thread.seenAt) }, 'worker hangs and is ended');
        thread.seenAt = Number.POSITIVE_INFINITY;
        void thread.worker.terminate();
      }
    }
  }
}

function hasClosed(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.on('message', (message: WorkerReport) => {
      if (message.report === 'closed') resolve();
    });
    worker.on('exit', () => resolve());
  });
}
