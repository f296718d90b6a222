// The mirror against an API server that breaks, forgets, lies and falls silent (F08-F12).

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import type { Client } from '../../kube/client.ts';
import { Mirror } from '../../kube/mirror.ts';
import type { MirrorOptions } from '../../kube/mirror-options.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_INDEX } from '../../kube/reader.ts';
import { PODS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';
import { silentLogger } from '../support/silent-logger.ts';

const COLLECTION = { collection: '/api/v1/pods', namespace: 'default', name: '', subresource: '' };
const QUICK = { leastWaitMs: 1, mostWaitMs: 4, watchMs: 60_000, silenceMs: 60_000 };

let server: FakeApiServer;
let client: Client;
let ending: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection, { timeoutMs: 5_000 });
  ending = new AbortController();
  running = [];
});

afterEach(async () => {
  ending.abort();
  await Promise.all(running);
  await client.close();
  await server.close();
});

function start(options: Partial<MirrorOptions> = {}) {
  const mirror = new Mirror({
    client,
    resource: PODS,
    logger: silentLogger,
    random: () => 0.5,
    monotonic: () => performance.now(),
    times: QUICK,
    ...options,
  });
  const changes: string[] = [];
  mirror.onChange((change) => {
    const { metadata } = change.new ?? change.old ?? {};
    const what = change.old === undefined ? 'added' : change.new === undefined ? 'deleted' : 'changed';
    changes.push(`${what} ${metadata?.name}`);
    for (const wake of [...waiting]) wake();
  });
  const waiting = new Set<() => void>();
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  running.push(mirror.run(ending.signal));
  return { mirror, changes, until, synced: mirror.whenSynced(ending.signal) };
}

function pod(name: string, more: JsonObject = {}): JsonObject {
  const { metadata = {}, ...rest } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...(metadata as JsonObject) },
    ...rest,
  };
}

function create(...names: string[]) {
  for (const name of names) server.objects.create(COLLECTION, pod(name));
}

function lists() {
  return server.requests.filter(({ query }) => query.get('watch') === null).length;
}

function names(mirror: Mirror): string[] {
  return mirror
    .list()
    .map(({ metadata }) => metadata.name)
    .sort();
}

