// Webhook configurations under a real API server: its defaults, kubectl, server-side apply, edits of others, and a scope that
// it evaluates itself (operations.md 9, 10; 22: cases 11, 12, 14; faults F1, F3; C076).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import { DEFINITION_NAMES } from '../../gateway/configurations/configurations.ts';
import { SCOPE_CONDITION } from '../../gateway/configurations/plan.ts';
import { HOLD_MS } from '../../gateway/scope/expression.ts';
import { issueAuthority } from '../../kube/certificates/issue.ts';
import type { Client } from '../../kube/client.ts';
import { readConnection } from '../../kube/connection.ts';
import type { KubeObject } from '../../kube/objects.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from './bed/installation.ts';
import { Balancer, Replica, type ReplicaOptions, SECRET } from './bed/replica.ts';
import { missingPrograms } from './bed/required.ts';
import { configurationName, webhookConfigurations } from './bed/webhook-configurations.ts';

const missing = await missingPrograms();

type Entry = JsonObject & {
  name: string;
  rules: JsonObject[];
  matchConditions?: { name: string; expression: string }[];
};
type Configuration = KubeObject & { webhooks: Entry[] };

const RESOURCES = { mutating: MUTATING_WEBHOOK_CONFIGURATIONS, validating: VALIDATING_WEBHOOK_CONFIGURATIONS };
const PATHS = {
  mutating: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  validating: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};
const TYPES = ['mutating', 'validating'] as const;
type Type = (typeof TYPES)[number];

