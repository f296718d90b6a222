// Objects that are stored in an old version with content that does not decode: the API server answers for none of their kind
// in the version that programs speak, and all others count all the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const SETS = '/apis/apps.kruise.io/v1beta1/sidecarsets';
const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
const OLD_BUDGETS = '/apis/policy.kruise.io/v1alpha1/namespaces/shop/podunavailablebudgets';
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podunavailablebudgets.policy.kruise.io';
const PODS = '/api/v1/namespaces/shop/pods';

/** The API server tries for half a minute before it ends the watches that it cannot go on with. */
const SILENT_MS = 60_000;

const web = { matchLabels: { app: 'web' } };
const container = (name: string) => ({ name, image: 'registry.example.com/sidecar:1' });
const HASHED = { 'kruise.io/sidecarset-hash': 'h', 'kruise.io/sidecarset-hash-without-image': 'h' };

const sidecarSet = (version: string, name: string, containers: JsonObject['containers'] = [container(name)]) => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'SidecarSet',
  metadata: { name, annotations: HASHED },
  spec: { selector: web, containers },
});
const budget = (version: string, name: string, spec: JsonObject) => ({
  apiVersion: `policy.kruise.io/${version}`,
  kind: 'PodUnavailableBudget',
  metadata: { name, namespace: 'shop' },
  spec,
});

const good = (name: string) => budget('v1beta1', name, { selector: { matchLabels: { app: name } }, maxUnavailable: 1 });

