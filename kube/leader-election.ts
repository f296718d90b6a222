// One of several processes leads: the one that holds a Lease and renews it. Times are counted by this process's own clock
// from what it saw, never compared with the times that others wrote.

import type { JsonObject } from '../api/core/json.ts';
import { StatusError } from '../component/errors.ts';
import type { Logger } from '../component/logger.ts';
import type { Client } from './client.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import { LEASES } from './resource.ts';
import { pause, untilAborted } from './waiting.ts';

export type ElectionOptions = {
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly lease: ObjectReference;
  /** Tells this process from all others. */
  readonly identity: string;
  /** Others wait this long for a sign of life of who leads. */
  readonly leaseMs: number;
  /** Who leads stops when it could not renew for this long; less than `leaseMs`. */
  readonly renewMs: number;
  /** Between two tries. */
  readonly retryMs: number;
  /** Unix time in milliseconds, for what people read in the Lease. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly logger: Logger;
  /** Called with the Lease when this process begins and ends to lead. */
  readonly onEvent?: (lease: KubeObject, message: string) => void;
};

type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};

type Request = { readonly signal?: AbortSignal; readonly timeoutMs: number };

/** How leading ended: as asked, or because the Lease could not be renewed or is another's. */
export type ElectionEnd = 'stopped' | 'lost';

export class LeaderElection {
  readonly #options: ElectionOptions;
  #lease: KubeObject | undefined;
  /** What the Lease said when it last changed, and when that was seen. */
  #observed = '';
  #observedAt = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #leading = false;
  /** Has this process ever asked for the Lease? */
  #mayHold = false;
  #problem: string | undefined;
  /** Who was last logged as leading in place of this process. */
  #awaited: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  /** Why the Lease can be neither taken nor renewed; undefined also while another holds it. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** As it was written last; undefined before this process was elected. */
  get lease(): KubeObject | undefined {
    return this.#lease;
  }

  /** True while this process may act: it was elected and has renewed in time. False at once in a process that slept. */
  get isLeading(): boolean {
    return this.#leading && this.#options.monotonic() - this.#renewedAt < this.#options.renewMs;
  }

  /**
   * Waits to be elected, unless `signal` is aborted before, then calls `lead` and renews until that has ended; the Lease is
   * given back then. When it is lost, the signal given to `lead` is aborted, and `lead` is not waited for.
   */
  async run(signal: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<ElectionEnd> {
    while (!(await this.#acquire(signal))) {
      await pause(this.#options.retryMs * (1 + 0.2 * this.#options.random()), signal);
      if (!signal.aborted) continue;
      // What was being written when it was told to stop may have been taken.
      if (this.#mayHold) await this.#release();
      return 'stopped';
    }
    this.#leading = true;
    this.#announce('became leader');
    const lost = new AbortController();
    const renewing = new AbortController();
    const losing = this.#renew(renewing.signal).then(() => {
      if (renewing.signal.aborted) return;
      this.#leading = false;
      lost.abort(new Error('the lease is lost'));
    });
    try {
      await Promise.race([lead(lost.signal), untilAborted(lost.signal)]);
    } finally {
      renewing.abort();
      await losing;
      if (lost.signal.aborted) this.#announce('stopped leading');
      else await this.#release();
    }
    return lost.signal.aborted ? 'lost' : 'stopped';
  }

  // True once the Lease is held. Errors are tried again: without the API server nobody leads.
  async #acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    try {
      return await this.#tryOnce({ signal, timeoutMs: this.#options.renewMs / 2 });
    } catch (error) {
      if (!signal.aborted) this.#failed(error, 'the lease cannot be taken');
      return false;
    }
  }

