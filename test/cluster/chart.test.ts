// Sluice as users install it: by helm, from its image, with accounts of its own, on nodes that run containers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { CHART, objectsOf } from '../charts/helm.ts';
import { Bed } from './bed/bed.ts';
import { installChart } from './bed/chart.ts';
import { until } from './bed/installation.ts';
import { missingForNodes } from './bed/required.ts';
import { askedBy, rightsOf, unused } from './rights.ts';

const missing = await missingForNodes();

/** As OpenKruise's own tests have it: nearly everything on. */
const GATES = 'AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false';
const SETTINGS = ['--set-string', `featureGates=${GATES.replaceAll(',', '\\,')}`];

/** Rights for what happens when two decide at once, when somebody has taken something away, or when things go wrong. */
const SELDOM = new Set([
  'kruise-gateway: get podunavailablebudgets (policy.kruise.io)',
  'kruise-gateway: get workloadspreads (apps.kruise.io)',
  'kruise-gateway: create secrets ()',
  'kruise-gateway: create events ()',
  'kruise-gateway: patch events ()',
  'kruise-manager: patch events ()',
  // Asked for by an admission plug-in that is off here.
  'kruise-manager: update sidecarsets/finalizers (apps.kruise.io)',
  'kruise-manager: update resourcedistributions/finalizers (apps.kruise.io)',
]);