describe('reading', () => {
  it('leaves out what cannot be read, tells of it once, and takes it in when it can be', async () => {
    const told: string[] = [];
    const read = (object: KubeObject) => (object.spec === 'odd' ? 'spec: expected object, got string' : object);
    const onLeftOut = ({ metadata }: KubeObject, reason: string) => told.push(`${metadata.name}: ${reason}`);
    server.objects.create(COLLECTION, pod('odd', { spec: 'odd' }));
    create('a', 'b');
    const { mirror, changes, until, synced } = start({ read, onLeftOut });
    await synced;
    await server.until(() => server.openStreams === 1);
    expect([names(mirror), mirror.leftOut]).toEqual([['a', 'b'], 1]);
    const update = (name: string, spec: string) =>
      server.objects.update({ ...COLLECTION, name }, pod(name, { spec: { of: spec } }));
    server.objects.update({ ...COLLECTION, name: 'odd' }, pod('odd', { spec: 'odd', status: { phase: 'Running' } }));
    server.objects.update({ ...COLLECTION, name: 'a' }, pod('a', { spec: 'odd' }));
    update('b', 'still there');
    await until(() => changes.includes('changed b'));
    expect([names(mirror), mirror.leftOut]).toEqual([['b'], 2]);
    update('odd', 'mended');
    server.objects.delete({ ...COLLECTION, name: 'a' });
    update('b', 'again');
    await until(() => changes.filter((change) => change === 'changed b').length === 2);
    expect([names(mirror), mirror.leftOut]).toEqual([['b', 'odd'], 0]);
    expect(changes).toEqual(['added a', 'added b', 'deleted a', 'changed b', 'added odd', 'changed b']);
    expect(told).toEqual(['odd: spec: expected object, got string', 'a: spec: expected object, got string']);
  });

  it('reads a large list in pages and answers nothing before the last', async () => {
    create(...Array.from({ length: 1203 }, (_, i) => `p${i}`));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.intercept(({ query }) =>
      query.get('continue')?.includes('p') && lists() === 3 ? { until: held } : undefined,
    );
    const { mirror, synced } = start();
    await server.until(() => lists() === 3);
    expect(() => mirror.list()).toThrow('pods are not read yet');
    release();
    await synced;
    expect(mirror.size).toBe(1203);
    expect(mirror.problem).toBe(undefined);
  });

  it('follows additions, changes and deletions, with what was there before', async () => {
    create('a');
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    create('b');
    server.objects.update({ ...COLLECTION, name: 'a' }, pod('a', { status: { phase: 'Running' } }));
    server.objects.delete({ ...COLLECTION, name: 'b' });
    await until(() => changes.includes('deleted b'));
    expect(changes).toEqual(['added a', 'added b', 'changed a', 'deleted b']);
    expect(mirror.get({ namespace: 'default', name: 'a' })).toMatchObject({ status: { phase: 'Running' } });
    expect(names(mirror)).toEqual(['a']);
  });

  it('finds objects by namespace, by controller and by its own indexes, also after they moved', async () => {
    const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid, controller: true });
    server.objects.create(
      COLLECTION,
      pod('a', { metadata: { ownerReferences: [owner('u1')] }, spec: { nodeName: 'n1' } }),
    );
    const indexes = { node: (object: KubeObject) => [String((object.spec as JsonObject)?.nodeName)] };
    const { mirror, changes, until, synced } = start({ indexes });
    await synced;
    await server.until(() => server.openStreams === 1);
    expect(mirror.indexed(CONTROLLER_INDEX, 'u1')).toHaveLength(1);
    expect(mirror.indexed('node', 'n1')).toHaveLength(1);
    expect(mirror.list('default')).toHaveLength(1);
    expect(mirror.list('other')).toHaveLength(0);
    server.objects.update({ ...COLLECTION, name: 'a' }, pod('a', { spec: { nodeName: 'n2' } }));
    await until(() => changes.includes('changed a'));
    expect(mirror.indexed(CONTROLLER_INDEX, 'u1')).toHaveLength(0);
    expect(mirror.indexed('node', 'n1')).toHaveLength(0);
    expect(mirror.indexed('node', 'n2')).toHaveLength(1);
  });

  it('keeps what it does not know, large numbers exactly, and leaves managed fields out', async () => {
    const { parseJson } = await import('../../api/core/json.ts');
    const spec = parseJson('{"unknown":9007199254740993,"text":"ü\\u2028"}') as JsonObject;
    server.objects.create(COLLECTION, pod('a', { metadata: { managedFields: [{ manager: 'x' }] }, spec }));
    const { mirror, synced } = start();
    await synced;
    const read = mirror.get({ namespace: 'default', name: 'a' });
    expect(JSON.stringify(read?.spec)).toBe(JSON.stringify(spec));
    expect(read?.metadata).not.toHaveProperty('managedFields');
  });
});

