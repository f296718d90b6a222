// The client against a real API server: what its answers are made of cannot be invented.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { createLogger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { retryOnConflict } from '../../kube/conflicts.ts';
import { readConnection } from '../../kube/connection.ts';
import { applyPlan } from '../../kube/effects.ts';
import { Events } from '../../kube/events.ts';
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS } from '../../kube/resource.ts';
import type { ClientOptions } from '../../kube/sender.ts';
import { createClient } from '../support/client.ts';
import { rejection } from '../support/rejection.ts';
import { auditFile } from './bed/apiserver.ts';
import { Bed } from './bed/bed.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();
const SIGNAL = new AbortController().signal;

const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'cart', image: 'registry.example.com/shop/cart:3.1' }] },
});
const settings = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});
const inShop = (name: string) => ({ namespace: 'shop', name });

describe.skipIf(missing.length > 0)('a client of a real API server', () => {
  let bed: Bed;
  let client: Client;
  const clients: Client[] = [];

  async function connect(options: Partial<ClientOptions> = {}): Promise<Client> {
    const monotonic = () => performance.now();
    const created = createClient(await readConnection({ kubeconfig: bed.kubeconfig, environment: {}, monotonic }), {
      random: Math.random,
      ...options,
    });
    clients.push(created);
    return created;
  }

  beforeAll(async () => {
    bed = await Bed.start();
    await bed.createNamespace('shop');
    client = await connect();
  });

  afterAll(async () => {
    for (const each of clients) await each.close();
    await bed?.close();
  });

  test('objects are created, read, changed and deleted', async () => {
    expect((await client.version()).gitVersion).toMatch(/^v1\./);
    const created = await client.create(PODS, pod('web'));
    expect(await client.get(PODS, inShop('web'))).toEqual(created);
    expect((await client.list(PODS, { namespace: 'shop', fieldSelector: 'metadata.name=web' })).items).toEqual([
      created,
    ]);
    const labels = { a: 'b' };
    await client.patch(PODS, inShop('web'), { metadata: { labels } }, { patchType: 'merge' });
    const images = { spec: { containers: [{ name: 'cart', image: 'registry.example.com/shop/cart:3.2' }] } };
    await client.patch(PODS, inShop('web'), images, { patchType: 'strategic' });
    const operations = [{ op: 'add', path: '/metadata/labels/c', value: 'd' }];
    const patched = await client.patch(PODS, inShop('web'), operations, { patchType: 'json' });
    expect(patched).toMatchObject({ metadata: { labels: { a: 'b', c: 'd' } }, spec: images.spec });
    await client.delete(PODS, inShop('web'), { uid: created.metadata.uid, gracePeriodSeconds: 0 });
    expect(await rejection(client.get(PODS, inShop('web')))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'pods "web" not found',
    });
  });

  test('the status is replaced by itself, with the resourceVersion that was read', async () => {
    const created = await client.create(PODS, pod('status'));
    const { metadata } = created;
    const changed: JsonObject = { ...pod('status'), status: { phase: 'Running' } };
    changed.metadata = { ...inShop('status'), resourceVersion: metadata.resourceVersion };
    const updated = await client.update(PODS, changed, { subresource: 'status' });
    expect(updated).toMatchObject({ status: { phase: 'Running' } });
    expect(await rejection(client.update(PODS, changed, { subresource: 'status' }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });

  test('what is refused is told in the words of the server, with its causes', async () => {
    expect(await rejection(client.create(PODS, { ...pod('bad'), spec: {} }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Pod "bad" is invalid: spec.containers: Required value',
      details: { causes: ['FieldValueRequired'] },
    });
    expect(await rejection(client.create(NAMESPACES, { metadata: { name: 'shop' } }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
    });
  });

  test('nothing can be created in a namespace that goes, which is final', async () => {
    await bed.createNamespace('going', {});
    await client.delete(NAMESPACES, { name: 'going' });
    const object = { ...settings('late'), metadata: { namespace: 'going', name: 'late' } };
    const events = { record: () => undefined };
    const plan = { groups: [[{ type: 'create', resource: CONFIG_MAPS, object } as const]] };
    const { error } = await applyPlan(plan, { client, events, signal: SIGNAL });
    expect(error).toMatchObject({ name: 'TerminalError' });
  });

  test('a dry run writes nothing', async () => {
    await client.create(CONFIG_MAPS, settings('tried'), { dryRun: true });
    expect(await rejection(client.get(CONFIG_MAPS, inShop('tried')))).toMatchObject({ code: 404 });
  });

  test('fields are applied by the manager that the user agent names, and taken over by force only', async () => {
    const apply = (fieldManager: string | undefined, value: string, force: boolean) =>
      client.patch(CONFIG_MAPS, inShop('applied'), settings('applied', { key: value }), {
        patchType: 'apply',
        force,
        ...(fieldManager === undefined ? {} : { fieldManager }),
      });
    const applied = await apply(undefined, 'ours', false);
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'kruise-manager', operation: 'Apply' }]);
    expect(await rejection(apply('other', 'theirs', false))).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(await apply('other', 'theirs', true)).toMatchObject({ data: { key: 'theirs' } });
    const created = await client.create(CONFIG_MAPS, settings('managed', { key: 'x' }));
    expect(created.metadata.managedFields).toMatchObject([{ manager: 'kruise-manager', operation: 'Update' }]);
  });

  test('ten writers of one object lose no change', async () => {
    await client.create(CONFIG_MAPS, settings('counter', { n: '0' }));
    const options = { signal: SIGNAL, random: Math.random };
    const count = (): Promise<void> =>
      retryOnConflict(async () => {
        const read = await client.get(CONFIG_MAPS, inShop('counter'));
        const { n } = read.data as { n: string };
        await client.update(CONFIG_MAPS, { ...read, data: { n: String(Number(n) + 1) } } as unknown as JsonObject);
      }, options).catch(count);
    await Promise.all(Array.from({ length: 10 }, count));
    expect(await client.get(CONFIG_MAPS, inShop('counter'))).toMatchObject({ data: { n: '10' } });
  });

  test('pages of names alone', async () => {
    for (const n of [1, 2, 3]) await client.create(CONFIG_MAPS, settings(`page-${n}`, { secret: 'x' }));
    const first = await client.list(CONFIG_MAPS, { namespace: 'shop', limit: 2, metadataOnly: true });
    const next = { namespace: 'shop', limit: 500, continue: first.metadata.continue, metadataOnly: true };
    const all = [...first.items, ...(await client.list(CONFIG_MAPS, next)).items];
    expect(first.items).toHaveLength(2);
    expect(all.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['page-1', 'page-2', 'page-3']));
    expect(all.every((item) => item.kind === 'ConfigMap' && item.data === undefined)).toBe(true);
  });

  test('a watch gives the bytes of changes, and ends when it was told to', async () => {
    const { metadata } = await client.list(CONFIG_MAPS, { namespace: 'shop', limit: 1 });
    const options = { namespace: 'shop', resourceVersion: metadata.resourceVersion, signal: SIGNAL };
    const first = firstFrame(client.watch(CONFIG_MAPS, { ...options, timeoutSeconds: 50 }));
    await client.create(CONFIG_MAPS, settings('watched', { text: 'žluťoučký 🐎' }));
    expect(await first).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', metadata: { name: 'watched' }, data: { text: 'žluťoučký 🐎' } },
    });
    const frames = await read(client.watch(CONFIG_MAPS, { ...options, timeoutSeconds: 1 }));
    expect(
      frames
        .trimEnd()
        .split('\n')
        .map((frame) => JSON.parse(frame) as JsonObject),
    ).not.toHaveLength(0);
  });

  test('what has another uid is not deleted and counts as gone; a pod is evicted by its own', async () => {
    const { metadata } = await client.create(PODS, pod('kept'));
    const events = { record: () => undefined };
    const gone = { reference: inShop('kept'), uid: '00000000-0000-0000-0000-000000000000' };
    const deletion = { type: 'delete', resource: PODS, ...gone } as const;
    const { error, changes } = await applyPlan({ groups: [[deletion]] }, { client, events, signal: SIGNAL });
    expect(error).toBeUndefined();
    expect(changes).toHaveLength(1);
    expect((await client.get(PODS, inShop('kept'))).metadata.deletionTimestamp).toBeUndefined();
    const evict = { type: 'evict', reference: inShop('kept'), uid: metadata.uid } as const;
    expect((await applyPlan({ groups: [[evict]] }, { client, events, signal: SIGNAL })).error).toBeUndefined();
    expect(await rejection(client.get(PODS, inShop('kept')))).toMatchObject({ code: 404 });
  });

  test('kubectl shows recorded events, with counts', async () => {
    const regarding = await client.create(CONFIG_MAPS, settings('busy'));
    const ends = new AbortController();
    const monotonic = () => performance.now();
    const logger = createLogger('test', 'error');
    const events = new Events({ client, now: Date.now, monotonic, random: Math.random, logger });
    const running = events.run(ends.signal);
    const recorder = events.recorder({ component: 'pub-controller' });
    const object = { ...regarding, apiVersion: 'v1', kind: 'ConfigMap' };
    for (let i = 0; i < 3; i++) {
      recorder.record({ regarding: object, eventType: 'Warning', reason: 'Busy', message: 'there is much to do' });
    }
    const namespace = await client.get(NAMESPACES, { name: 'shop' });
    recorder.record({ regarding: namespace, eventType: 'Normal', reason: 'Idle', message: 'there is nothing to do' });
    ends.abort();
    await running;
    expect(events.dropped).toBe(0);
    const { stdout } = await bed.kubectl(['get', 'events', '-n', 'shop', '-o', 'wide']);
    expect(stdout).toMatch(
      /Warning\s+Busy\s+configmap\/busy\s+pub-controller\s+there is much to do\s+\S+\s+3\s+busy\./,
    );
    const ofCluster = await bed.kubectl(['get', 'events', '-n', 'default']);
    expect(ofCluster.stdout).toMatch(/Normal\s+Idle\s+namespace\/shop\s+there is nothing to do/);
    const described = await bed.kubectl(['describe', 'configmap', 'busy', '-n', 'shop']);
    expect(described.stdout).toMatch(/Warning\s+Busy\s+\S+ \(x3 over \S+\)\s+pub-controller\s+there is much to do/);
  });

  test('the audit log names who asked', async () => {
    await client.as('kruise-manager/cloneset-controller').create(CONFIG_MAPS, settings('audited'));
    const lines = readFileSync(auditFile(bed.folder), 'utf8').split('\n');
    expect(lines.find((line) => line.includes('"audited"'))).toContain(
      '"userAgent":"kruise-manager/cloneset-controller"',
    );
  });

  test('a pod is known by its token, also after that was replaced, and then it learns that it has none', async () => {
    const folder = join(bed.folder, 'pod');
    mkdirSync(folder);
    const mount = async (serviceAccount: string) => {
      const path = `/api/v1/namespaces/shop/serviceaccounts/${serviceAccount}/token`;
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      const { status } = await bed.client.must(bed.client.send('POST', path, request));
      writeFileSync(join(folder, 'token'), String((status as JsonObject).token));
    };
    writeFileSync(join(folder, 'ca.crt'), readFileSync(join(bed.folder, 'ca.crt')));
    await client.create(
      { ...PODS, plural: 'serviceaccounts', kind: 'ServiceAccount' },
      {
        metadata: { name: 'second', namespace: 'shop' },
      },
    );
    await mount('default');
    let now = 0;
    const { hostname, port } = new URL(bed.client.server);
    const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const connection = await readConnection({ environment, monotonic: () => now, podFolder: folder });
    const asPod = createClient(connection);
    clients.push(asPod);
    const who = async () => String(await rejection(asPod.list(DEPLOYMENTS, { namespace: 'shop' })));
    expect(await who()).toContain('User "system:serviceaccount:shop:default" cannot list resource "deployments"');
    await mount('second');
    now = 61_000;
    expect(await who()).toContain('User "system:serviceaccount:shop:second"');
    writeFileSync(join(folder, 'token'), 'nonsense');
    now = 122_000;
    expect(await rejection(asPod.list(DEPLOYMENTS))).toMatchObject({ code: 401, reason: 'Unauthorized' });
    await mount('default');
    now += 5_000;
    expect(await who()).toContain('shop:default"');
  });

  test('a server that another CA vouches for is sent nothing', async () => {
    const config = JSON.parse(readFileSync(bed.kubeconfig, 'utf8')) as { clusters: { cluster: JsonObject }[] };
    const kubeconfig = join(bed.folder, 'wrong-ca');
    // Any certificate that signs nothing will do.
    const other = readFileSync(join(bed.folder, 'admin.crt')).toString('base64');
    for (const { cluster } of config.clusters) cluster['certificate-authority-data'] = other;
    writeFileSync(kubeconfig, JSON.stringify(config));
    const connection = await readConnection({ kubeconfig, environment: {}, monotonic: () => performance.now() });
    const doubtful = createClient(connection);
    clients.push(doubtful);
    const error = await rejection(doubtful.create(CONFIG_MAPS, settings('misled')));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(String(error)).toMatch(/certificate/);
    expect(await rejection(client.get(CONFIG_MAPS, inShop('misled')))).toMatchObject({ code: 404 });
  });

  test('while the API server stands still requests end with their deadline, and go on when it does', async () => {
    const { pid } = bed.apiServer.process;
    process.kill(pid, 'SIGSTOP');
    const stopped = await rejection(client.list(PODS, { timeoutMs: 300 })).finally(() => process.kill(pid, 'SIGCONT'));
    expect(stopped).toMatchObject({ name: 'ConnectionError', sent: true });
    expect((await client.list(PODS)).items).toBeDefined();
  });

  // Last: everything else would have to wait for it.
  test('when the API server is killed reads wait for it, writes fail clearly, and all works again', async () => {
    const watched = rejection(
      read(client.watch(PODS, { namespace: 'shop', resourceVersion: '0', timeoutSeconds: 600, signal: SIGNAL })),
    );
    await client.list(PODS);
    await bed.apiServer.kill();
    expect(await watched).toMatchObject({ name: 'ConnectionError' });
    expect(await rejection(client.create(CONFIG_MAPS, settings('lost')))).toMatchObject({
      name: 'ConnectionError',
      sent: false,
    });
    const again = bed.apiServer.startAgain();
    // A client that waits as its mirrors do: one try after the other.
    const patient = async (): Promise<number> =>
      await client.list(PODS, { namespace: 'shop' }).then(
        ({ items }) => items.length,
        () => patient(),
      );
    expect(await patient()).toBeGreaterThan(0);
    await again;
    await client.create(CONFIG_MAPS, settings('found'));
    // It remembers no changes from before.
    const old = { namespace: 'shop', resourceVersion: '1', timeoutSeconds: 1, signal: SIGNAL };
    expect(await read(client.watch(PODS, old)).catch(String)).toContain('too old resource version');
  });
});

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}

/** What came until the end of the first line. */
async function firstFrame(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\n');
    if (end >= 0) return JSON.parse(bytes.toString('utf8', 0, end));
  }
  throw new Error('the watch ended before a line did');
}
