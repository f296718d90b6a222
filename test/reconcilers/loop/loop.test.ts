// Controllers at work on an API server that misbehaves: nothing is done twice, and nobody stands in another's way.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { RetryError, TerminalError } from '../../../component/errors.ts';
import { Metrics } from '../../../component/metrics.ts';
import type { Client } from '../../../kube/client.ts';
import type { RecordedEvent } from '../../../kube/events.ts';
import { Mirrors } from '../../../kube/mirrors.ts';
import { type KubeObject, keyOf } from '../../../kube/objects.ts';
import type { Plan } from '../../../kube/plan.ts';
import { CONFIG_MAPS, NODES, PODS, type Resource } from '../../../kube/resource.ts';
import type { Controller } from '../../../reconcilers/loop/controller.ts';
import { Loop } from '../../../reconcilers/loop/loop.ts';
import { exposeControllers } from '../../../reconcilers/loop/metrics.ts';
import { Reconciler } from '../../../reconcilers/loop/reconciler.ts';
import { createClient } from '../../support/client.ts';
import { FakeApiServer } from '../../support/fake-apiserver.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const WIDGETS: Resource = { group: 'x.io', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
const collection = (name: string, path = '/api/v1/configmaps') => ({
  collection: path,
  namespace: 'shop',
  name,
  subresource: '',
});
type State = { map: KubeObject; pods: readonly KubeObject[] };

let server: FakeApiServer;
let client: Client;
let stop: AbortController;
let abandon: AbortController;
let ending: (() => Promise<unknown>)[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection, { timeoutMs: 3000 });
  stop = new AbortController();
  abandon = new AbortController();
  ending = [];
});

afterEach(async () => {
  stop.abort();
  abandon.abort();
  for (const end of ending) await end();
  await client.close();
  await server.close();
});

/** Keeps one pod for each ConfigMap, named by chance as generated names are. */
function keeper(more: Partial<Controller<State>> = {}): Controller<State> {
  return {
    name: 'keeper',
    workers: { default: 2 },
    watches: [
      { resource: CONFIG_MAPS, keys: (change) => [(change.new ?? change.old)?.metadata ?? { name: '' }] },
      { resource: PODS, keys: () => [] },
    ],
    fetch(reader, key) {
      const map = reader.get(CONFIG_MAPS, key);
      const pods = reader.list(PODS, 'shop').filter(({ metadata }) => metadata.labels?.of === key.name);
      return map && { map, pods };
    },
    plan: ({ map, pods }) => ({ groups: pods.length > 0 ? [] : [[create(map)]] }),
    ...more,
  };
}

function create({ metadata }: KubeObject): Plan['groups'][number][number] {
  const object = { metadata: { generateName: `${metadata.name}-`, namespace: 'shop', labels: { of: metadata.name } } };
  return { type: 'create', resource: PODS, object };
}

function start<S>(controllers: readonly Controller<S>[], options: { expectationTimeoutMs?: number } = {}) {
  const { expectationTimeoutMs = 300_000 } = options;
  const recorded: RecordedEvent[] = [];
  const shared = { client, logger: silentLogger, random: () => 0.5, monotonic: () => performance.now() };
  const times = { leastWaitMs: 1, mostWaitMs: 5, silenceMs: 50 };
  const mirrors = new Mirrors(
    controllers.flatMap(({ watches }) => watches),
    { ...shared, times },
  );
  const made = controllers.map((controller) => ({
    controller: controller as Controller<unknown>,
    reconciler: new Reconciler({
      controller: controller as Controller<unknown>,
      workers: controller.workers.default,
      mirrors,
      client,
      events: { record: (event) => void recorded.push(event) },
      readLive: () => Promise.resolve(undefined),
      queue: { baseDelayMs: 1, maxDelayMs: 50, qps: 0, bucketSize: 1, monotonic: () => performance.now() },
      expectationTimeoutMs,
      now: () => Date.now(),
      logger: silentLogger,
    }),
  }));
  const mirroring = new AbortController();
  const running = mirrors.run(mirroring.signal);
  const loop = new Loop({
    mirrors,
    controllers: made,
    syncTimeoutMs: 60_000,
    resyncMs: 0,
    random: () => 0,
    logger: silentLogger,
  });
  const looping = loop.run(stop.signal, abandon.signal);
  ending.push(async () => {
    await looping;
    mirroring.abort();
    await running;
  });
  return { mirrors, reconcilers: made.map(({ reconciler }) => reconciler), looping, recorded };
}

