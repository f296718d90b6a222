// The work queue: order, one worker for a key, back-off and delays.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkQueue } from '../../kube/queue.ts';
import { Schedule } from '../../kube/schedule.ts';

const GENTLE = { baseDelayMs: 5, maxDelayMs: 1_000_000, qps: 10, bucketSize: 100 };
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function queue(options: Partial<typeof GENTLE> = {}): WorkQueue {
  return new WorkQueue({ ...GENTLE, ...options, monotonic: () => performance.now() });
}

async function takeAll(from: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (from.depth > 0) taken.push((await from.take(never)) ?? '');
  return taken;
}

describe('a work queue', () => {
  it('gives keys in the order in which they came, each once', async () => {
    const work = queue();
    for (const key of ['a', 'b', 'a', 'c', 'b']) work.add(key);
    expect(await takeAll(work)).toEqual(['a', 'b', 'c']);
    expect(work.counts.adds).toBe(3);
  });

  it('does not give a key to two workers, but again when it came meanwhile', async () => {
    const work = queue();
    work.add('a');
    expect(await work.take(never)).toBe('a');
    work.add('a');
    work.add('a');
    expect(work.depth).toBe(0);
    work.done('a');
    expect(await takeAll(work)).toEqual(['a']);
    work.done('a');
    expect(work.depth).toBe(0);
  });

  it('adds a key that failed often no later than its own limit says', async () => {
    const work = queue();
    for (let failure = 0; failure < 40; failure++) work.retry('a', 30_000);
    await takeAll(work);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(work.depth).toBe(1);
  });

  it('lets a worker wait until there is a key, or until nobody wants it any more', async () => {
    const work = queue();
    const ending = new AbortController();
    const first = work.take(never);
    const second = work.take(ending.signal);
    ending.abort();
    expect(await second).toBe(undefined);
    work.add('a');
    expect(await first).toBe('a');
    expect(await work.take(ending.signal)).toBe(undefined);
  });

  it('gives a key for which a worker was woken that left just then to another', async () => {
    const work = queue();
    const ending = new AbortController();
    const first = work.take(ending.signal);
    const second = work.take(never);
    work.add('a');
    ending.abort();
    expect(await Promise.all([first, second])).toEqual([undefined, 'a']);
  });

  it('waits longer after each failure of a key, up to the limit, and not after it was forgotten', async () => {
    const work = queue({ qps: 0, maxDelayMs: 40 });
    const waits: number[] = [];
    for (let failure = 0; failure < 6; failure++) {
      const from = performance.now();
      work.retry('a');
      while (work.depth === 0) await vi.advanceTimersToNextTimerAsync();
      waits.push(Math.round(performance.now() - from));
      expect(await takeAll(work)).toEqual(['a']);
      work.done('a');
    }
    expect(waits).toEqual([5, 10, 20, 40, 40, 40]);
    work.forget('a');
    work.retry('a');
    await vi.advanceTimersByTimeAsync(5);
    expect(work.depth).toBe(1);
    expect(work.counts.retries).toBe(7);
  });

  it('lets all keys together be tried again only so often', async () => {
    const work = queue({ bucketSize: 2 });
    for (const key of ['a', 'b', 'c', 'd']) work.retry(key);
    await vi.advanceTimersByTimeAsync(5);
    expect(work.depth).toBe(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(work.depth).toBe(3);
    await vi.advanceTimersByTimeAsync(100);
    expect(work.depth).toBe(4);
  });

  it('adds later keys at the earliest time that was asked for', async () => {
    const work = queue();
    work.addAfter('a', 1000);
    work.addAfter('a', 500);
    work.addAfter('a', 2000);
    await vi.advanceTimersByTimeAsync(499);
    expect(work.depth).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await takeAll(work)).toEqual(['a']);
    work.done('a');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(work.depth).toBe(0);
  });

  it('adds nothing after it was stopped', async () => {
    const work = queue();
    work.addAfter('a', 10);
    work.stop();
    await vi.advanceTimersByTimeAsync(100);
    expect(work.depth).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells how long keys waited and are worked on', async () => {
    const work = queue();
    work.add('a');
    await vi.advanceTimersByTimeAsync(2000);
    await work.take(never);
    await vi.advanceTimersByTimeAsync(3000);
    expect(work.waited.sum).toBe(2);
    expect(work.unfinished).toEqual({ sum: 3, longest: 3 });
    work.done('a');
    expect(work.worked.sum).toBe(3);
    expect(work.unfinished).toEqual({ sum: 0, longest: 0 });
  });
});

describe('a schedule', () => {
  it('gives every key back at its earliest time, in the order of times', async () => {
    const plans = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 1000 })));
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const given: [string, number][] = [];
        const from = performance.now();
        const schedule = new Schedule(
          () => performance.now(),
          (key) => given.push([key, Math.round(performance.now() - from)]),
        );
        const earliest = new Map<string, number>();
        for (const [key, ms] of plan) {
          schedule.add(key, ms);
          earliest.set(key, Math.min(ms, earliest.get(key) ?? ms));
        }
        await vi.advanceTimersByTimeAsync(1001);
        expect(new Map(given)).toEqual(earliest);
        expect(given.map(([, ms]) => ms)).toEqual([...earliest.values()].sort((a, b) => a - b));
      }),
    );
  });

  it('bears times longer than a timer of the platform can wait', async () => {
    const given: string[] = [];
    const schedule = new Schedule(
      () => performance.now(),
      (key) => given.push(key),
    );
    schedule.add('a', 3_000_000_000);
    await vi.advanceTimersByTimeAsync(2_999_999_999);
    expect(given).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(given).toEqual(['a']);
  });
});
