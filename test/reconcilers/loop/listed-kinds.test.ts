// Kinds that an operator lists are followed while they are listed, and what cannot be followed is told on the list.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Client } from '../../../kube/client.ts';
import { Discovery } from '../../../kube/discovery.ts';
import type { RecordedEvent } from '../../../kube/events.ts';
import { Mirrors } from '../../../kube/mirrors.ts';
import { PODS } from '../../../kube/resource.ts';
import type { Change, Controller, ListedKind, Watch } from '../../../reconcilers/loop/controller.ts';
import { ListedKinds } from '../../../reconcilers/loop/listed-kinds.ts';
import { createClient } from '../../support/client.ts';
import { FakeApiServer } from '../../support/fake-apiserver.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const GAMES = { Group: 'game.io', Version: 'v1', Kind: 'Game' };
const CONFIGURATION = {
  collection: '/api/v1/configmaps',
  namespace: 'kruise-system',
  name: 'kruise-configuration',
  subresource: '',
};
const GAME = { apiVersion: 'game.io/v1', kind: 'Game' };
const isServed = { kinds: true };

let server: FakeApiServer;
let client: Client;
let mirrors: Mirrors;
let stop: AbortController;
let clock: number;
let running: Promise<unknown>[];
/** What the controllers were told: `controller name entry`. */
let seen: string[];
let recorded: RecordedEvent[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection, { timeoutMs: 3000 });
  stop = new AbortController();
  clock = 0;
  [running, seen, recorded] = [[], [], []];
  isServed.kinds = true;
  const resources = [
    { name: 'games', kind: 'Game', namespaced: true },
    { name: 'games/status', kind: 'Game', namespaced: true },
  ];
  server.intercept(({ path }) => {
    if (path !== '/apis/game.io/v1') return undefined;
    return isServed.kinds ? { status: 200, body: JSON.stringify({ resources }) } : { status: 404, body: '{}' };
  });
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await client.close();
  await server.close();
});

/** Controllers that read the list of this key. */
function start(...keys: string[]): void {
  const shared = { client, logger: silentLogger, random: () => 0.5, monotonic: () => performance.now() };
  const times = { leastWaitMs: 1, mostWaitMs: 5 };
  mirrors = new Mirrors([{ resource: PODS }], { ...shared, times });
  const listed = new ListedKinds({
    mirrors,
    discovery: new Discovery(client, () => clock),
    systemNamespace: 'kruise-system',
    mirror: { ...shared, times },
    events: { record: (event) => void recorded.push(event) },
    logger: silentLogger,
    againMs: 1,
  });
  running = [mirrors.run(stop.signal), listed.run(stop.signal)];
  const reconciler = {
    changed: (watch: Watch, change: Change) => void watch.keys(change, mirrors),
  };
  for (const key of keys) running.push(listed.follow({ controller: reading(key), reconciler }, stop.signal));
}

function reading(key: string): Controller<unknown> {
  return {
    name: key,
    workers: { default: 1 },
    watches: [{ resource: PODS, keys: () => [] }],
    listed: {
      key,
      read: (configMap) => {
        const text = (configMap?.data as JsonObject | undefined)?.[key];
        if (text === 'bad') return 'it is bad';
        return typeof text === 'string' ? (JSON.parse(text) as ListedKind[]) : [];
      },
      watch: (resource, entry) => ({
        resource,
        keys: ({ old, new: current }) => {
          const { more = '' } = entry as { more?: string };
          seen.push(`${key} ${current === undefined ? '-' : ''}${(current ?? old)?.metadata.name}${more}`);
          return [];
        },
      }),
    },
    fetch: () => undefined,
    plan: () => ({ groups: [] }),
  };
}

function list(data: Record<string, readonly JsonObject[] | string>): void {
  const texts = Object.entries(data).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kruise-configuration', namespace: 'kruise-system' },
    data: Object.fromEntries(texts),
  };
  try {
    server.objects.update(CONFIGURATION, object);
  } catch {
    server.objects.create({ ...CONFIGURATION, name: '' }, object);
  }
}

function play(name: string): void {
  const target = { collection: '/apis/game.io/v1/games', namespace: 'shop', name: '', subresource: '' };
  server.objects.create(target, { ...GAME, metadata: { name, namespace: 'shop' } });
}

/** How often the objects of a path were listed. */
const lists = (wanted: string) =>
  server.requests.filter(({ path, query }) => path === wanted && query.get('watch') !== 'true').length;