function createMap(name: string): void {
  server.objects.create(collection(''), { metadata: { name, namespace: 'shop' } } as JsonObject);
}

function pods(): number {
  return (server.objects.list(collection('', '/api/v1/pods'), 0, '').items as JsonObject[]).length;
}

/** For what no server sees; rejects after ten seconds. */
async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { interval: 1, timeout: 10_000 });
}

describe('a controller', () => {
  it('is told of what was there before, and of every change', async () => {
    createMap('a');
    start([keeper()]);
    await server.until(() => pods() === 1);
    createMap('b');
    await server.until(() => pods() === 2);
  });

  it('makes no second plan before it sees what the first one led to', async () => {
    createMap('a');
    // The list of pods is answered, but no watch for a while.
    const heal = server.intercept(({ path, query }) =>
      path === '/api/v1/pods' && query.get('watch') === 'true' ? { hangs: true } : undefined,
    );
    const plans: number[] = [];
    const { mirrors, reconcilers } = start([
      keeper({
        plan: ({ map, pods: present }) => {
          plans.push(present.length);
          return { groups: present.length > 0 ? [] : [[create(map)]] };
        },
      }),
    ]);
    await until(() => plans.length === 1);
    await until(() => {
      reconcilers[0]?.queue.add('shop/a');
      return mirrors.of(PODS).counts.silences >= 3;
    });
    expect(plans).toEqual([0]);
    heal();
    await until(() => plans.length > 1);
    expect(plans[1]).toBe(1);
    expect(pods()).toBe(1);
  });

  it('does not create again what may have been created when the answer was lost', async () => {
    let cut = 0;
    // The pod is stored, and the connection breaks before anybody is told.
    server.intercept(({ method, path, body }) => {
      if (method !== 'POST' || path !== '/api/v1/namespaces/shop/pods' || cut++ > 0) return undefined;
      server.objects.create(collection('', '/api/v1/pods'), JSON.parse(body) as JsonObject);
      return { breaks: true };
    });
    createMap('a');
    const { reconcilers } = start([keeper()]);
    await until(() => (reconcilers[0]?.counts.results.success ?? 0) > 0);
    expect(reconcilers[0]?.counts.errors).toBe(1);
    expect(pods()).toBe(1);
  });

  it('is not stopped by errors of its own, nor are others', async () => {
    createMap('a');
    createMap('b');
    let bad = 3;
    const { reconcilers } = start([
      keeper({
        plan: ({ map, pods: present }) => {
          if (map.metadata.name === 'a' && bad-- > 0) throw new Error('a bug');
          return { groups: present.length > 0 ? [] : [[create(map)]] };
        },
      }),
    ]);
    await server.until(() => pods() === 2);
    expect(reconcilers[0]?.counts).toMatchObject({ panics: 3, errors: 3 });
    expect(reconcilers[0]?.queue.counts.retries).toBe(3);
  });

  it('tells on the object of what is refused again and again, tries ever more seldom, and goes on with others', async () => {
    createMap('barred');
    createMap('good');
    const refused = { code: 403, reason: 'Forbidden', message: 'pods is forbidden' };
    const tries: number[] = [];
    server.intercept(({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/pods') || !body.includes('barred-')) return undefined;
      tries.push(performance.now());
      return { status: 403, body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...refused }) };
    });
    const { recorded } = start([keeper()]);
    await until(() => recorded.length > 0);
    expect(recorded[0]).toMatchObject({
      regarding: { kind: 'ConfigMap', metadata: { name: 'barred' } },
      eventType: 'Warning',
      reason: 'ReconcileFailed',
      message: expect.stringContaining('pods is forbidden'),
    });
    expect(tries).toHaveLength(8);
    // 1 + 2 + 4 + 8 + 16 + 32 + 50 ms
    expect((tries.at(-1) ?? 0) - (tries[0] ?? 0)).toBeGreaterThan(100);
    expect(pods()).toBe(1);
  });

  it('goes on when telling whom a change concerns fails', async () => {
    createMap('a');
    const { reconcilers } = start([
      keeper({
        watches: [
          {
            resource: CONFIG_MAPS,
            keys: (change) => {
              if (change.new?.metadata.name === 'a') throw new Error('a bug');
              return [(change.new ?? change.old)?.metadata ?? { name: '' }];
            },
          },
          { resource: PODS, keys: () => [] },
        ],
      }),
    ]);
    await until(() => reconcilers[0]?.counts.panics === 1);
    createMap('b');
    await server.until(() => pods() === 1);
  });

  it('tries again after a while when that is asked for, and not when that cannot help', async () => {
    createMap('later');
    createMap('never');
    const seen: string[] = [];
    const { reconcilers } = start([
      keeper({
        plan: ({ map }) => {
          seen.push(map.metadata.name);
          if (map.metadata.name === 'never') throw new TerminalError('it is wrong');
          if (seen.filter((name) => name === 'later').length === 1) throw new RetryError('not now', { afterMs: 5 });
          return { groups: [], requeueAfterMs: 5 };
        },
      }),
    ]);
    await until(() => seen.filter((name) => name === 'later').length >= 3);
    expect(seen.filter((name) => name === 'never')).toHaveLength(1);
    expect(reconcilers[0]?.counts).toMatchObject({ terminal: 1, panics: 0 });
    expect(reconcilers[0]?.counts.results.requeue_after).toBeGreaterThan(1);
  });

  it('works on several keys at once, as many as it may, and never twice on the same', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.intercept(({ method }) => (method === 'POST' ? { until: gate } : undefined));
    for (const name of ['a', 'b', 'c', 'd']) createMap(name);
    const { reconcilers } = start([keeper()]);
    const [reconciler] = reconcilers;
    await until(() => reconciler?.queue.working === 2);
    for (const name of ['a', 'b', 'c', 'd']) reconciler?.queue.add(keyOf({ namespace: 'shop', name }));
    expect(reconciler?.queue.working).toBe(2);
    open();
    await until(() => pods() === 4 && reconciler?.queue.depth === 0 && reconciler.queue.working === 0);
    expect(pods()).toBe(4);
  });

  it('begins when the resource that it needs exists, without others having to wait', async () => {
    createMap('a');
    const missing = server.intercept(({ path }) => (path.startsWith('/apis/x.io') ? { status: 404 } : undefined));
    const seen: string[] = [];
    const widgets: Controller<KubeObject> = {
      name: 'widgets',
      workers: { default: 1 },
      watches: [{ resource: WIDGETS, keys: ({ new: widget }) => [widget?.metadata ?? { name: '' }] }],
      fetch: (reader, key) => reader.get(WIDGETS, key),
      plan: ({ metadata }) => {
        seen.push(metadata.name);
        return { groups: [] };
      },
    };
    start<never>([keeper() as Controller<never>, widgets as Controller<never>]);
    await server.until(() => pods() === 1);
    server.objects.create({ ...collection(''), collection: '/apis/x.io/v1/widgets' }, { metadata: { name: 'w' } });
    missing();
    await until(() => seen.includes('w'));
  });

  it('does without a resource that is optional', async () => {
    createMap('a');
    server.intercept(({ path }) => (path === '/api/v1/nodes' ? { status: 404 } : undefined));
    start([keeper({ watches: [...keeper().watches, { resource: NODES, keys: () => [], optional: true }] })]);
    await server.until(() => pods() === 1);
  });

  it('finishes what it has begun when it is told to stop, and begins nothing more', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.intercept(({ method }) => (method === 'POST' ? { until: gate } : undefined));
    for (const name of ['a', 'b', 'c']) createMap(name);
    const { looping, reconcilers } = start([keeper()]);
    await until(() => reconcilers[0]?.queue.working === 2);
    stop.abort();
    open();
    await looping;
    expect(pods()).toBe(2);
  });

  it('breaks off when it may not go on', async () => {
    server.intercept(({ method }) => (method === 'POST' ? { hangs: true } : undefined));
    createMap('a');
    const { looping, reconcilers } = start([keeper()]);
    await until(() => reconcilers[0]?.queue.working === 1);
    stop.abort();
    abandon.abort(new Error('the lease is lost'));
    await looping;
    expect(pods()).toBe(0);
  });

  it('counts under the names that dashboards know', async () => {
    createMap('a');
    const { reconcilers } = start([keeper()]);
    const metrics = new Metrics('test', '0');
    exposeControllers(metrics, reconcilers);
    await until(() => (reconcilers[0]?.counts.results.success ?? 0) > 0);
    const text = await metrics.expose();
    for (const line of [
      'controller_runtime_reconcile_total{controller="keeper",result="success"} 1',
      'controller_runtime_reconcile_errors_total{controller="keeper"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="keeper"} 2',
      'controller_runtime_reconcile_time_seconds_count{controller="keeper"} 1',
      'workqueue_adds_total{name="keeper"} 1',
      'workqueue_depth{name="keeper"} 0',
      'workqueue_queue_duration_seconds_count{name="keeper"} 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });
});