describe.skipIf(missing.length > 0)('installed by helm', () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 2 });
    await installChart(bed, SETTINGS);
    for (const name of ['shop', 'kept']) await kubectl('create', 'namespace', name);
  });
  afterAll(() => bed?.close());

  test('the gateway answers: SidecarSets of each version are read in the other, changed, and refused when wrong', async () => {
    for (const version of ['v1alpha1', 'v1beta1']) {
      await create(sidecarSet(version, `logs-${version}`));
      for (const other of ['v1alpha1', 'v1beta1']) {
        const read = await get(`sidecarsets.${other}.apps.kruise.io`, `logs-${version}`);
        expect(read).toMatchObject({
          apiVersion: `apps.kruise.io/${other}`,
          metadata: { name: `logs-${version}` },
          spec: { containers: [{ name: `agent-${version}` }] },
        });
      }
      await kubectl(
        'patch',
        'sidecarset',
        `logs-${version}`,
        '--type=merge',
        '-p',
        '{"spec":{"updateStrategy":{"paused":true}}}',
      );
      expect(await get('sidecarsets', `logs-${version}`)).toMatchObject({ spec: { updateStrategy: { paused: true } } });
    }
    const wrong = { ...sidecarSet('v1beta1', 'wrong'), spec: { containers: [{ name: 'A', image: 'busybox:1.36' }] } };
    const { code, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(wrong));
    expect([code, stderr]).toEqual([1, expect.stringContaining('vsidecarset.kb.io')]);
    expect(await kubectl('explain', 'sidecarset.spec.containers')).toContain('podInjectPolicy');
  });

  test("a Deployment's pods get their sidecars and pull secrets, and run", async () => {
    await create(deployment('shop', 'web', 3));
    await kubectl('-n', 'shop', 'rollout', 'status', 'deployment/web', '--timeout=50s');
    const pods = await list('pods', 'shop');
    expect(pods).toHaveLength(3);
    for (const { spec = {}, status = {} } of pods) {
      const containers = (spec.containers as JsonObject[]).map(({ name }) => name);
      expect(containers.toSorted()).toEqual(['agent-v1alpha1', 'agent-v1beta1', 'web']);
      expect(spec.imagePullSecrets).toEqual([{ name: 'own' }, { name: 'sidecars' }]);
      expect((status.containerStatuses as JsonObject[]).map(({ ready }) => ready)).toEqual([true, true, true]);
    }
  });

  test('budgets hold evictions back, spreads place pods, protected objects stay', async () => {
    await create(budget('shop', 'web'));
    await create(spread('shop', 'web'));
    await until('the budget counts its pods', async () => {
      return (await get('podunavailablebudgets', 'web', 'shop')).status?.totalReplicas === 3;
    });
    const [first, second] = await list('pods', 'shop');
    expect([await evict(first), await evict(second)]).toEqual([201, 403]);
    await kubectl('-n', 'shop', 'rollout', 'status', 'deployment/web', '--timeout=50s');
    const spreads = (await list('pods', 'shop')).map(({ metadata }) => {
      return (metadata.annotations as JsonObject | undefined)?.['apps.kruise.io/matched-workloadspread'] !== undefined;
    });
    expect(spreads).toContain(true);
    await kubectl('label', 'namespace', 'shop', 'policy.kruise.io/delete-protection=Cascading');
    const { code, stderr } = await bed.kubectl(['delete', 'namespace', 'shop', '--wait=false']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('vnamespace.kb.io')]);
    await kubectl('label', 'crd', 'clonesets.apps.kruise.io', 'policy.kruise.io/delete-protection=Cascading');
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clonesets.apps.kruise.io';
    expect((await bed.client.delete(`${definition}?dryRun=All`)).status).toBe(200);
    await kubectl('label', 'crd', 'clonesets.apps.kruise.io', 'policy.kruise.io/delete-protection-');
  });

  test('pods that find no place in a subset are moved on', async () => {
    await create(deployment('kept', 'moved', 1));
    await kubectl('-n', 'kept', 'rollout', 'status', 'deployment/moved', '--timeout=50s');
    await create(spread('kept', 'moved', { schedule: 3 }));
    await kubectl('-n', 'kept', 'rollout', 'restart', 'deployment/moved');
    await kubectl('-n', 'kept', 'rollout', 'status', 'deployment/moved', '--timeout=50s');
    const [pod] = await list('pods', 'kept');
    expect(JSON.stringify(pod?.metadata.annotations)).toContain('rest');
  });

  test('SidecarSets have revisions, of which the oldest go', async () => {
    for (const tag of ['1.33', '1.34', '1.33', '1.35', '1.36']) {
      const set = sidecarSet('v1beta1', 'turns', `busybox:${tag}`);
      const object = {
        ...set,
        spec: { ...(set.spec as JsonObject), ...{ revisionHistoryLimit: 2, selector: NOBODY } },
      };
      const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], JSON.stringify(object));
      expect([code, stderr]).toEqual([0, '']);
      await until('the revision is registered', async () => {
        const { metadata, status } = await get('sidecarsets', 'turns');
        return status?.observedGeneration === metadata.generation;
      });
    }
    const revisions = () => kubectl('-n', 'kruise-system', 'get', 'controllerrevisions', '-o', 'name', '-l', TURNS);
    await until('the oldest are gone', async () => (await revisions()).trim().split('\n').length <= 2);
  });

  test('what decisions ask about the cluster may be looked up', async () => {
    const [pod] = await list('pods', 'shop');
    await create({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ContainerRecreateRequest',
      metadata: { namespace: 'shop', name: 'restart' },
      spec: { podName: pod?.metadata.name ?? '', containers: [{ name: 'web' }] },
    });
    await create(statefulSet('kept', 'ledger', '1Gi'));
    for (const patch of [claims('2Gi'), claims('3Gi', 'standard'), claims('4Gi', 'standard')]) {
      const { stderr } = await bed.kubectl(['-n', 'kept', 'patch', 'asts', 'ledger', '--type=merge', '-p', patch]);
      expect(stderr).not.toContain('cannot look up');
    }
    await create(LISTED_WORKLOADS);
    await create(unitedDeployment('kept', 'united'));
    await create(budget('kept', 'united', UNITED));
    await create(budget('kept', 'nodes', { apiVersion: 'apps/v1', kind: 'DaemonSet' }));
    await create(budget('kept', 'once', { apiVersion: 'batch/v1', kind: 'Job' }));
    await create(spread('kept', 'united', { target: UNITED }));
    await create({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', ...workload('kept', 'owner', 0) });
    const { uid = '' } = (await get('clonesets', 'owner', 'kept')).metadata;
    const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'owner', uid, controller: true };
    for (const [name, references] of [['of-clones', [owner]]] as const) {
      await create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'kept', name, ownerReferences: references as unknown as Json },
        spec: { containers: [{ name: 'web', image: 'nginx:1.25' }] },
      });
    }
    await kubectl('-n', 'kept', 'create', 'job', 'once', '--image=busybox:1.36', '--', 'true');
    await until(
      'the job has a pod',
      async () => (await kubectl('-n', 'kept', 'get', 'pods', '-l', 'job-name=once', '-o', 'name')) !== '',
    );
  });

  test('the controllers work with the rights of their account', async () => {
    await create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: 'kept',
        name: 'ordered',
        annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' },
      },
      spec: {
        containers: ['first', 'second'].map((name) => ({ name, image: 'busybox:1.36', command: IDLE })),
      },
    });
    await kubectl('-n', 'kept', 'wait', '--for=condition=Ready', 'pod/ordered', '--timeout=30s');

    await create(recordedStatefulSet('kept', 'recorded'));
    const recorded = () => bed.kubectl(['-n', 'kept', 'get', 'persistentpodstate', 'recorded', '-o', 'json']);
    await until('the pod is recorded', async () => (await recorded()).stdout.includes('"recorded-0"'));
    await kubectl('-n', 'kept', 'annotate', 'statefulset.apps', 'recorded', PREFERRED);
    await until('the wish is taken over', async () =>
      (await recorded()).stdout.includes('preferredPersistentTopology'),
    );
    await kubectl('-n', 'kept', 'annotate', 'statefulset.apps', 'recorded', `${PERSISTENT}-`);
    await until('nothing is recorded any more', async () => (await recorded()).code !== 0);

    const copy = async () =>
      (await bed.kubectl(['-n', 'kept', 'get', 'configmap', 'copied', '-o', 'jsonpath={.data.a}'])).stdout;
    await create(distribution('copied', 'one'));
    await until('the ConfigMap is distributed', async () => (await copy()) === 'one');
    const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], JSON.stringify(distribution('copied', 'two')));
    expect([code, stderr]).toEqual([0, expect.anything()]);
    await until('the copy follows', async () => (await copy()) === 'two');
    const nowhere =
      '[{"op":"replace","path":"/spec/targets","value":{"includedNamespaces":{"list":[{"name":"shop"}]}}}]';
    await kubectl('patch', 'resourcedistribution', 'copied', '--type=json', '-p', nowhere);
    await until('the copy goes', async () => (await copy()) === '');
  });

  // Helm 3 and other tools merge on their side, and the API server does not tell that from an edit.
  test.each(['true', 'false'])(
    'an upgrade changes what its values say, merged by the server: %s',
    async (isServerSide) => {
      const pods = async () => {
        const { webhooks } = await get('mutatingwebhookconfigurations', 'kruise-mutating-webhook-configuration');
        return ((webhooks ?? []) as JsonObject[])[0] ?? {};
      };
      const upgrade = (...values: string[]) =>
        helm('upgrade', 'kruise', CHART, ...SETTINGS, `--server-side=${isServerSide}`, ...values);
      await upgrade('--set', 'webhookConfiguration.failurePolicy.podMutation=Ignore');
      await until('the configuration is adopted', async () => {
        const { failurePolicy, clientConfig } = await pods();
        return failurePolicy === 'Ignore' && (clientConfig as JsonObject).caBundle !== undefined;
      });
      await kubectl('-n', 'shop', 'annotate', 'pods', '--all', 'touched=yes', '--overwrite');
      expect((await pods()).failurePolicy).toBe('Ignore');
      await upgrade();
      await until('it is as before', async () => (await pods()).failurePolicy === 'Fail');
    },
  );

  test('while all pods of the gateway are replaced, every new pod gets its sidecars', async () => {
    const ending = new AbortController();
    const answers: string[] = [];
    const asking = (async () => {
      while (!ending.signal.aborted) {
        const { status, body } = await bed.client.send('POST', '/api/v1/namespaces/shop/pods?dryRun=All', NEW_POD);
        const { containers = [] } = (body.spec ?? {}) as { containers?: JsonObject[] };
        answers.push(status === 201 ? `${containers.length} containers` : String(body.message));
      }
    })();
    await helm('upgrade', 'kruise', CHART, ...SETTINGS, '--set', 'manager.podAnnotations.replaced=yes');
    await rolledOut('kruise-controller-manager');
    ending.abort();
    await asking;
    expect(answers.length).toBeGreaterThan(20);
    expect(new Set(answers)).toEqual(new Set(['3 containers']));
  });

  test('its accounts are refused nothing, and have no right that they do not use', async () => {
    const { stdout } = await bed.helm(['get', 'manifest', 'kruise']);
    const rights = rightsOf(objectsOf(stdout));
    const asked = askedBy(bed.folder, 'kruise-system');
    expect(asked.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    expect(unused(rights, asked).filter((text) => !SELDOM.has(text))).toEqual([]);
  });

  test('it is not uninstalled while there are workloads, and leaves their definitions behind', async () => {
    const refused = await bed.helm(['uninstall', 'kruise', '--timeout', '50s']);
    expect(refused.code).not.toBe(0);
    await rolledOut('kruise-controller-manager');
    expect(await kubectl('-n', 'kruise-system', 'logs', 'job/kruise-finalizer')).toContain('kept/ledger');
    for (const kind of ['statefulsets', 'clonesets', 'uniteddeployments']) {
      await kubectl('-n', 'kept', 'delete', `${kind}.apps.kruise.io`, '--all');
    }
    await helm('uninstall', 'kruise', '--timeout', '50s');
    expect(await kubectl('get', 'mutatingwebhookconfigurations,validatingwebhookconfigurations', '-o', 'name')).toBe(
      '',
    );
    expect(await get('sidecarsets', 'logs-v1beta1')).toMatchObject({ kind: 'SidecarSet' });
  });

  async function kubectl(...given: string[]): Promise<string> {
    const { code, stdout, stderr } = await bed.kubectl(given);
    if (code !== 0) throw new Error(`kubectl ${given.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function helm(...given: string[]): Promise<void> {
    const { code, stderr } = await bed.helm(given);
    if (code !== 0) throw new Error(`helm ${given.join(' ')}: ${stderr}`);
  }

  function rolledOut(name: string): Promise<string> {
    return kubectl('-n', 'kruise-system', 'rollout', 'status', `deployment/${name}`, '--timeout=55s');
  }

  async function create(object: JsonObject): Promise<void> {
    const { code, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(object));
    if (code !== 0) throw new Error(`${String(object.kind)}: ${stderr}`);
  }

  async function get(resource: string, name: string, namespace = 'default'): Promise<Found> {
    return JSON.parse(await kubectl('-n', namespace, 'get', resource, name, '-o', 'json')) as Found;
  }

  async function list(resource: string, namespace: string): Promise<Found[]> {
    const text = await kubectl('-n', namespace, 'get', resource, '-o', 'json');
    return (JSON.parse(text) as { items: Found[] }).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
  }

  async function evict(pod: Found | undefined): Promise<number> {
    const { namespace, name } = pod?.metadata ?? { namespace: '', name: '' };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
    return (await bed.client.send('POST', path, eviction)).status;
  }
});

type Found = JsonObject & {
  metadata: JsonObject & { name: string; namespace: string; uid: string };
  spec?: JsonObject;
  status?: JsonObject;
  webhooks?: Json[];
};

const IDLE = ['sleep', '100000'];

function sidecarSet(version: string, name: string, image = 'busybox:1.36'): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'SidecarSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      imagePullSecrets: [{ name: 'sidecars' }],
      containers: [{ name: `agent-${version}`, image, command: IDLE }],
    },
  };
}

function deployment(namespace: string, name: string, replicas: number): JsonObject {
  const { metadata, spec } = workload(namespace, name, replicas);
  const pod = { ...spec.template.spec, imagePullSecrets: [{ name: 'own' }], terminationGracePeriodSeconds: 1 };
  return { ...DEPLOYMENT, metadata, spec: { ...spec, template: { ...spec.template, spec: pod } } };
}

const NOBODY = { matchLabels: { app: 'nobody' } };
const TURNS = 'kruise.io/sidecarset-name=turns';
const UNITED = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment' };

const LISTED_WORKLOADS = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'kruise-system', name: 'kruise-configuration' },
  data: {
    WorkloadSpread_Watch_Custom_Workload_WhiteList: JSON.stringify({
      workloads: [
        { Group: 'apps.kruise.io', Version: 'v1beta1', Kind: 'UnitedDeployment', replicasPath: 'spec.replicas' },
      ],
    }),
  },
};

type Target = { apiVersion: string; kind: string };
const DEPLOYMENT: Target = { apiVersion: 'apps/v1', kind: 'Deployment' };

function budget(namespace: string, name: string, target = DEPLOYMENT): JsonObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { namespace, name },
    spec: { targetRef: { ...target, name }, maxUnavailable: 1 },
  };
}

/** With `schedule`, no node fits the first subset, and pods are moved on after so many seconds. */
function spread(namespace: string, name: string, options: { target?: Target; schedule?: number } = {}): JsonObject {
  const { target = DEPLOYMENT, schedule } = options;
  const term = { matchExpressions: [{ key: 'machine', operator: 'In', values: ['none'] }] };
  const first = { name: 'some', maxReplicas: 2, ...(schedule !== undefined && { requiredNodeSelector: term }) };
  const strategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: schedule ?? 30 } };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { namespace, name },
    spec: {
      targetRef: { ...target, name },
      subsets: [first, { name: 'rest' }],
      ...(schedule !== undefined && { scheduleStrategy: strategy }),
    },
  };
}

function workload(namespace: string, name: string, replicas: number) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.25' }] } };
  return { metadata: { namespace, name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

function unitedDeployment(namespace: string, name: string): JsonObject {
  const { metadata, spec } = workload(namespace, name, 0);
  const { selector, template } = spec;
  const cloneSetTemplate = { metadata: template.metadata, spec: { selector, template } };
  return {
    ...UNITED,
    metadata,
    spec: { replicas: 0, selector, template: { cloneSetTemplate }, topology: { subsets: [{ name: 'one' }] } },
  };
}

const PERSISTENT = 'kruise.io/auto-generate-persistent-pod-state';
const PREFERRED = 'kruise.io/preferred-persistent-topology=kubernetes.io/hostname';

function recordedStatefulSet(namespace: string, name: string): JsonObject {
  const { metadata, spec } = workload(namespace, name, 1);
  const annotations = { [PERSISTENT]: 'true', 'kruise.io/required-persistent-topology': 'kubernetes.io/hostname' };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, annotations },
    spec: { ...spec, serviceName: name },
  };
}

function distribution(name: string, value: string): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name },
    spec: {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: value } },
      targets: { includedNamespaces: { list: [{ name: 'kept' }] } },
    },
  };
}

const NEW_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1.25' }] },
};

function claim(storage: string, storageClassName?: string): JsonObject {
  const resources = { requests: { storage } };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources,
    ...(storageClassName !== undefined && { storageClassName }),
  };
  return { metadata: { name: 'data' }, spec };
}

function claims(storage: string, storageClassName?: string): string {
  return JSON.stringify({ spec: { volumeClaimTemplates: [claim(storage, storageClassName)] } });
}

function statefulSet(namespace: string, name: string, storage: string): JsonObject {
  const { metadata, spec } = workload(namespace, name, 1);
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      ...spec,
      serviceName: name,
      volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
      volumeClaimTemplates: [claim(storage)],
    },
  };
}