describe.skipIf(missing.length > 0)('webhook configurations', () => {
  let bed: Bed;
  let client: Client;
  let balancer: Balancer;
  let nowhere: { host: string; port: number; ca: string };
  let now: number;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    bed = await Bed.start();
    const connection = { kubeconfig: bed.kubeconfig, environment: {}, monotonic: () => performance.now() };
    client = createClient(await readConnection(connection));
    for (const name of [SECRET.namespace, 'shop', 'other']) await bed.createNamespace(name);
    await createCrds(bed.client, chartCrds());
    balancer = await Balancer.start();
    nowhere = { host: '127.0.0.1', port: 1, ca: (await issueAuthority('nobody', Date.now())).certificate };
  });

  beforeEach(async () => {
    now = Date.now();
    for (const configuration of installed()) await createConfiguration(bed.client, configuration);
  });

  afterEach(async () => {
    for (const type of TYPES) await bed.client.delete(`${PATHS[type]}/${configurationName(type)}`);
    balancer.targets = [];
    await balancer.cut();
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
  });

  afterAll(async () => {
    balancer?.close();
    await client?.close();
    await bed?.close();
  });

  /** As the manifests have them. */
  function installed(): JsonObject[] {
    return webhookConfigurations(nowhere, () => true);
  }

  function manifest(type: Type): JsonObject {
    return installed()[TYPES.indexOf(type)] ?? {};
  }

  async function start(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
    const replica = await Replica.start({ client, port: balancer.port, now: () => now, ...options });
    replicas.push(replica);
    balancer.targets = replicas.map(({ port }) => port);
    return replica;
  }

  async function read(type: Type): Promise<Configuration> {
    return (await client.get(RESOURCES[type], { name: configurationName(type) })) as Configuration;
  }

  function merge(type: Type, change: JsonObject) {
    return client.patch(RESOURCES[type], { name: configurationName(type) }, change, { patchType: 'merge' });
  }

  async function edit(type: Type, name: string, change: JsonObject) {
    const { webhooks } = await read(type);
    return merge(type, { webhooks: webhooks.map((entry) => (entry.name === name ? { ...entry, ...change } : entry)) });
  }

  /** Everything that a pass could have written. */
  async function versions(): Promise<string[]> {
    const configurations = await Promise.all(TYPES.map(read));
    const definitions = DEFINITION_NAMES.map((name) => client.get(CUSTOM_RESOURCE_DEFINITIONS, { name }));
    return [...configurations, ...(await Promise.all(definitions))].map(({ metadata }) => metadata.resourceVersion);
  }

  function names({ webhooks }: Configuration): string[] {
    return webhooks.map(({ name }) => name);
  }

  test('that were installed lead here after one pass, and no later pass writes anything', async () => {
    const [one, other] = [await start(), await start()];
    await Promise.all([one.configurations.reconcile(), other.configurations.reconcile()]);
    const settled = await versions();
    for (let pass = 0; pass < 5; pass++) {
      for (const { configurations } of [one, other]) expect((await configurations.reconcile()).written).toEqual([]);
    }
    expect(await versions()).toEqual(settled);
    for (const type of TYPES) {
      const entries = webhookEntries.filter((entry) => entry.type === type && !/service|ingress/.test(entry.path));
      expect(names(await read(type))).toEqual(entries.map(({ name }) => name));
    }
    const [definition] = DEFINITION_NAMES.filter((name) => name.startsWith('sidecarsets.'));
    const { spec } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition ?? '' });
    expect(spec).toMatchObject({
      conversion: { webhook: { clientConfig: { url: `https://127.0.0.1:${balancer.port}/convert` } } },
    });
  });

  test('that others edit are put back at once, and what they narrow stays', async () => {
    const one = await start();
    one.run();
    await until('the first pass is done', async () => one.configurations.fault() === undefined);
    const before = await read('mutating');
    const term = { key: 'kubernetes.azure.com/managedby', operator: 'NotIn', values: ['aks'] };
    await edit('mutating', 'mcloneset.kb.io', { rules: [], namespaceSelector: { matchExpressions: [term] } });
    await until('the rules are back', async () => {
      return (await read('mutating')).webhooks.find(({ name }) => name === 'mcloneset.kb.io')?.rules?.length === 1;
    });
    await edit('mutating', 'mpod.kb.io', { failurePolicy: 'Ignore' });
    await until(
      'the failure policy is back',
      async () => (await read('mutating')).webhooks[0]?.failurePolicy === 'Fail',
    );
    const after = await read('mutating');
    const wanted = before.webhooks.map((entry) =>
      entry.name === 'mcloneset.kb.io' ? { ...entry, namespaceSelector: { matchExpressions: [term] } } : entry,
    );
    expect(after.webhooks).toEqual(wanted);
    const [{ resourceVersion }] = [after.metadata];
    for (let pass = 0; pass < 3; pass++) await one.configurations.reconcile();
    expect((await read('mutating')).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('that were applied with kubectl are adopted again when another list is applied', async () => {
    const one = await start();
    const apply = async (list: JsonObject) => {
      const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], JSON.stringify(list));
      expect([code, stderr.replace(/^Warning: .*\n/, '')]).toEqual([0, '']);
      await one.configurations.reconcile();
    };
    const manifests = manifest('validating') as JsonObject & { webhooks: Entry[] };
    await apply(manifests);
    const all = names(await read('validating'));
    await apply({ ...manifests, webhooks: manifests.webhooks.slice(0, 3) });
    expect(names(await read('validating'))).toEqual(all.slice(0, 3));
    expect((await one.configurations.reconcile()).written).toEqual([]);
    await edit('validating', all[0] ?? '', { rules: [] });
    await one.configurations.reconcile();
    expect((await read('validating')).webhooks[0]?.rules).toHaveLength(1);
  });

  test('that are applied on the server are adopted again when another list is applied', async () => {
    const one = await start();
    const manifests = manifest('validating') as JsonObject & { webhooks: Entry[] };
    await bed.client.delete(`${PATHS.validating}/${configurationName('validating')}`);
    const apply = async (count: number) => {
      const list = { ...manifests, webhooks: manifests.webhooks.slice(0, count) };
      const given = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
      const { code, stderr } = await bed.kubectl(given, JSON.stringify(list));
      expect([code, stderr]).toEqual([0, '']);
      await one.configurations.reconcile();
    };
    await apply(2);
    // The API server notes the second.
    const first = Math.floor(Date.now() / 1000);
    await until('another second has come', async () => Date.now() / 1000 >= first + 1);
    await apply(4);
    expect(names(await read('validating'))).toEqual(manifests.webhooks.slice(0, 4).map(({ name }) => name));
    expect((await one.configurations.reconcile()).written).toEqual([]);
  });

  test('with an empty template are adopted anew', async () => {
    const one = await start();
    await one.configurations.reconcile();
    const { webhooks } = manifest('mutating') as { webhooks?: Entry[] };
    await merge('mutating', { metadata: { annotations: { template: '' } }, webhooks: (webhooks ?? []).slice(0, 5) });
    await one.configurations.reconcile();
    expect((await read('mutating')).webhooks).toHaveLength(5);
  });

  describe('with --scope demand', () => {
    const spread = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      metadata: { name: 'spread', namespace: 'shop' },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        subsets: [{ name: 'a', maxReplicas: 1 }, { name: 'b' }],
      },
    };
    const set = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: 'set' },
      spec: {
        selector: {
          matchLabels: { app: 'cart' },
          matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
        },
        containers: [{ name: 'side', image: 'side:1' }],
      },
    };

    let policies: JsonObject[];
    let one: Replica;

    beforeEach(async () => {
      policies = [];
      one = await start({ policies: () => policies });
      await one.configurations.reconcile();
    });

    afterEach(async () => {
      await bed.client.delete('/apis/apps.kruise.io/v1beta1/namespaces/shop/workloadspreads/spread');
      await bed.client.delete('/apis/apps.kruise.io/v1beta1/sidecarsets/set');
    });

    async function narrow(): Promise<void> {
      now += HOLD_MS;
      await one.configurations.reconcile();
      // The API server follows after a moment.
      await until('pods of no concern are not sent', async () => !(await isSent('other', {})));
    }

    /** Does the API server ask about the creation of a pod? */
    async function isSent(namespace: string, metadata: JsonObject, spec: JsonObject = {}): Promise<boolean> {
      const count = () => one.asked.get('/mutate-pod') ?? 0;
      const before = count();
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'p-', ...metadata },
        spec: { containers: [{ name: 'main', image: 'main:1' }], ...spec },
      };
      await bed.client.must(bed.client.send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod));
      return count() > before;
    }

    test('pods are sent while it is not known that nobody needs them, and not after that', async () => {
      await until('all pods are sent', () => isSent('other', {}));
      await narrow();
      expect(await isSent('shop', { labels: { app: 'cart' } })).toBe(false);
      const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'c', uid: 'u' };
      expect(await isSent('shop', { ownerReferences: [owner] })).toBe(true);
      expect(await isSent('shop', { annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' } })).toBe(
        true,
      );
      const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }];
      expect(await isSent('shop', {}, { containers: [{ name: 'main', image: 'main:1', env }] })).toBe(true);
    });

    test('the pods of a new policy are sent as soon as it is created, and no others', async () => {
      await narrow();
      const path = '/apis/apps.kruise.io/v1beta1/namespaces/shop/workloadspreads';
      await bed.client.must(bed.client.send('POST', path, spread));
      expect(await isSent('shop', {})).toBe(true);
      expect(await isSent('other', {})).toBe(false);
      await bed.client.must(bed.client.send('POST', '/apis/apps.kruise.io/v1beta1/sidecarsets', set));
      expect(await isSent('other', { labels: { app: 'cart', tier: 'b' } })).toBe(true);
      expect(await isSent('other', { labels: { app: 'cart', tier: 'c' } })).toBe(false);
      expect(await isSent('other', { labels: { tier: 'a' } })).toBe(false);
    });

    test('a dry run of a policy changes nothing', async () => {
      await narrow();
      const before = (await read('mutating')).metadata.resourceVersion;
      await bed.client.must(bed.client.send('POST', '/apis/apps.kruise.io/v1beta1/sidecarsets?dryRun=All', set));
      expect((await read('mutating')).metadata.resourceVersion).toBe(before);
    });

    test('deletions are sent only of namespaces with a budget or a spread', async () => {
      await narrow();
      const deletions = async (namespace: string) => {
        const before = one.asked.get('/validate-pod') ?? 0;
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'm', image: 'm:1' }] },
        };
        await bed.client.must(bed.client.send('POST', `/api/v1/namespaces/${namespace}/pods`, pod));
        await bed.client.must(bed.client.delete(`/api/v1/namespaces/${namespace}/pods/p?gracePeriodSeconds=0`));
        return (one.asked.get('/validate-pod') ?? 0) - before;
      };
      expect(await deletions('shop')).toBe(0);
      await bed.client.must(
        bed.client.send('POST', '/apis/apps.kruise.io/v1beta1/namespaces/shop/workloadspreads', spread),
      );
      // The API server asks again when the pod changed meanwhile.
      expect(await deletions('shop')).toBeGreaterThan(0);
      expect(await deletions('other')).toBe(0);
    });

    test('a replica without it sends all pods again', async () => {
      await narrow();
      await (await start()).configurations.reconcile();
      const conditions = (await read('mutating')).webhooks.flatMap(({ matchConditions = [] }) => matchConditions);
      expect(conditions.map(({ name }) => name)).not.toContain(SCOPE_CONDITION);
    });
  });
});
