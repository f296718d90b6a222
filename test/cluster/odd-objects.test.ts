// Objects that were stored while there were other CRDs and no webhooks: they are told of and left out, all others count, and
// what is taken away from the gateway comes back (faults F13 and F34).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { issueAuthority } from '../../kube/certificates/issue.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from './bed/installation.ts';
import { type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';
import { webhookConfigurations } from './bed/webhook-configurations.ts';

const missing = await missingPrograms();

const KRUISE = '/apis/apps.kruise.io/v1beta1';
const SETS = `${KRUISE}/sidecarsets`;
const SPREADS = `${KRUISE}/namespaces/shop/workloadspreads`;
const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
const PODS = '/api/v1/namespaces/shop/pods';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LOOSE = [
  'sidecarsets.apps',
  'workloadspreads.apps',
  'resourcedistributions.apps',
  'podunavailablebudgets.policy',
];

const web = { matchLabels: { app: 'web' } };
const sidecarSet = (name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name, ...metadata },
  spec,
});
const sidecar = (name: string, more: JsonObject = {}) => ({ name, image: 'registry.example.com/sidecar:1', ...more });
const spread = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name },
  spec,
});
const budget = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name },
  spec,
});
const distribution = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ResourceDistribution',
  metadata: { name },
  spec,
});
const HASHED = { annotations: { 'kruise.io/sidecarset-hash': 'h', 'kruise.io/sidecarset-hash-without-image': 'h' } };

/** What no CRD of today lets through, or no webhook. */
const ODD: readonly [path: string, object: JsonObject][] = [
  [SETS, sidecarSet('odd-list', { selector: web, containers: 'none' }, HASHED)],
  [SETS, sidecarSet('odd-null', { selector: null, containers: [null] }, HASHED)],
  [
    SETS,
    sidecarSet(
      'odd-pattern',
      {
        selector: web,
        containers: [
          sidecar('p', {
            resourcesPolicy: {
              targetContainersMode: 'sum',
              targetContainersNameRegex: '(',
              resourcesExpr: { limits: { cpu: 'cpu' } },
            },
          }),
        ],
      },
      HASHED,
    ),
  ],
  [SPREADS, spread('odd', { targetRef: 5, subsets: 'all' })],
  [SPREADS, spread('odd-null', { targetRef: null, subsets: [null, { name: 'a', maxReplicas: {} }] })],
  [BUDGETS, budget('odd', { selector: { matchLabels: { app: 7 } }, maxUnavailable: [] })],
  [BUDGETS, budget('odd-number', { selector: web, maxUnavailable: 1e30 })],
  [`${KRUISE}/resourcedistributions`, distribution('odd', { resource: {}, targets: { includedNamespaces: 'x' } })],
];
describe.skipIf(missing.length > 0)('where odd objects are stored', () => {
  let bed: Bed;
  let gateway: LiveGateway;
  let reconcilers: Reconcilers;
  let pods = 0;

  beforeAll(async () => {
    bed = await Bed.start();
    for (const name of ['kruise-system', 'shop']) await bed.createNamespace(name);
    await createCrds(bed.client, chartCrds());
    const definitions = chartCrds().filter((crd) => LOOSE.some((name) => nameOf(crd) === `${name}.kruise.io`));
    for (const crd of definitions) await define(loosened(crd));
    for (const [path, object] of ODD) await until(`${path} takes anything`, () => isTaken(path, object));
    for (const crd of definitions) await define(crd);
    const nowhere = { host: '127.0.0.1', port: 1, ca: (await issueAuthority('nobody', Date.now())).certificate };
    for (const one of webhookConfigurations(nowhere, () => true)) await createConfiguration(bed.client, one);
    gateway = await startLiveGateway(bed);
    reconcilers = new Reconcilers(bed, ['--feature-gates', 'ResourceDistributionGate=true']);
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

  const nameOf = ({ metadata }: JsonObject) => String((metadata as JsonObject).name);

  async function define(crd: JsonObject): Promise<void> {
    const path = `${CRDS}/${nameOf(crd)}`;
    const { spec } = await bed.client.must(bed.client.get(path));
    const { conversion } = spec as JsonObject;
    await bed.client.must(
      bed.client.send('PATCH', path, { spec: { ...(crd.spec as JsonObject), conversion: conversion ?? null } }),
    );
  }

  function loosened(crd: JsonObject): JsonObject {
    const spec = crd.spec as JsonObject & { versions: JsonObject[] };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    return { ...crd, spec: { ...spec, versions: spec.versions.map((version) => ({ ...version, schema })) } };
  }

  async function isTaken(path: string, object: JsonObject): Promise<boolean> {
    return (await bed.client.send('POST', path, object)).status === 201;
  }

  async function created(): Promise<readonly unknown[]> {
    const containers = [{ name: 'main', image: 'registry.example.com/main:1' }];
    const metadata = { name: `web-${pods++}`, labels: { app: 'web' } };
    const made = await bed.client.must(
      bed.client.send('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } }),
    );
    return (made.spec as { containers: JsonObject[] }).containers.map(({ name }) => name);
  }

  async function eventsOn(name: string, kind: string): Promise<string[]> {
    const { items } = await bed.client.must(
      bed.client.get(`/api/v1/events?fieldSelector=involvedObject.name%3D${name}`),
    );
    const all = (items as { involvedObject: JsonObject; reason: string }[]).filter(
      ({ involvedObject }) => involvedObject.kind === kind,
    );
    return [...new Set(all.map(({ reason }) => reason))].sort();
  }

  test('the good ones are followed, and the others told of', async () => {
    await bed.client.must(
      bed.client.send('POST', SETS, sidecarSet('good', { selector: web, containers: [sidecar('good')] })),
    );
    await bed.client.must(
      bed.client.send(
        'POST',
        BUDGETS,
        budget('good', { selector: { matchLabels: { app: 'api' } }, maxUnavailable: 1 }),
      ),
    );
    await until('pods get the sidecar', async () => (await created()).includes('good'));
    expect(await created()).toEqual(['good', 'main']);
    await until('the good budget has its status', async () => {
      const { body } = await bed.client.get(`${BUDGETS}/good`);
      return (body.status as JsonObject | undefined)?.observedGeneration === 1;
    });
    await until('events tell of odd objects', async () => (await eventsOn('odd-list', 'SidecarSet')).length === 2);
    expect(await eventsOn('odd-list', 'SidecarSet')).toEqual(['InvalidObject', 'InvalidPolicyObject']);
    expect(await eventsOn('odd-pattern', 'SidecarSet')).toEqual(['InvalidPolicyObject']);
    expect(await eventsOn('odd', 'WorkloadSpread')).toEqual(['InvalidObject', 'InvalidPolicyObject']);
  });

  test('sets whose definition goes and comes back are forgotten and followed again', async () => {
    const name = 'sidecarsets.apps.kruise.io';
    await bed.client.must(bed.client.delete(`${CRDS}/${name}`));
    await until('the sets are gone', async () => (await created()).length === 1);
    expect(await gateway.health('/readyz')).toBe('ok');
    await until('the definition is gone', async () => (await bed.client.get(`${CRDS}/${name}`)).status === 404);
    await createCrds(
      bed.client,
      chartCrds().filter((crd) => nameOf(crd) === name),
    );
    await untilServed(bed);
    const set = sidecarSet('again', { selector: web, containers: [sidecar('again')] });
    await bed.client.must(bed.client.send('POST', SETS, set));
    await until('pods get the sidecar', async () => (await created()).includes('again'));
  });
});
