// When mirrors ask again, by a clock that tests turn: one that lost its place is back soon, and hundreds do not come at the
// same moment when an API server starts again, forgets, or has too much to do (F08, F09, F12).

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, StatusError } from '../../component/errors.ts';
import type { MirrorOptions } from '../../kube/mirror-options.ts';
import { listTurns, Waits } from '../../kube/mirror-waits.ts';
import { Mirrors } from '../../kube/mirrors.ts';
import type { Resource } from '../../kube/resource.ts';
import { SilenceError } from '../../kube/watch-errors.ts';
import { randomOf } from '../support/random.ts';
import { silentLogger } from '../support/silent-logger.ts';

const TIMES = { watchMs: 45_000, silenceMs: 55_000, leastWaitMs: 1000, mostWaitMs: 8000, pollMs: 15_000, returnMs: 0 };
const EXPIRED = new StatusError(410, 'Expired', 'too old resource version');
const REFUSED = new ConnectionError('connection refused', { sent: false });

function busy(retryAfterSeconds: number): StatusError {
  return new StatusError(429, 'TooManyRequests', 'too many requests', { details: { retryAfterSeconds } });
}

describe('a mirror waits', () => {
  const waits = (random: number) => new Waits({ times: TIMES, random: () => random, turns: listTurns(() => 0) });

  it.each([
    [0, [500, 1000, 2000, 4000, 4000]],
    [1, [1000, 2000, 4000, 8000, 8000]],
  ])('after failures longer and longer, drawn at %s of half of it', (random, expected) => {
    const own = waits(random);
    expect(expected.map(() => own.afterFailure(REFUSED))).toEqual(expected);
    own.listed();
    expect(own.afterFailure(REFUSED)).toBe(expected[0]);
  });

  it('not at all when a version is too old, also after failures, unless the next one is so too', () => {
    const own = waits(0);
    for (let i = 0; i < 5; i++) own.afterFailure(REFUSED);
    expect(own.afterFailure(EXPIRED)).toBe(0);
    own.listed();
    expect([own.afterFailure(EXPIRED), own.afterFailure(EXPIRED)]).toEqual([500, 1000]);
    own.followed();
    expect(own.afterFailure(EXPIRED)).toBe(0);
    expect(own.failures).toBe(0);
  });

  it('shortly after each silence: the API server has refused nothing', () => {
    const own = waits(1);
    expect([1, 2, 3].map(() => own.afterFailure(new SilenceError()))).toEqual([1000, 1000, 1000]);
  });

  it.each([
    [0, 5000],
    [1, 7500],
  ])('as long as the API server asks for, and up to a half longer: %s', (random, expected) => {
    expect(waits(random).afterFailure(busy(5))).toBe(expected);
  });

  it('no hour because somebody asks for one, and not less than after other failures', () => {
    expect(waits(0).afterFailure(busy(3600))).toBe(60_000);
    const own = waits(0);
    for (let i = 0; i < 5; i++) own.afterFailure(REFUSED);
    expect(own.afterFailure(busy(1))).toBe(4000);
  });

  it('for its turn to list when others do so too, and never long', () => {
    let now = 0;
    const turns = listTurns(() => now);
    const all = Array.from({ length: 40 }, () => new Waits({ times: TIMES, random: () => 1, turns }));
    const waited = all.map((own) => own.beforeList());
    expect(waited.slice(0, 5)).toEqual([0, 250, 500, 750, 1000]);
    expect(Math.max(...waited)).toBe(5000);
    now = 10_000;
    expect(all.map((own) => own.beforeList()).slice(0, 2)).toEqual([0, 250]);
  });
});

const KINDS = Array.from({ length: 20 }, (_, i): Resource => {
  return { group: 'example.io', version: 'v1', plural: `kind${i}`, kind: `Kind${i}`, namespaced: true };
});
const PROGRAMS = 3;

/** An API server that starts again, as mirrors see it. Nothing is in it. */
class Restarting {
  failure: Error | undefined;
  readonly asked: { at: number; who: string; what: 'list' | 'watch' }[] = [];
  #version = 100;
  #oldest = 0;
  readonly #watches = new Set<(error: unknown) => void>();

