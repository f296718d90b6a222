// Budgets hold back the drain of a real node, and spreads keep their subsets, while the leading process of the controllers
// is killed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingForNodes } from './bed/required.ts';

const missing = await missingForNodes();

const BUDGETS = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets';
const SPREADS = '/apis/apps.kruise.io/v1beta1/namespaces/shop/workloadspreads';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const LIMIT_MS = 120_000;
const TEST_MS = 300_000;

type Pod = {
  metadata: {
    name: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: { nodeName?: string };
  status: { conditions?: { type: string; status: string }[] };
};

describe.skipIf(missing.length > 0)('budgets and spreads on nodes', () => {
  let bed: Bed;
  let gateway: LiveGateway;
  let reconcilers: Reconcilers;
  let nodes: string[];

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 2 });
    await installUnserved(bed);
    gateway = await startLiveGateway(bed);
    await untilServed(bed);
    await bed.createNamespace('shop');
    reconcilers = new Reconcilers(bed);
    for (let i = 0; i < 2; i++) reconcilers.start();
    await reconcilers.leader();
    const { items } = await bed.client.must(bed.client.get('/api/v1/nodes'));
    nodes = (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name).sort();
  });
  afterAll(async () => {
    await reconcilers?.end();
    await gateway?.process.end();
    await bed?.close();
  });

  /** Pods of an app that are not going. */
  async function podsOf(app: string): Promise<Pod[]> {
    const { items } = await bed.client.must(bed.client.get(`/api/v1/namespaces/shop/pods?labelSelector=app%3D${app}`));
    return (items as unknown as Pod[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async function readyIn(app: string): Promise<number> {
    return (await podsOf(app)).filter(isReady).length;
  }

  async function create(path: string, object: JsonObject): Promise<void> {
    await bed.client.must(bed.client.send('POST', path, object));
  }

  async function deploy(app: string, replicas: number): Promise<void> {
    const main = { name: 'main', image: 'busybox:1.36', command: ['sh', '-c', 'trap exit TERM; sleep 100000 & wait'] };
    const spec = { containers: [main], terminationGracePeriodSeconds: 1 };
    const template = { metadata: { labels: { app } }, spec };
    await create(DEPLOYMENTS, {
      metadata: { name: app },
      spec: { replicas, selector: { matchLabels: { app } }, template },
    });
    await until(`the pods of ${app} are ready`, async () => (await readyIn(app)) === replicas, LIMIT_MS);
  }

  /** What the gateway has not heard of yet holds nothing. */
  async function untilKnown(resource: string, count: number): Promise<void> {
    const line = `sluice_mirror_objects{resource="${resource}"} ${count}\n`;
    await until(`the gateway knows ${count} ${resource}`, async () => (await gateway.metrics()).includes(line));
  }

  async function statusOf(path: string): Promise<JsonObject> {
    const { status } = await bed.client.must(bed.client.get(path));
    return (status ?? {}) as JsonObject;
  }

  test(
    'a drain takes no more pods than the budget lets go, and ends as pods return',
    async () => {
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'drained' };
      await create(BUDGETS, {
        apiVersion: 'policy.kruise.io/v1beta1',
        kind: 'PodUnavailableBudget',
        metadata: { name: 'drained' },
        spec: { targetRef, maxUnavailable: 1 },
      });
      await untilKnown('podunavailablebudgets.policy.kruise.io', 1);
      await deploy('drained', 4);
      const settled = { totalReplicas: 4, desiredAvailable: 3, currentAvailable: 4, unavailableAllowed: 1 };
      await until(
        'the status counts the pods',
        async () => (await statusOf(`${BUDGETS}/drained`)).unavailableAllowed === 1,
      );
      expect(await statusOf(`${BUDGETS}/drained`)).toMatchObject(settled);

      const [node = ''] = nodes;
      let least = 4;
      let refusals = 0;
      let isKilled = false;
      const watching = new AbortController();
      const watch = (async () => {
        while (!watching.signal.aborted) least = Math.min(least, await readyIn('drained'));
      })();
      await until(
        'the node is drained',
        async () => {
          const { code, stderr } = await bed.kubectl([
            'drain',
            node,
            '--ignore-daemonsets',
            '--force',
            '--timeout=20s',
          ]);
          if (stderr.includes('"drained" is forbidden')) refusals++;
          if (!isKilled) await reconcilers.killLeader();
          isKilled = true;
          return code === 0;
        },
        LIMIT_MS,
      );
      await until('the pods are back', async () => (await readyIn('drained')) === 4, LIMIT_MS);
      watching.abort();
      await watch;
      expect(least).toBeGreaterThanOrEqual(3);
      expect(refusals).toBeGreaterThan(0);
      expect((await podsOf('drained')).map(({ spec }) => spec.nodeName)).not.toContain(node);
      await until(
        'the budget is whole again',
        async () => (await statusOf(`${BUDGETS}/drained`)).unavailableAllowed === 1,
        LIMIT_MS,
      );
      expect(await statusOf(`${BUDGETS}/drained`)).toMatchObject(settled);
      await bed.kubectl(['uncordon', node]);
      reconcilers.start();
    },
    TEST_MS,
  );

  test(
    'a spread keeps its subsets through scaling and a rolling update',
    async () => {
      const on = (values: string[]) => ({
        matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }],
      });
      const subsets = [
        {
          name: 'a',
          maxReplicas: 2,
          requiredNodeSelector: on(nodes.slice(0, 1)),
          patch: { metadata: { labels: { subset: 'a' } } },
        },
        { name: 'b', requiredNodeSelector: on(nodes.slice(1)), patch: { metadata: { labels: { subset: 'b' } } } },
      ];
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'spread' };
      await create(SPREADS, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'WorkloadSpread',
        metadata: { name: 'spread' },
        spec: { targetRef, subsets },
      });
      await untilKnown('workloadspreads.apps.kruise.io', 1);
      const spreadOut = async (a: number, b: number) => {
        const count = (pods: Pod[], subset: string) =>
          pods.filter(({ metadata }) => metadata.labels.subset === subset).length;
        await until(
          `${a} pods are in the first subset and ${b} in the second`,
          async () => {
            const pods = await podsOf('spread');
            const isSpread = count(pods, 'a') === a && count(pods, 'b') === b && pods.length === a + b;
            return isSpread && pods.every(isReady) && (await roomInFirst()) === Math.max(2 - a, 0);
          },
          LIMIT_MS,
        );
        const places = (await podsOf('spread')).map(({ metadata, spec }) => [metadata.labels.subset, spec.nodeName]);
        for (const [subset, node] of places) expect(node).toBe(subset === 'a' ? nodes[0] : nodes[1]);
      };
      const roomInFirst = async () => {
        const { subsetStatuses = [] } = (await statusOf(`${SPREADS}/spread`)) as {
          subsetStatuses?: { missingReplicas: number }[];
        };
        return subsetStatuses[0]?.missingReplicas;
      };
      const scale = (replicas: number) =>
        bed.kubectl(['scale', '-n', 'shop', 'deployment/spread', `--replicas=${replicas}`]);

      await deploy('spread', 5);
      await spreadOut(2, 3);
      await scale(3);
      await spreadOut(2, 1);
      await scale(4);
      await spreadOut(2, 2);
      await bed.kubectl(['set', 'env', '-n', 'shop', 'deployment/spread', 'RELEASE=2']);
      await reconcilers.killLeader();
      const isRolledOut = async () => {
        const pods = await podsOf('spread');
        return pods.length === 4 && pods.every(({ spec }) => JSON.stringify(spec).includes('"RELEASE"'));
      };
      await until('the new release runs', isRolledOut, LIMIT_MS);
      await spreadOut(2, 2);
      const ledgers = async () => (await statusOf(`${SPREADS}/spread`)).versionedSubsetStatuses as JsonObject;
      await until('the old release is forgotten', async () => Object.keys(await ledgers()).length === 1);
    },
    TEST_MS,
  );

  test(
    'a spread that adapts moves pods on that no node takes',
    async () => {
      const nowhere = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['nowhere'] }] };
      const subsets = [{ name: 'a', maxReplicas: 1, requiredNodeSelector: nowhere }, { name: 'b' }];
      const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 3 } };
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'moved' };
      await create(SPREADS, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'WorkloadSpread',
        metadata: { name: 'moved' },
        spec: { targetRef, subsets, scheduleStrategy },
      });
      await untilKnown('workloadspreads.apps.kruise.io', 2);
      await deploy('moved', 2);
      for (const { metadata } of await podsOf('moved')) {
        expect(metadata.annotations?.['apps.kruise.io/matched-workloadspread']).toContain('"subset":"b"');
      }
      const avoided = async () => {
        const { subsetStatuses = [] } = (await statusOf(`${SPREADS}/moved`)) as { subsetStatuses?: JsonObject[] };
        return subsetStatuses[0];
      };
      expect(await avoided()).toMatchObject({
        name: 'a',
        conditions: [{ type: 'Schedulable', status: 'False', reason: 'PodUnschedulable' }],
      });
      await until('no booking is left', async () => {
        const status = JSON.stringify(await statusOf(`${SPREADS}/moved`));
        return !/creatingPods|deletingPods/.test(status);
      });
    },
    TEST_MS,
  );
});

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