describe('a watch that breaks (F08)', () => {
  it.each(['end', 'break'] as const)('goes on from the last version when it ends with %s', async (how) => {
    create('a');
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    create('b');
    await until(() => changes.includes('added b'));
    server.endStreams(how);
    create('c');
    await until(() => changes.includes('added c'));
    expect(names(mirror)).toEqual(['a', 'b', 'c']);
    expect(lists()).toBe(1);
  });

  it('keeps answering with the last state while the API server cannot be reached, and says how old it is', async () => {
    create('a');
    const { mirror, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    const heal = server.intercept(() => ({ breaks: true }));
    const before = server.requests.length;
    server.endStreams('break');
    await server.until(() => server.requests.length > before + 2);
    expect(names(mirror)).toEqual(['a']);
    expect(mirror.synced).toBe(true);
    expect(mirror.problem).toBeDefined();
    expect(mirror.stalenessMs).toBeGreaterThan(0);
    heal();
    await server.until(() => server.openStreams === 1);
    expect(names(mirror)).toEqual(['a']);
  });
});

describe('an API server that has forgotten (F09)', () => {
  const gone = {
    status: 410,
    body: JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
  };
  const spellings: [string, () => void][] = [
    ['an ERROR event', () => server.sendGone()],
    [
      'HTTP 410',
      () => {
        server.failNext([gone], ({ query }) => query.get('watch') === 'true');
        server.endStreams();
      },
    ],
    [
      'an error with another code and the words',
      () =>
        server.sendEvent({
          type: 'ERROR',
          object: { code: 500, message: 'etcd: required revision has been compacted' },
        }),
    ],
  ];
  it.each(spellings)('lists again after %s, and tells of what was deleted meanwhile', async (_name, forget) => {
    create('a', 'b');
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    const quiet = server.intercept(({ query }) => (query.get('watch') === 'true' ? { status: 503 } : undefined));
    const before = server.requests.length;
    server.endStreams('break');
    await server.until(() => server.requests.length > before);
    server.objects.delete({ ...COLLECTION, name: 'b' });
    create('c');
    server.objects.compact();
    quiet();
    await until(() => changes.includes('added c'));
    expect(names(mirror)).toEqual(['a', 'c']);
    expect(changes).toContain('deleted b');
    await server.until(() => server.openStreams === 1);
    const listed = lists();
    forget();
    await server.until(() => lists() > listed && server.openStreams === 1);
    expect(names(mirror)).toEqual(['a', 'c']);
    expect(mirror.counts.expirations).toBe(2);
  });

  it('takes the list in one piece when its pages expire, and shows no half of it', async () => {
    create(...Array.from({ length: 600 }, (_, i) => `p${i}`));
    server.failNext([gone], ({ query }) => query.get('continue') !== null);
    const { mirror, changes, synced } = start();
    await synced;
    expect(mirror.size).toBe(600);
    expect(changes).toHaveLength(600);
    expect(
      server.requests.filter(({ query }) => query.get('limit') === null && query.get('watch') === null),
    ).toHaveLength(1);
  });

  it('lists again at once when the last list was long ago: nothing is followed meanwhile', async () => {
    create('a');
    let now = 0;
    const slow = { ...QUICK, leastWaitMs: 3_600_000, mostWaitMs: 3_600_000 };
    const { mirror, until, synced } = start({ times: slow, monotonic: () => now });
    now = 3_600_000;
    await synced;
    await server.until(() => server.openStreams === 1);
    now += 3_600_000;
    server.sendGone();
    create('b');
    await until(() => mirror.size === 2);
    expect(mirror.counts.lists).toBe(2);
  });

  it('does not list more than once in the least time, whatever the API server says', async () => {
    create('a');
    const times: number[] = [];
    server.intercept(({ query }) => {
      if (query.get('watch') === 'true') return gone;
      times.push(performance.now());
      return undefined;
    });
    start({ times: { ...QUICK, leastWaitMs: 40, mostWaitMs: 40 } });
    await server.until(() => times.length === 4);
    // Three waits lie between; a busy machine may notice the first list late.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2 * 40);
  });
});

describe('a silent watch (F10)', () => {
  it('is given up after the limit and taken up again from the last version', async () => {
    create('a');
    const { mirror, changes, until, synced } = start({ times: { ...QUICK, silenceMs: 50 } });
    await synced;
    await server.until(() => server.openStreams === 1);
    server.silenceStreams();
    create('b');
    await until(() => changes.includes('added b'));
    expect(mirror.counts.silences).toBeGreaterThan(0);
    expect(lists()).toBe(1);
  });

  it('gives up a watch that is never answered', async () => {
    create('a');
    let hung = 0;
    server.intercept(({ query }) => (query.get('watch') === 'true' && hung++ === 0 ? { hangs: true } : undefined));
    const { synced } = start({ times: { ...QUICK, silenceMs: 50 } });
    await synced;
    await server.until(() => server.openStreams === 1);
  });
});

describe('garbage on the stream (F11)', () => {
  const garbage: [string, string | Uint8Array][] = [
    ['no JSON', '{"type":"ADDED","object":{]\n'],
    ['a type that nobody knows', '{"type":"MOVED","object":{"metadata":{"name":"x","resourceVersion":"999"}}}\n'],
    ['no object', '{"type":"ADDED"}\n'],
    ['no resourceVersion', '{"type":"ADDED","object":{"metadata":{"name":"x","namespace":"default"}}}\n'],
    ['a version that is older', '{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}\n'],
    [
      'bytes that are no UTF-8',
      Buffer.concat([
        Buffer.from('{"type":"ADDED","object":{"metadata":{"resourceVersion":"999","name":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}}}\n'),
      ]),
    ],
  ];
  it.each(garbage)('counts %s and goes on from the last good event', async (_name, bytes) => {
    create('a');
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    server.sendRaw(bytes);
    await server.until(() => server.openStreams === 0);
    create('b');
    await until(() => changes.includes('added b'));
    expect(names(mirror)).toEqual(['a', 'b']);
    expect(mirror.counts.damagedFrames).toBe(1);
    expect(lists()).toBe(1);
  });

  it('counts a line that is cut off by the end of the stream', async () => {
    create('a');
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    server.sendRaw('{"type":"ADDED","obj');
    server.endStreams();
    await server.until(() => server.openStreams === 0);
    create('b');
    await until(() => changes.includes('added b'));
    expect(mirror.counts.damagedFrames).toBe(1);
  });

  it('reads events of 5 MB and characters that are split over chunks', async () => {
    server.chunkBytes = 1;
    const { mirror, changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    server.objects.create(COLLECTION, pod('split', { spec: { text: 'aü€😀' } }));
    await until(() => changes.includes('added split'));
    server.chunkBytes = 60_000;
    server.objects.create(COLLECTION, pod('large', { spec: { text: 'ü'.repeat(2_500_000) } }));
    await until(() => changes.includes('added large'));
    expect(mirror.get({ namespace: 'default', name: 'split' })).toMatchObject({ spec: { text: 'aü€😀' } });
    expect(mirror.get({ namespace: 'default', name: 'large' })).toMatchObject({
      spec: { text: 'ü'.repeat(2_500_000) },
    });
    expect(mirror.counts.damagedFrames).toBe(0);
  });

  it('reads everything again when stream after stream is damaged', async () => {
    create('a');
    const { synced } = start();
    await synced;
    server.intercept(({ query }) =>
      query.get('watch') === 'true' && lists() === 1 ? { status: 200, body: 'nonsense\n' } : undefined,
    );
    await server.until(() => server.openStreams === 1);
    server.endStreams();
    await server.until(() => lists() === 2 && server.openStreams === 1);
  });
});

describe('refusals (F12, F13)', () => {
  it('knows a resource that is not there, and reads it when it comes', async () => {
    const missing = server.intercept(() => ({ status: 404 }));
    const { mirror, synced } = start();
    await mirror.whenSettled(ending.signal);
    expect(mirror.absent).toBe(true);
    expect(mirror.list()).toEqual([]);
    expect(mirror.problem).toBe('the API server has no such resource');
    create('a');
    missing();
    await synced;
    expect(mirror.absent).toBe(false);
    expect(names(mirror)).toEqual(['a']);
  });

  it('keeps the last state while it may not read, and says why', async () => {
    create('a');
    const { mirror, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    const refused = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'pods is forbidden' };
    const revoked = server.intercept(() => ({ status: 403, body: JSON.stringify(refused) }));
    const before = server.requests.length;
    server.endStreams();
    await server.until(() => server.requests.length > before + 1);
    expect(names(mirror)).toEqual(['a']);
    expect(mirror.problem).toContain('pods is forbidden');
    revoked();
    await server.until(() => server.openStreams === 1);
  });

  it('asks a server that has too much to do once each time, not again and again', async () => {
    create(...Array.from({ length: 600 }, (_, i) => `p${i}`));
    let refusals = 0;
    server.intercept(({ query }) => {
      const isFirst = query.get('watch') === null && query.get('continue') === null;
      return isFirst && refusals++ < 6 ? { status: 503 } : undefined;
    });
    const { mirror, synced } = start();
    await synced;
    expect([mirror.counts.lists, mirror.size]).toEqual([7, 600]);
    // Every time the first page, and at last the second one.
    expect(lists()).toBe(8);
  });

  it('asks again for the page that is missing, not for those before', async () => {
    create(...Array.from({ length: 600 }, (_, i) => `p${i}`));
    server.failNext([{ status: 503 }], ({ query }) => query.get('continue') !== null);
    const { mirror, synced } = start();
    await synced;
    expect([mirror.counts.lists, mirror.size]).toEqual([1, 600]);
  });

  it('gives an object of the same name and another uid as deleted and added', async () => {
    create('a');
    const { changes, until, synced } = start();
    await synced;
    await server.until(() => server.openStreams === 1);
    server.sendEvent({
      type: 'ADDED',
      object: pod('a', { metadata: { uid: 'another', resourceVersion: '999' } }),
    });
    await until(() => changes.length === 3);
    expect(changes).toEqual(['added a', 'deleted a', 'added a']);
  });
});

describe('what is told', () => {
  it('has a line when it begins, and one when it is over', async () => {
    const lines: string[] = [];
    const write = ({ reason, resource }: { reason?: string; resource?: string }, message: string) =>
      void lines.push([message, resource, reason].filter((part) => part !== undefined).join(': '));
    const logger = { ...silentLogger, warn: write, info: write } as unknown as MirrorOptions['logger'];
    const forbidden = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'pods is forbidden' };
    const heal = server.intercept(({ query }) =>
      query.get('watch') === null ? undefined : { status: 403, body: JSON.stringify(forbidden) },
    );
    create('a');
    const { mirror, until, changes, synced } = start({ logger });
    await synced;
    await server.until(() => server.requests.length > 5);
    heal();
    await server.until(() => server.openStreams === 1);
    create('b');
    await until(() => changes.includes('added b'));
    expect(mirror.problem).toBe(undefined);
    expect(lines).toEqual([
      'a mirror does not follow the API server: pods: pods is forbidden',
      'a mirror follows the API server again: pods',
    ]);
  });
});