  // Resolves when the Lease is lost, or renewing is not wanted any more.
  async #renew(signal: AbortSignal): Promise<void> {
    const { retryMs, renewMs, monotonic } = this.#options;
    while (!signal.aborted) {
      await pause(retryMs, signal);
      const leftMs = this.#renewedAt + renewMs - monotonic();
      if (signal.aborted || leftMs <= 0) return;
      // A try that hangs must not outlast the time to give up.
      const timeoutMs = Math.min(leftMs, renewMs / 2);
      try {
        if (!(await this.#tryOnce({ signal, timeoutMs }))) return;
      } catch (error) {
        if (!signal.aborted) this.#failed(error, 'the lease is not renewed');
      }
    }
  }

  // Takes or renews the Lease if it is free or ours; false if another holds it.
  async #tryOnce(request: Request): Promise<boolean> {
    // Counted from before the request: others may see it from then on.
    const startedAt = this.#options.monotonic();
    const known = this.#leading ? this.#lease : undefined;
    const renewed = known === undefined ? undefined : await this.#write(known, request).catch(onlyIfChanged);
    const present = renewed ?? (await this.#read(request));
    if (renewed === undefined) {
      const { holderIdentity } = specOf(present);
      this.#recovered();
      if (holderIdentity !== this.#options.identity && !this.#isFree(specOf(present))) {
        if (!this.#leading) this.#standBy(holderIdentity);
        return false;
      }
    }
    this.#lease = renewed ?? (await this.#write(present, request));
    this.#renewedAt = startedAt;
    this.#recovered();
    this.#observe(specOf(this.#lease));
    return true;
  }

  #write(present: KubeObject | undefined, request: Request): Promise<KubeObject> {
    this.#mayHold = true;
    const { client, lease, identity, leaseMs, now } = this.#options;
    const time = microTime(now());
    const { holderIdentity, acquireTime = time, leaseTransitions = 0, ...rest } = specOf(present);
    const isOurs = holderIdentity === identity;
    const spec = {
      ...rest,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      renewTime: time,
      acquireTime: isOurs ? acquireTime : time,
      leaseTransitions: isOurs || present === undefined ? leaseTransitions : leaseTransitions + 1,
    };
    if (present !== undefined) return client.update(LEASES, { ...present, spec } as unknown as JsonObject, request);
    const metadata = { name: lease.name, namespace: lease.namespace ?? '' };
    return client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, request);
  }

  async #read(request: Request): Promise<KubeObject | undefined> {
    try {
      const lease = await this.#options.client.get(LEASES, this.#options.lease, request);
      this.#observe(specOf(lease));
      return lease;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  #observe(spec: LeaseSpec): void {
    const text = JSON.stringify(spec);
    if (text === this.#observed) return;
    this.#observed = text;
    this.#observedAt = this.#options.monotonic();
  }

  // The holder has its own duration, and it counts from when its last sign of life was seen here.
  #isFree({ holderIdentity, leaseDurationSeconds }: LeaseSpec): boolean {
    if (holderIdentity === undefined || holderIdentity === '') return true;
    const durationMs = leaseDurationSeconds === undefined ? this.#options.leaseMs : leaseDurationSeconds * 1000;
    return this.#options.monotonic() - this.#observedAt >= durationMs;
  }

  // Given back, so that the next need not wait. If that fails, it waits.
  async #release(): Promise<void> {
    const { client, identity, logger, renewMs, now } = this.#options;
    this.#leading = false;
    const request = { timeoutMs: renewMs / 2 };
    try {
      const present = await this.#read(request);
      const spec = specOf(present);
      if (present === undefined || spec.holderIdentity !== identity) return;
      const time = microTime(now());
      const free = { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time };
      await client.update(LEASES, { ...present, spec: free } as unknown as JsonObject, request);
      this.#announce('stopped leading');
    } catch (error) {
      logger.warn({ err: error, ...this.#key() }, 'the lease is not given back');
    }
  }

  #recovered(): void {
    if (this.#problem !== undefined) this.#options.logger.info(this.#key(), 'the lease is read and written again');
    this.#problem = undefined;
  }

  #failed(error: unknown, message: string): void {
    this.#problem = error instanceof Error ? error.message : String(error);
    this.#options.logger.warn({ reason: this.#problem, ...this.#key() }, message);
  }

  // Once for each holder: whoever watches a process that does nothing wants to know why.
  #standBy(holder: string | undefined): void {
    if (holder === this.#awaited) return;
    this.#awaited = holder;
    this.#options.logger.info({ holder, ...this.#key() }, 'waiting: another process leads');
  }

  #announce(what: string): void {
    const { identity, logger, onEvent } = this.#options;
    logger.info({ identity, ...this.#key() }, what);
    if (this.#lease !== undefined) onEvent?.(this.#lease, `${identity} ${what}`);
  }

  #key() {
    const { namespace, name } = this.#options.lease;
    return { lease: `${namespace}/${name}` };
  }
}

function specOf(lease: KubeObject | undefined): LeaseSpec {
  return (lease?.spec ?? {}) as LeaseSpec;
}

function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}

// The Lease is another one than was written last: it has to be read.
function onlyIfChanged(error: unknown): undefined {
  if (error instanceof StatusError && (error.code === 409 || error.code === 404)) return undefined;
  throw error;
}
