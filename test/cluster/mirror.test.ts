// Mirrors and leader election against a real API server: restarts, compaction, dead connections, a CRD that goes and comes
// back (F08-F10, F13), and leaders that die or sleep (F21).

import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { createLogger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { readConnection } from '../../kube/connection.ts';
import { Mirror } from '../../kube/mirror.ts';
import type { MirrorOptions } from '../../kube/mirror-options.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, LEASES, PODS, type Resource } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createCrds, until } from './bed/installation.ts';
import { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();
const PROGRAM = new URL('../reconcilers/support/start.ts', import.meta.url).pathname;
const TIMES = { leastWaitMs: 50, mostWaitMs: 500 };

describe.skipIf(missing.length > 0)('against a real API server', () => {
  let bed: Bed;
  let client: Client;
  let ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    bed = await Bed.start();
    await bed.createNamespace('shop');
    const monotonic = () => performance.now();
    const connection = await readConnection({ kubeconfig: bed.kubeconfig, environment: {}, monotonic });
    client = createClient(connection, { random: Math.random });
  });

  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
  });

  afterAll(async () => {
    await client?.close();
    await bed?.close();
  });

  function follow(mirror: Mirror): () => Promise<void> {
    const ending = new AbortController();
    const running = mirror.run(ending.signal);
    const end = async () => {
      ending.abort();
      await running;
    };
    ends.push(end);
    return end;
  }

  function mirrorOf(resource: Resource, options: Partial<MirrorOptions> = {}): Mirror {
    return new Mirror({
      client,
      resource,
      selection: resource.namespaced ? { namespace: 'shop' } : {},
      logger: createLogger('test', 'error'),
      random: Math.random,
      monotonic: () => performance.now(),
      times: TIMES,
      ...options,
    });
  }

  const settings = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop' },
    data: { text: 'ü' },
  });
  const create = (name: string) => client.create(CONFIG_MAPS, settings(name));
  const remove = (name: string) => client.delete(CONFIG_MAPS, { namespace: 'shop', name });
  const has = (mirror: Mirror, name: string) => async () =>
    mirror.synced && mirror.get({ namespace: 'shop', name }) !== undefined;
  const lacks = (mirror: Mirror, name: string) => async () => !(await has(mirror, name)());

  test('a mirror goes on when the API server was killed and has come back', async () => {
    await create('before');
    const mirror = mirrorOf(CONFIG_MAPS);
    follow(mirror);
    await until('the first list', has(mirror, 'before'));
    await bed.apiServer.kill();
    await until('the mirror to notice', async () => mirror.problem !== undefined);
    expect(mirror.get({ namespace: 'shop', name: 'before' })).toMatchObject({ data: { text: 'ü' } });
    await bed.apiServer.startAgain();
    await create('after');
    await until('the change', has(mirror, 'after'));
    expect(mirror.problem).toBe(undefined);
    expect(mirror.counts.damagedFrames).toBe(0);
    await remove('before');
    await until('the deletion', lacks(mirror, 'before'));
    await remove('after');
  });

  test('what was deleted while a mirror did not look is noticed, though the API server has forgotten it', async () => {
    await create('kept');
    await create('deleted');
    const mirror = mirrorOf(CONFIG_MAPS);
    const gone: (KubeObject | undefined)[] = [];
    mirror.onChange((change) => {
      if (change.new === undefined) gone.push(change.old);
    });
    const stop = follow(mirror);
    await until('the first list', has(mirror, 'deleted'));
    await stop();
    await remove('deleted');
    await create('new');
    await bed.etcd.compact();
    // Its memory of changes begins anew.
    await bed.apiServer.kill();
    await bed.apiServer.startAgain();
    follow(mirror);
    await until('the change', has(mirror, 'new'));
    expect(gone.map((object) => object?.metadata.name)).toEqual(['deleted']);
    expect(mirror.counts.expirations).toBe(1);
    await remove('kept');
    await remove('new');
  });

  test('a connection that went dead without a word is noticed, and what was missed meanwhile is read', async () => {
    const upstream = Number(new URL(bed.client.server).port);
    const freezes: (() => void)[] = [];
    const proxy = createServer((near) => {
      const far = connect(upstream, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      freezes.push(() => {
        // Both ends stay open, and nothing passes any more.
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      });
      ends.push(async () => void [near, far].map((socket) => socket.destroy()));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => proxy.close(() => resolve())));
    const monotonic = () => performance.now();
    const connection = await readConnection({ kubeconfig: bed.kubeconfig, environment: {}, monotonic });
    const { port } = proxy.address() as AddressInfo;
    const through = createClient({
      server: new URL(`https://127.0.0.1:${port}`),
      namespace: undefined,
      credentials: (signal) => connection.credentials(signal),
      renew: (refused) => connection.renew(refused),
    });
    ends.push(() => through.close());
    await create('seen');
    // The API server ends a watch after two seconds, so four without a word are too many.
    const mirror = mirrorOf(CONFIG_MAPS, { client: through, times: { ...TIMES, watchMs: 2_000, silenceMs: 4_000 } });
    follow(mirror);
    await until('the first list', has(mirror, 'seen'));
    const { watches } = mirror.counts;
    await until('a second watch', async () => mirror.counts.watches > watches);
    await create('through');
    await until('a change on it', has(mirror, 'through'));
    expect(mirror.counts.silences).toBe(0);
    for (const freeze of freezes) freeze();
    await create('missed');
    await until('the missed object', has(mirror, 'missed'));
    // More than once, if another watch was begun on a connection that was dead too.
    expect(mirror.counts.silences).toBeGreaterThan(0);
    expect(mirror.counts.lists).toBe(1);
    for (const name of ['seen', 'through', 'missed']) await remove(name);
  });

  test('a resource whose CRD goes and comes back is followed again', async () => {
    const crd = chartCrds().find(({ metadata }) => (metadata as JsonObject).name === 'ephemeraljobs.apps.kruise.io');
    if (crd === undefined) throw new Error('the chart has no such CRD');
    const resource = {
      group: 'apps.kruise.io',
      version: 'v1alpha1',
      plural: 'ephemeraljobs',
      kind: 'EphemeralJob',
      namespaced: true,
    };
    const mirror = mirrorOf(resource);
    follow(mirror);
    await mirror.whenSettled(AbortSignal.timeout(10_000));
    expect(mirror.absent).toBe(true);
    const job: JsonObject = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'EphemeralJob',
      metadata: { name: 'job', namespace: 'shop' },
      spec: { selector: {}, template: { ephemeralContainers: [] } },
    };
    for (const round of [1, 2]) {
      await createCrds(bed.client, [crd]);
      await until('the resource', async () => mirror.synced && !mirror.absent && mirror.problem === undefined);
      await client.create(resource, job);
      await until(`the object of round ${round}`, async () => mirror.size === 1);
      await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'ephemeraljobs.apps.kruise.io' });
      await until('the object to go', async () => mirror.size === 0);
      await until('the reason', async () => mirror.problem !== undefined);
    }
  });

  test('another leads soon after the leader died, and one that slept does nothing more', async () => {
    const start = (name: string) => {
      const process_ = Process.start({
        folder: bed.folder,
        name,
        path: process.execPath,
        arguments: [
          PROGRAM,
          ...['--kubeconfig', bed.kubeconfig, '--leader-election-namespace', 'shop'],
          ...['--health-probe-addr', '0', '--metrics-addr', '0', '--sync-period', '0'],
          ...['--leader-election-lease-duration', '3s', '--leader-election-renew-deadline', '2s'],
          ...['--leader-election-retry-period', '300ms'],
        ],
        environment: {},
      });
      ends.push(() => process_.end());
      return process_;
    };
    const holder = async () => {
      const lease = await client.get(LEASES, { namespace: 'shop', name: 'kruise-manager' }).catch(() => undefined);
      return ((lease?.spec ?? {}) as { holderIdentity?: string }).holderIdentity ?? '';
    };
    const leads = (one: Process) => one.log.includes('became leader');
    const isServed = async (name: string) => {
      const found = await client.get(PODS, { namespace: 'shop', name });
      const { conditions = [] } = found.status as { conditions?: { type: string; status: string }[] };
      return conditions.some(({ type, status }) => type === 'KruisePodReady' && status === 'True');
    };
    const waiting = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop' },
      spec: {
        readinessGates: [{ conditionType: 'KruisePodReady' }],
        containers: [{ name: 'app', image: 'registry.example.com/app:1' }],
      },
    });

    const first = start('first');
    await until('the first leader', async () => leads(first));
    await client.create(PODS, waiting('one'));
    await until('the pod to be served', () => isServed('one'));
    const second = start('second');
    await until('the second to wait', async () => second.log.length > 0);
    expect(leads(second)).toBe(false);

    process.kill(first.pid, 'SIGKILL');
    await client.create(PODS, waiting('two'));
    await until('the second leader', async () => leads(second), 8_000);
    await until('the pod to be served', () => isServed('two'));

    // Longer asleep than the lease lasts: who comes next leads, and the sleeper ends when it wakes.
    process.kill(second.pid, 'SIGSTOP');
    const third = start('third');
    await until('the third leader', async () => leads(third), 8_000);
    const present = await holder();
    process.kill(second.pid, 'SIGCONT');
    await until('the sleeper to end', async () => second.isEnded, 8_000);
    expect(await holder()).toBe(present);

    // A clean stop gives the lease back: nobody waits until it has run out.
    const fourth = start('fourth');
    await until('the fourth to wait', async () => fourth.log.length > 0);
    process.kill(third.pid, 'SIGTERM');
    await until('the third to end', async () => third.isEnded, 8_000);
    expect(third.log).toContain('stopped leading');
    await until('the fourth leader', async () => leads(fourth), 2_500);
  });
});