const messages = () =>
  recorded.map(({ reason, message, regarding }) => `${regarding.metadata.name} ${reason} ${message}`);

/** For what no server sees; rejects after ten seconds. */
const until = (condition: () => boolean) => vi.waitUntil(condition, { interval: 1, timeout: 10_000 });

describe('objects of a kind', () => {
  it('are told of from when it is listed until it is no longer', async () => {
    play('a');
    start('one');
    await server.until(() => server.openStreams === 2);
    expect(mirrors.followsKind(GAME)).toBe(false);
    list({ one: [GAMES] });
    await until(() => seen.includes('one a'));
    expect(mirrors.followsKind(GAME)).toBe(true);
    play('b');
    await until(() => seen.includes('one b'));
    seen.length = 0;
    list({ one: [] });
    await server.until(() => server.openStreams === 2);
    // What the list says may matter to them.
    expect(seen).toEqual(['one a', 'one b']);
    await until(() => !mirrors.followsKind(GAME));
    expect(recorded).toEqual([]);
  });

  it('are told of again when the list says something else of it', async () => {
    play('a');
    list({ one: [GAMES] });
    start('one');
    await until(() => seen.includes('one a'));
    list({ one: [{ ...GAMES, more: '+' }] });
    await until(() => seen.includes('one a+'));
  });

  it('that two lists name are followed once, until the last of them names it no more', async () => {
    play('a');
    list({ one: [GAMES], two: [GAMES] });
    start('one', 'two');
    await until(() => seen.length === 2);
    expect(lists('/apis/game.io/v1/games')).toBe(1);
    list({ two: [GAMES] });
    await until(() => seen.length === 3);
    play('b');
    await until(() => seen.length === 4);
    expect(seen.slice(2)).toEqual(['one a', 'two b']);
    list({});
    await until(() => !mirrors.followsKind(GAME));
  });
});

describe('what cannot be followed', () => {
  it('because there is no such kind is told once, and followed when it comes', async () => {
    isServed.kinds = false;
    play('a');
    list({ one: [GAMES] });
    start('one');
    await until(() => recorded.length === 1);
    const asked = () => server.requests.filter(({ path }) => path === '/apis/game.io/v1').length;
    isServed.kinds = true;
    clock += 30_001;
    await until(() => seen.includes('one a'));
    expect(asked()).toBe(2);
    expect(messages()).toEqual([
      'kruise-configuration ListedKindFailed one: Game cannot be followed: the API server has no such kind in game.io/v1',
    ]);
  });

  it('because a right is missing is told, and followed once that is given', async () => {
    const heal = server.intercept(({ path }) =>
      path === '/apis/game.io/v1/games'
        ? { status: 403, body: JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'games are forbidden' }) }
        : undefined,
    );
    play('a');
    list({ one: [GAMES] });
    start('one');
    await until(() => recorded.length > 0);
    expect(mirrors.followsKind(GAME)).toBe(false);
    heal();
    await until(() => seen.includes('one a'));
    expect(messages()).toEqual([
      'kruise-configuration ListedKindFailed games.game.io cannot be followed: games are forbidden',
    ]);
  });

  it.each<[string, string | JsonObject[], string]>([
    ['because the list cannot be read', 'bad', 'one cannot be read: it is bad'],
    [
      'because an entry has no version',
      [{ Group: 'game.io', Kind: 'Game' }],
      'one: Game cannot be followed: its entry has no Version',
    ],
    [
      'because an entry names no kind',
      [{ Version: 'v1' }],
      'one: an entry without Kind cannot be followed: the API server has no such kind in v1',
    ],
  ])('%s is told, and does not keep others', async (_what, bad, message) => {
    play('a');
    list({ one: bad, two: [GAMES] });
    start('one', 'two');
    await until(() => seen.includes('two a') && recorded.length > 0);
    expect(messages()).toEqual([`kruise-configuration ListedKindFailed ${message}`]);
    list({ one: [GAMES], two: [GAMES] });
    await until(() => seen.includes('one a'));
  });
});

it('kinds that the controller watches anyway are not followed twice', async () => {
  list({ one: [{ Group: '', Version: 'v1', Kind: 'Pod' }, GAMES] });
  play('a');
  start('one');
  await until(() => seen.includes('one a'));
  expect(lists('/api/v1/pods')).toBe(1);
});