describe.skipIf(missing.length > 0)('where objects are stored that cannot be converted', () => {
  let bed: Bed;
  let gateway: LiveGateway;
  let reconcilers: Reconcilers;
  let pods = 0;

  beforeAll(async () => {
    bed = await Bed.start();
    await installUnserved(bed);
    await bed.createNamespace('shop');
    await store(sidecarSet('v1alpha1', 'old'));
    await store(sidecarSet('v1alpha1', 'poison', 'none'));
    await store(sidecarSet('v1beta1', 'new'));
    gateway = await startLiveGateway(bed);
    reconcilers = new Reconcilers(bed);
    reconcilers.start();
    await until('the gateway is ready', async () => (await gateway.health('/readyz')) === 'ok');
    await untilServed(bed);
    await reconcilers.leader();
  });
  afterAll(async () => {
    await reconcilers?.end();
    await gateway?.process.end();
    await bed?.close();
  });

  // As the API server would have written it when this was the version in which it stores.
  async function store(object: JsonObject): Promise<void> {
    const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string; metadata: JsonObject };
    const group = apiVersion.split('/')[0];
    const folder = ['/registry', group, `${kind.toLowerCase()}s`, metadata.namespace].filter((part) => part);
    const whole = { ...metadata, uid: crypto.randomUUID(), generation: 1, creationTimestamp: '2024-01-01T00:00:00Z' };
    await bed.etcd.put(`${folder.join('/')}/${String(metadata.name)}`, { ...object, metadata: whole });
  }

  async function created(): Promise<JsonObject[]> {
    const containers = [{ name: 'main', image: 'registry.example.com/main:1' }];
    const metadata = { name: `web-${pods++}`, labels: { app: 'web' } };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
    const { spec } = await bed.client.must(bed.client.send('POST', PODS, pod));
    return (spec as { containers: JsonObject[] }).containers;
  }
  const injected = async () => (await created()).map(({ name }) => name).sort();
  const images = async () => (await created()).map(({ image }) => image);

  async function value(name: string, resource: string): Promise<number> {
    const line = `sluice_mirror_${name}{resource="${resource}"} `;
    const found = (await gateway.metrics()).split('\n').find((one) => one.startsWith(line));
    return Number(found?.slice(line.length));
  }

  async function eventsOn(name: string): Promise<string[]> {
    const path = `/api/v1/events?fieldSelector=involvedObject.name%3D${name}`;
    const { items } = await bed.client.must(bed.client.get(path));
    return (items as { reason: string; message: string }[])
      .map(({ reason, message }) => `${reason}: ${message}`)
      .sort();
  }

  async function counted(name: string): Promise<void> {
    await until(
      `the budget ${name} has its status`,
      async () => {
        const { status } = (await bed.client.get(`${BUDGETS}/${name}`)).body;
        return (status as JsonObject | undefined)?.observedGeneration === 1;
      },
      SILENT_MS,
    );
  }

  test('a gateway that starts then is ready, decides by all others, and tells of the one', async () => {
    expect((await bed.client.get(SETS)).status).not.toBe(200);
    expect(await injected()).toEqual(['main', 'new', 'old']);
    await until('events tell of it', async () => (await eventsOn('poison')).length === 2);
    expect(await eventsOn('poison')).toEqual([
      'InvalidObject: spec.containers: expected array, got string',
      'InvalidPolicyObject: spec.containers: expected array, got string',
    ]);
    expect(await value('unreadable_objects', 'sidecarsets.apps.kruise.io')).toBe(1);
    expect(await value('detour', 'sidecarsets.apps.kruise.io')).toBe(1);
    expect(await gateway.health('/readyz?verbose')).toContain(
      '[!]sidecarsets.apps.kruise.io degraded: conversion webhook for apps.kruise.io/v1alpha1, Kind=SidecarSet failed',
    );
  });

  test('changes of the others are followed', async () => {
    await bed.client.must(
      bed.client.send('PATCH', `${SETS}/old`, {
        spec: { containers: [{ ...container('old'), image: 'registry.example.com/sidecar:2' }] },
      }),
    );
    await until('the change counts', async () => (await images()).includes('registry.example.com/sidecar:2'));
    await bed.client.must(bed.client.delete(`${SETS}/old`));
    await until('the deletion counts', async () => (await injected()).join() === 'main,new');
  });

  test('one that comes while all run disturbs no other, also where no version has all of them', {
    timeout: 180_000,
  }, async () => {
    await bed.client.must(bed.client.send('POST', BUDGETS, good('first')));
    await counted('first');
    await store(budget('v1alpha1', 'poison', { selector: 'all' }));
    await bed.client.must(bed.client.send('POST', BUDGETS, good('second')));
    await counted('second');
    await until(
      'it is told of',
      async () => (await value('unreadable_objects', 'podunavailablebudgets.policy.kruise.io')) === 1,
    );

    await store(budget('v1beta1', 'other', { selector: 'none' }));
    expect((await bed.client.get(OLD_BUDGETS)).status).not.toBe(200);
    await bed.client.must(bed.client.send('POST', BUDGETS, good('third')));
    await counted('third');
    // The set from the start, and the two budgets.
    const areAllTold = async () => /^sluice_refused_objects 3$/m.test(await gateway.metrics());
    await until('all three are told of', areAllTold, SILENT_MS);
    expect(await gateway.health('/readyz')).toBe('ok');
  });

  test('when they are healed or gone, objects are read as before', async () => {
    await store(sidecarSet('v1alpha1', 'poison', [container('healed')]));
    await until('it counts', async () => (await injected()).join() === 'healed,main,new');
    await until('sets are read as before', async () => (await value('detour', 'sidecarsets.apps.kruise.io')) === 0);
    // The API server deletes only what it can convert.
    expect((await bed.client.delete(`${OLD_BUDGETS}/poison`)).status).toBe(500);
    const { conversion } = (await bed.client.must(bed.client.get(CRD))).spec as JsonObject;
    const setConversion = (value: JsonObject) =>
      bed.client.must(bed.client.send('PATCH', CRD, { spec: { conversion: value } }));
    await setConversion({ strategy: 'None', webhook: null });
    for (const name of ['poison', 'other']) {
      await until(`${name} is gone`, async () => (await bed.client.delete(`${BUDGETS}/${name}`)).status === 404);
    }
    await setConversion(conversion as JsonObject);
    const resource = 'podunavailablebudgets.policy.kruise.io';
    await until('budgets are read as before', async () => (await value('detour', resource)) === 0);
    expect(await value('unreadable_objects', resource)).toBe(0);
    const again = '"msg":"the API server can convert all objects again"';
    await until('it is told', async () => gateway.process.log.split(again).length > 2);
    await bed.client.must(bed.client.send('POST', BUDGETS, good('last')));
    await counted('last');
  });
});
