// Leader election by a clock that tests turn: at no time two leaders, whatever clocks, networks and others do (F21, F22).

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { ConnectionError, StatusError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import { type ElectionEnd, LeaderElection } from '../../kube/leader-election.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { LEASES } from '../../kube/resource.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { SimulatedObjects } from '../support/simulation/objects.ts';

const LEASE = { namespace: 'kruise-system', name: 'kruise-manager' };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-30T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The API server, and what is wrong with the way there for each who asks. */
class World {
  readonly objects = new SimulatedObjects(() => Date.now());
  readonly cut = new Set<string>();
  /** Whose writes are done, though their answers are lost. */
  readonly deaf = new Set<string>();
  readonly leading: string[] = [];
  writes = 0;

  spec(): JsonObject | undefined {
    return this.objects.get(LEASES, LEASE)?.spec as JsonObject | undefined;
  }

  client(name: string) {
    const reach = async (timeoutMs: number | undefined, write: boolean) => {
      if (write) this.writes++;
      if (!this.cut.has(name)) return;
      await new Promise((resolve) => setTimeout(resolve, timeoutMs));
      throw new ConnectionError('no answer', { sent: true });
    };
    const answered = (lease: KubeObject): KubeObject => {
      if (this.deaf.has(name)) throw new ConnectionError('the answer is lost', { sent: true });
      return lease;
    };
    return {
      get: async (resource: typeof LEASES, reference: typeof LEASE, options: { timeoutMs?: number } = {}) => {
        await reach(options.timeoutMs, false);
        const found = this.objects.get(resource, reference);
        if (found === undefined) throw new StatusError(404, 'NotFound', 'not found');
        return found;
      },
      create: async (resource: typeof LEASES, object: JsonObject, options: { timeoutMs?: number } = {}) => {
        await reach(options.timeoutMs, true);
        return answered(this.objects.create(resource, object));
      },
      update: async (resource: typeof LEASES, object: JsonObject, options: { timeoutMs?: number } = {}) => {
        await reach(options.timeoutMs, true);
        return answered(this.objects.update(resource, object));
      },
    };
  }

  /** `skewMs` is how far the wall clock of this process is off. */
  elect(name: string, { skewMs = 0, events = [] as string[], logger = silentLogger } = {}) {
    const stop = new AbortController();
    const finish = new AbortController();
    const election = new LeaderElection({
      client: this.client(name) as unknown as ConstructorParameters<typeof LeaderElection>[0]['client'],
      lease: LEASE,
      identity: name,
      leaseMs: 15_000,
      renewMs: 10_000,
      retryMs: 2_000,
      now: () => Date.now() + skewMs,
      monotonic: () => performance.now(),
      random: () => 0,
      logger,
      onEvent: (_lease: KubeObject, message) => events.push(message),
    });
    const state: { end: ElectionEnd | undefined; lost: boolean } = { end: undefined, lost: false };
    const running = election.run(stop.signal, async (lost) => {
      this.leading.push(name);
      await new Promise<void>((resolve) => {
        stop.signal.addEventListener('abort', () => resolve());
        finish.signal.addEventListener('abort', () => resolve());
        lost.addEventListener('abort', () => {
          state.lost = true;
        });
      });
      this.leading.splice(this.leading.indexOf(name), 1);
    });
    running.then((end) => {
      state.end = end;
    });
    return { election, state, stop: () => stop.abort() };
  }
}

async function pass(seconds: number, check: () => void = () => {}): Promise<void> {
  for (let ms = 0; ms < seconds * 1000; ms += 100) {
    await vi.advanceTimersByTimeAsync(100);
    check();
  }
}

describe('leader election', () => {
  it('makes the lease, leads, and renews', async () => {
    const world = new World();
    const events: string[] = [];
    const a = world.elect('a', { events });
    await pass(1);
    expect(a.election.isLeading).toBe(true);
    expect(world.spec()).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '2026-11-30T12:00:00.000000Z',
    });
    expect(events).toEqual(['a became leader']);
    await pass(60);
    expect(world.spec()).toMatchObject({ renewTime: expect.stringMatching(/^2026-11-30T12:01:0\d\.000000Z$/) });
    expect(a.election.isLeading).toBe(true);
  });

  it('asks the API server once for each renewal', async () => {
    const world = new World();
    world.elect('a');
    await pass(1);
    const before = world.writes;
    await pass(20);
    expect(world.writes - before).toBe(10);
  });

  it('logs once who leads while it waits', async () => {
    const world = new World();
    const logged: string[] = [];
    const info = (...[keys, message]: Parameters<Logger['info']>): void =>
      void logged.push(`${message} ${JSON.stringify(keys)}`);
    world.elect('a');
    await pass(1);
    world.elect('b', { logger: { ...silentLogger, info } });
    await pass(30);
    expect(logged).toEqual(['waiting: another process leads {"holder":"a","lease":"kruise-system/kruise-manager"}']);
  });

  it('hands over at once when who leads stops in an orderly way', async () => {
    const world = new World();
    const events: string[] = [];
    const a = world.elect('a', { events });
    await pass(1);
    world.elect('b');
    await pass(3);
    a.stop();
    await pass(0.1);
    expect(a.state.end).toBe('stopped');
    expect(world.spec()).toMatchObject({ holderIdentity: '' });
    expect(events).toEqual(['a became leader', 'a stopped leading']);
    await pass(2);
    expect(world.leading).toEqual(['b']);
    expect(world.spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('gives back what it was given while it was told to stop, though nobody told it so', async () => {
    const world = new World();
    world.deaf.add('a');
    const a = world.elect('a');
    await pass(0.1);
    expect(world.spec()?.holderIdentity).toBe('a');
    world.deaf.delete('a');
    a.stop();
    await pass(0.1);
    expect([a.state.end, world.spec()?.holderIdentity, world.leading]).toEqual(['stopped', '', []]);
  });

  it('hands over after the lease has run out when who leads is cut off, and that one stops before', async () => {
    const world = new World();
    const a = world.elect('a');
    await pass(1);
    const b = world.elect('b');
    await pass(3);
    world.cut.add('a');
    let stoppedAfter = 0;
    let ledAfter = 0;
    const from = performance.now();
    await pass(20, () => {
      const seconds = (performance.now() - from) / 1000;
      if (!a.election.isLeading) stoppedAfter ||= seconds;
      if (b.election.isLeading) ledAfter ||= seconds;
      expect(a.election.isLeading && b.election.isLeading).toBe(false);
    });
    expect(stoppedAfter).toBeLessThanOrEqual(10);
    expect(ledAfter).toBeGreaterThan(stoppedAfter);
    expect(ledAfter).toBeLessThanOrEqual(17.1);
    expect(a.state).toEqual({ end: 'lost', lost: true });
    expect([a.election.problem, b.election.problem]).toEqual(['no answer', undefined]);
  });

  it('may not act at once when it wakes from a long sleep', async () => {
    const world = new World();
    const a = world.elect('a');
    await pass(1);
    expect(a.election.isLeading).toBe(true);
    // No timer has fired yet: the process was stopped.
    vi.setSystemTime(Date.now());
    const monotonic = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(a.election.isLeading).toBe(false);
    monotonic.mockRestore();
  });

  it('takes the lease of another for as long as it changes, whatever the clocks say', async () => {
    const world = new World();
    world.elect('a', { skewMs: -3_600_000 });
    await pass(1);
    const b = world.elect('b', { skewMs: 3_600_000 });
    await pass(60, () => expect(b.election.isLeading).toBe(false));
    expect(world.leading).toEqual(['a']);
  });

  it('makes a deleted lease again, and stops if another was faster', async () => {
    const world = new World();
    const a = world.elect('a');
    await pass(1);
    world.objects.delete(LEASES, LEASE);
    await pass(3);
    expect(world.spec()).toMatchObject({ holderIdentity: 'a' });
    expect(a.election.isLeading).toBe(true);
    world.objects.delete(LEASES, LEASE);
    world.objects.create(LEASES, { metadata: { ...LEASE }, spec: { holderIdentity: 'c', leaseDurationSeconds: 15 } });
    await pass(3);
    expect(a.state).toEqual({ end: 'lost', lost: true });
    expect(world.spec()).toMatchObject({ holderIdentity: 'c' });
  });

  it('never has two leaders among five, while connections come and go', async () => {
    const world = new World();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const all = names.map((name) => world.elect(name));
    let state = 7;
    let led = 0;
    await pass(300, () => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      const name = names[state % 5] ?? '';
      if (state % 37 === 0) world.cut.add(name);
      if (state % 23 === 0) world.cut.delete(name);
      const leaders = all.filter(({ election }) => election.isLeading).length;
      expect(leaders).toBeLessThanOrEqual(1);
      led += leaders;
    });
    expect(led).toBeGreaterThan(0);
  });

  it('gives the lease back when leading ends with an error', async () => {
    const world = new World();
    const election = new LeaderElection({
      client: world.client('a') as unknown as ConstructorParameters<typeof LeaderElection>[0]['client'],
      lease: LEASE,
      identity: 'a',
      ...{ leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 },
      now: () => Date.now(),
      monotonic: () => performance.now(),
      random: () => 0,
      logger: silentLogger,
    });
    const running = election.run(new AbortController().signal, () => Promise.reject(new Error('broken')));
    await expect(running).rejects.toThrow('broken');
    expect(world.spec()).toMatchObject({ holderIdentity: '' });
  });
});
