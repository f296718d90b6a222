import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { EventCorrelator } from '../../kube/event-correlator.ts';
import { Events, type RecordedEvent } from '../../kube/events.ts';
import { EVENTS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';

const NOON = Date.parse('2026-11-30T12:00:00.5Z');
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-web', resourceVersion: '7' },
};
const KILLED: RecordedEvent = { regarding: POD, eventType: 'Warning', reason: 'Killed', message: 'out of memory' };

let server: FakeApiServer;
let client: Client;
let now: number;
let ends: AbortController;
let events: Events;
let running: Promise<void>;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection);
  now = NOON;
  ends = new AbortController();
  const logger = createLogger('test', 'error');
  events = new Events({ client, now: () => now, monotonic: () => now, random: () => 0.5, logger });
  running = events.run(ends.signal);
});

afterEach(async () => {
  ends.abort();
  await running;
  await client.close();
  await server.close();
});

/** Everything that was recorded, once all of it is sent. */
async function all(): Promise<unknown[]> {
  ends.abort();
  await running;
  return [...(await client.list(EVENTS)).items];
}

describe('events', () => {
  test('kubectl finds who saw what, on which object and when', async () => {
    events.recorder({ component: 'pub-controller', host: 'node-1' }).record(KILLED);
    expect(await all()).toMatchObject([
      {
        metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-web' },
        type: 'Warning',
        reason: 'Killed',
        message: 'out of memory',
        source: { component: 'pub-controller', host: 'node-1' },
        reportingComponent: 'pub-controller',
        count: 1,
        firstTimestamp: '2026-11-30T12:00:00Z',
        lastTimestamp: '2026-11-30T12:00:00Z',
      },
    ]);
  });

  test('those of objects without a namespace are in the default one', async () => {
    const regarding = { ...POD, kind: 'Node', metadata: { name: 'n1', uid: 'u', resourceVersion: '1' } };
    events.recorder({ component: 'c' }).record({ ...KILLED, regarding });
    expect(await all()).toMatchObject([{ metadata: { namespace: 'default' }, involvedObject: { name: 'n1' } }]);
  });

  test('equal ones are one with a count and the time of the last', async () => {
    const recorder = events.recorder({ component: 'c' });
    for (const second of [0, 1, 2]) {
      now = NOON + second * 1000;
      recorder.record(KILLED);
    }
    expect(await all()).toMatchObject([
      { count: 3, firstTimestamp: '2026-11-30T12:00:00Z', lastTimestamp: '2026-11-30T12:00:02Z' },
    ]);
  });

  test('one that the server has forgotten begins anew', async () => {
    const recorder = events.recorder({ component: 'c' });
    recorder.record(KILLED);
    await server.until(() => server.requests.length === 1);
    const [first] = (await client.list(EVENTS)).items;
    await client.delete(EVENTS, { namespace: 'shop', name: first?.metadata.name ?? '' });
    now += 3_600_000;
    recorder.record(KILLED);
    expect(await all()).toMatchObject([{ count: 1, firstTimestamp: '2026-11-30T13:00:00Z' }]);
  });

  test('long messages are cut', async () => {
    events.recorder({ component: 'c' }).record({ ...KILLED, message: 'x'.repeat(10_000) });
    expect(await all()).toMatchObject([{ message: `${'x'.repeat(1021)}...` }]);
  });

  test('what the server refuses is counted, and others follow', async () => {
    const recorder = events.recorder({ component: 'c' });
    server.failNext([{ status: 403 }]);
    recorder.record(KILLED);
    recorder.record({ ...KILLED, reason: 'Started' });
    expect(await all()).toMatchObject([{ reason: 'Started' }]);
    expect(events.dropped).toBe(1);
  });

  test('a server that does not answer costs no more than a thousand events of memory, and ends with the program', async () => {
    server.intercept(({ method }) => (method === 'POST' ? { hangs: true } : undefined));
    const recorder = events.recorder({ component: 'c' });
    for (let i = 0; i < 1500; i++)
      recorder.record({ ...KILLED, regarding: { ...POD, metadata: { ...POD.metadata, uid: `${i}` } } });
    await server.until(() => server.requests.length === 1);
    expect(await all()).toEqual([]);
    expect(events.dropped).toBe(1500);
  });
});

describe('floods', () => {
  const topic = { source: 's', object: 'o', kind: 'k' };

  test('more than ten that differ in their message only are combined', () => {
    const correlator = new EventCorrelator(() => 0);
    const admitted = Array.from({ length: 13 }, (_, i) => correlator.admit(topic, `try ${i}`));
    expect(admitted[9]?.message).toBe('try 9');
    expect(admitted.slice(10).map((event) => event?.message)).toEqual(
      [10, 11, 12].map((i) => `(combined from similar events): try ${i}`),
    );
    expect(new Set(admitted.map((event) => event?.key)).size).toBe(11);
  });

  test('after ten quiet minutes they are not', () => {
    let time = 0;
    const correlator = new EventCorrelator(() => time);
    for (let i = 0; i < 12; i++) correlator.admit(topic, `try ${i}`);
    time = 600_001;
    expect(correlator.admit(topic, 'another')?.message).toBe('another');
  });

  test('one object gets 25 at once and then one in five minutes; others are not held back', () => {
    let time = 0;
    const correlator = new EventCorrelator(() => time);
    const admitted = () => Array.from({ length: 30 }, () => correlator.admit(topic, 'same')).filter(Boolean).length;
    expect(admitted()).toBe(25);
    time += 300_000;
    expect(admitted()).toBe(1);
    expect(correlator.admit({ ...topic, object: 'other' }, 'same')).toBeDefined();
  });
});
