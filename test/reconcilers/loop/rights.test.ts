// How soon a controller does its work when a right that it lacked is given to its account (F13).

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StatusError } from '../../../component/errors.ts';
import type { Client } from '../../../kube/client.ts';
import { Mirrors } from '../../../kube/mirrors.ts';
import { Reconciler } from '../../../reconcilers/loop/reconciler.ts';
import { createClient } from '../../support/client.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const LACKING =
  'pods "a" is forbidden: User "x" cannot patch resource "pods/status" in API group "" in the namespace "b"';

let stop: AbortController;
let running: Promise<void>;
let client: Client;

beforeEach(() => {
  vi.useFakeTimers();
  stop = new AbortController();
});
afterEach(async () => {
  try {
    stop.abort();
    await running;
    await client.close();
  } finally {
    vi.useRealTimers();
  }
});

/** One whose work is refused with this message until `allow` is called. */
function refused(message: string): { reconciler: Reconciler; allow: () => void } {
  let isAllowed = false;
  client = createClient({
    server: new URL('http://127.0.0.1:1'),
    namespace: undefined,
    credentials: () => Promise.resolve({ headers: {}, tls: {} }),
    renew: () => false,
  });
  const monotonic = () => performance.now();
  const reconciler = new Reconciler({
    controller: {
      name: 'barred',
      workers: { default: 1 },
      watches: [],
      fetch: () => {
        if (!isAllowed) throw new StatusError(403, 'Forbidden', message);
        return undefined;
      },
      plan: () => ({ groups: [] }),
    },
    workers: 1,
    mirrors: new Mirrors([], { client, logger: silentLogger, random: () => 0, monotonic }),
    client,
    events: { record: () => undefined },
    readLive: () => Promise.resolve(undefined),
    queue: { baseDelayMs: 5, maxDelayMs: 1_000_000, qps: 10, bucketSize: 100, monotonic },
    expectationTimeoutMs: 300_000,
    now: () => Date.now(),
    logger: silentLogger,
  });
  running = reconciler.run(stop.signal, stop.signal);
  reconciler.queue.add('b/a');
  const allow = () => {
    isAllowed = true;
  };
  return { reconciler, allow };
}

test('within a minute, however long it lacked the right', async () => {
  const { reconciler, allow } = refused(LACKING);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(reconciler.counts.results.success).toBe(0);
  allow();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reconciler.counts.results.success).toBe(1);
});

test('what is refused for other reasons is tried ever more seldom, as before', async () => {
  const { reconciler } = refused('exceeded quota: small');
  await vi.advanceTimersByTimeAsync(3_600_000);
  const before = reconciler.queue.counts.retries;
  await vi.advanceTimersByTimeAsync(900_000);
  expect(reconciler.queue.counts.retries - before).toBeLessThanOrEqual(1);
});