  client(program: number): MirrorOptions['client'] {
    const ask = (what: 'list' | 'watch', { plural }: Resource) => {
      this.asked.push({ at: performance.now(), who: `${program} ${plural}`, what });
      if (this.failure !== undefined) throw this.failure;
    };
    const watches = this.#watches;
    const isOld = (version: string) => Number(version) < this.#oldest;
    return {
      list: async (resource) => {
        ask('list', resource);
        return { metadata: { resourceVersion: String(this.#version) }, items: [] };
      },
      async *watch(resource, { resourceVersion, signal }) {
        ask('watch', resource);
        if (isOld(resourceVersion)) throw EXPIRED;
        const { promise, reject } = Promise.withResolvers<Uint8Array>();
        watches.add(reject);
        signal.addEventListener('abort', () => reject(signal.reason));
        try {
          yield await promise;
        } finally {
          watches.delete(reject);
        }
      },
    };
  }

  /** Ends all watches with this error. From now on all versions that anybody has are too old. */
  forget(error: Error): void {
    this.#oldest = ++this.#version;
    for (const end of [...this.#watches]) end(error);
  }

  get watched(): number {
    return this.#watches.size;
  }

  /** The most that began in any second, of all and of one mirror. */
  most(what: 'list' | 'watch'): { ofAll: number; ofOne: number } {
    const begun = this.asked.filter((one) => one.what === what);
    const ofAll = mostInASecond(begun);
    return { ofAll, ofOne: Math.max(...[...Map.groupBy(begun, ({ who }) => who).values()].map(mostInASecond)) };
  }
}

function mostInASecond(asked: readonly { at: number }[]): number {
  return Math.max(...asked.map(({ at }) => asked.filter((one) => one.at >= at && one.at < at + 1000).length));
}

describe('three programs with twenty mirrors each', () => {
  let server: Restarting;
  let ending: AbortController;
  let running: Promise<void>[];

  beforeEach(async () => {
    vi.useFakeTimers();
    server = new Restarting();
    ending = new AbortController();
    const monotonic = () => performance.now();
    const wanted = KINDS.map((resource) => ({ resource }));
    running = Array.from({ length: PROGRAMS }, (_, program) =>
      new Mirrors(wanted, {
        client: server.client(program),
        logger: silentLogger,
        random: randomOf(program + 1),
        monotonic,
      }).run(ending.signal),
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(server.watched).toBe(PROGRAMS * KINDS.length);
    server.asked.length = 0;
  });
  afterEach(async () => {
    try {
      ending.abort();
      await Promise.all(running);
    } finally {
      vi.useRealTimers();
    }
  });

  /** All follow again within ten seconds, and nobody has listed twice for it. */
  async function comeBack(): Promise<void> {
    await vi.advanceTimersByTimeAsync(9_900);
    expect(server.watched).toBe(PROGRAMS * KINDS.length);
    expect(server.asked.filter(({ what }) => what === 'list')).toHaveLength(PROGRAMS * KINDS.length);
  }

  it('list one after another when all versions expire at once, the first of them at once', async () => {
    server.forget(EXPIRED);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.asked.filter(({ what }) => what === 'list')).toHaveLength(PROGRAMS);
    await comeBack();
    expect(server.most('list').ofOne).toBe(1);
    expect(server.most('list').ofAll).toBeLessThanOrEqual(8 * PROGRAMS);
  });

  it('come back one after another when all connections break', async () => {
    server.forget(REFUSED);
    await vi.advanceTimersByTimeAsync(499);
    expect(server.asked).toEqual([]);
    await comeBack();
    expect(server.most('list').ofAll).toBeLessThanOrEqual(8 * PROGRAMS);
  });

  it('come back one after another when the API server was away for half a minute', async () => {
    server.failure = REFUSED;
    server.forget(REFUSED);
    await vi.advanceTimersByTimeAsync(30_000);
    // Less and less often they have tried, and asked for nothing that is large.
    expect(server.asked.length).toBeLessThanOrEqual(9 * PROGRAMS * KINDS.length);
    expect(server.asked.filter(({ what }) => what === 'list')).toEqual([]);
    server.failure = undefined;
    await comeBack();
    expect(server.most('list').ofAll).toBeLessThanOrEqual(8 * PROGRAMS);
    expect(server.most('list').ofOne).toBe(1);
  });

  it('leave an API server alone as long as it asks for', async () => {
    server.failure = busy(6);
    server.forget(REFUSED);
    await vi.advanceTimersByTimeAsync(6_400);
    // Each has asked once, between half a second and a second later.
    expect(server.asked).toHaveLength(PROGRAMS * KINDS.length);
    server.failure = undefined;
    await comeBack();
  });
});
