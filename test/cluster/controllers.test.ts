// The smaller controllers on a real API server: what they write is taken, and the cluster is as it should be. Pods are
// said to run: there are no nodes that run them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createCrds, until } from './bed/installation.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const CORE = '/api/v1/namespaces/shop';
const KRUISE = '/apis/apps.kruise.io/v1beta1';
const STATEFUL_SETS = '/apis/apps/v1/namespaces/shop/statefulsets';
const SPREADS = `${KRUISE}/namespaces/shop/workloadspreads`;
const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';

describe.skipIf(missing.length > 0)('controllers on an API server', () => {
  let bed: Bed;
  let reconcilers: Reconcilers;

  beforeAll(async () => {
    bed = await Bed.start();
    await createCrds(bed.client, chartCrds());
    for (const name of ['kruise-system', 'shop']) await bed.createNamespace(name);
    reconcilers = new Reconcilers(bed, ['--feature-gates', 'ResourceDistributionGate=true']);
    reconcilers.start();
    await reconcilers.leader();
  });
  afterAll(async () => {
    await reconcilers?.end();
    await bed?.close();
  });

  const create = (path: string, object: JsonObject) => bed.client.must(bed.client.send('POST', path, object));
  const patch = (path: string, object: JsonObject) => bed.client.must(bed.client.send('PATCH', path, object));
  const remove = (path: string) => bed.client.must(bed.client.delete(path));

  /** The object at a path once it is as `check` wants it. */
  async function object(path: string, check: (found: JsonObject) => boolean = () => true): Promise<JsonObject> {
    let found: JsonObject = {};
    await until(`${path} is as it should be`, async () => {
      const { status, body } = await bed.client.get(path);
      found = body;
      return status === 200 && check(body);
    });
    return found;
  }

  async function pod(name: string, more: { metadata?: JsonObject; spec?: JsonObject } = {}): Promise<string> {
    const containers = [{ name: 'main', image: 'registry.example.com/main:1' }];
    const spec = { containers, terminationGracePeriodSeconds: 0, ...more.spec };
    await create(`${CORE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...more.metadata }, spec });
    return `${CORE}/pods/${name}`;
  }

  async function ready(path: string, ...containers: string[]): Promise<void> {
    const image = 'registry.example.com/main:1';
    const containerStatuses = containers.map((name) => ({ name, ready: true, image, imageID: image, restartCount: 0 }));
    const conditions = [{ type: 'Ready', status: 'True' }];
    await patch(`${path}/status`, { status: { phase: 'Running', conditions, containerStatuses } });
  }

  function owner({ apiVersion, kind, metadata }: JsonObject): JsonObject {
    const { name = '', uid = '' } = metadata as JsonObject;
    return { apiVersion: apiVersion ?? '', kind: kind ?? '', name, uid, controller: true };
  }

  test('a pod that waits for KruisePodReady gets it', async () => {
    const path = await pod('gated', { spec: { readinessGates: [{ conditionType: 'KruisePodReady' }] } });
    const { status } = await object(path, ({ status }) => JSON.stringify(status).includes('KruisePodReady'));
    const { conditions } = status as { conditions: JsonObject[] };
    expect(conditions.find(({ type }) => type === 'KruisePodReady')).toMatchObject({ status: 'True' });
  });

  test('the keys of a barrier come one after the other, and the barrier goes with its pod', async () => {
    const waiting = (name: string, priority: number) => ({
      name,
      image: 'registry.example.com/main:1',
      env: [
        {
          name: 'KRUISE_CONTAINER_BARRIER',
          valueFrom: { configMapKeyRef: { name: 'ordered-barrier', key: `p_${priority}` } },
        },
      ],
    });
    const path = await pod('ordered', { spec: { containers: [waiting('main', 0), waiting('side', 1)] } });
    const barrier = `${CORE}/configmaps/ordered-barrier`;
    expect((await object(barrier)).data).toEqual({ p_1: 'true' });
    await ready(path, 'side');
    await object(barrier, ({ data }) => JSON.stringify(data) === '{"p_0":"true","p_1":"true"}');
    const completed = 'apps.kruise.io/container-launch-priority-completed';
    await object(path, ({ metadata }) => JSON.stringify(metadata).includes(`"${completed}":"true"`));
    const { ownerReferences } = (await object(barrier)).metadata as { ownerReferences: JsonObject[] };
    expect(ownerReferences).toMatchObject([{ kind: 'Pod', name: 'ordered' }]);
  });

  test('a Secret is distributed, kept right, and taken back', async () => {
    for (const name of ['one', 'two']) await bed.createNamespace(name);
    const list = ['one', 'two', 'none'].map((name) => ({ name }));
    const resource = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shared' }, stringData: { p: 'q' } };
    const path = `${KRUISE}/resourcedistributions`;
    const type = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution' };
    await create(path, {
      ...type,
      metadata: { name: 'rd' },
      spec: { resource, targets: { includedNamespaces: { list } } },
    });
    const copy = '/api/v1/namespaces/one/secrets/shared';
    expect(await object(copy)).toMatchObject({
      data: { p: 'cQ==' },
      metadata: {
        annotations: { 'kruise.io/resourcedistribution.resource.from': 'rd' },
        ownerReferences: [{ name: 'rd', controller: true }],
      },
    });
    const { status } = await object(`${path}/rd`, (found) => (found.status as JsonObject | undefined)?.succeeded === 2);
    expect(status).toMatchObject({ desired: 3, failed: 1, observedGeneration: 1 });
    const { conditions } = status as { conditions: JsonObject[] };
    expect(conditions.filter((one) => one.status === 'True')).toMatchObject([
      { type: 'NamespaceNotExists', failedNamespaces: ['none'] },
    ]);

    await patch(copy, { data: { p: 'cg==' } });
    await object(copy, ({ data }) => (data as JsonObject).p === 'cQ==');
    await remove(copy);
    const { metadata } = await object(copy);
    await bed.createNamespace('none');
    await object('/api/v1/namespaces/none/secrets/shared');
    await object(`${path}/rd`, (found) => (found.status as JsonObject).succeeded === 3);
    await patch(`${path}/rd`, { spec: { targets: { includedNamespaces: { list: list.slice(0, 1) } } } });
    await until(
      'the others are gone',
      async () => (await bed.client.get('/api/v1/namespaces/two/secrets/shared')).status === 404,
    );
    // What is right is not written again and again.
    const { resourceVersion } = metadata as JsonObject;
    expect(((await object(copy)).metadata as JsonObject).resourceVersion).toBe(resourceVersion);
  });

  test('where a pod ran is recorded by an object that its workload asked for', async () => {
    const labels = { zone: 'z1', 'kubernetes.io/hostname': 'n1' };
    await create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } });
    const selector = { matchLabels: { app: 'db' } };
    const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
    const annotations = {
      'kruise.io/auto-generate-persistent-pod-state': 'true',
      'kruise.io/required-persistent-topology': 'zone',
      'kruise.io/preferred-persistent-topology': 'kubernetes.io/hostname',
    };
    const spec = { replicas: 1, selector, template, serviceName: 'db' };
    const set = await create(STATEFUL_SETS, { metadata: { name: 'db', annotations }, spec });
    const path = `${KRUISE}/namespaces/shop/persistentpodstates/db`;
    expect(await object(path)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'StatefulSet', name: 'db', controller: true }] },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
        requiredPersistentTopology: { keys: ['zone'] },
      },
    });
    const metadata = {
      labels: { app: 'db' },
      ownerReferences: [owner({ ...set, apiVersion: 'apps/v1', kind: 'StatefulSet' })],
    };
    await ready(await pod('db-0', { metadata, spec: { nodeName: 'n1' } }), 'main');
    const { status } = await object(path, (found) => JSON.stringify(found.status ?? {}).includes('db-0'));
    expect(status).toEqual({
      observedGeneration: 1,
      podStates: { 'db-0': { nodeName: 'n1', nodeTopologyLabels: labels } },
    });
    await patch(`${STATEFUL_SETS}/db`, {
      metadata: { annotations: { 'kruise.io/auto-generate-persistent-pod-state': 'false' } },
    });
    await until('it is gone', async () => (await bed.client.get(path)).status === 404);
  });

  test('a budget and a spread of a workload above a ReplicaSet count its pods', async () => {
    const names = { plural: 'rollouts', singular: 'rollout', kind: 'Rollout', listKind: 'RolloutList' };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    };
    const version = {
      name: 'v1alpha1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: open },
      subresources: { status: {}, scale },
    };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'rollouts.argoproj.io' },
      spec: { group: 'argoproj.io', names, scope: 'Namespaced', versions: [version] },
    };
    await createCrds(bed.client, [crd]);
    const type = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
    const targetRef = { ...type, name: 'web' };
    await create(BUDGETS, {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name: 'web' },
      spec: { targetRef, maxUnavailable: 1 },
    });
    const subsets = [{ name: 'a', maxReplicas: 3 }, { name: 'b' }];
    await create(SPREADS, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      metadata: { name: 'web' },
      spec: { targetRef, subsets },
    });

    const rollout = await create('/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts', {
      ...type,
      metadata: { name: 'web' },
      spec: { replicas: 3 },
    });
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x:1' }] } };
    const set = await create('/apis/apps/v1/namespaces/shop/replicasets', {
      metadata: { name: 'web-1', labels, ownerReferences: [owner(rollout)] },
      spec: { replicas: 3, selector: { matchLabels: labels }, template },
    });
    const ownerReferences = [owner({ ...set, apiVersion: 'apps/v1', kind: 'ReplicaSet' })];
    const annotations = { 'apps.kruise.io/matched-workloadspread': '{"name":"web","subset":"a"}' };
    for (let i = 0; i < 3; i++)
      await ready(await pod(`web-${i}`, { metadata: { labels, ownerReferences, annotations } }), 'main');

    const { status } = await object(
      `${BUDGETS}/web`,
      (found) => (found.status as JsonObject | undefined)?.currentAvailable === 3,
    );
    expect(status).toMatchObject({
      totalReplicas: 3,
      desiredAvailable: 2,
      unavailableAllowed: 1,
      observedGeneration: 1,
    });
    await object(`${CORE}/pods/web-2`, ({ metadata }) =>
      JSON.stringify(metadata).includes('"pub.kruise.io/related-pub":"web"'),
    );
    const counted = (found: JsonObject) =>
      JSON.stringify(found.status ?? {}).includes('"missingReplicas":0,"name":"a","replicas":3');
    expect((await object(`${SPREADS}/web`, counted)).status).toMatchObject({ observedGeneration: 1 });
  });
});
