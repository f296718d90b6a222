// `sluice explain drain NODE`: which pods go, wait, are blocked or stay.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Cluster } from '../../../cli/cluster.ts';
import { loadAdmission } from '../../../cli/evaluator.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { testFolder } from '../files.ts';
import { type Result, run } from '../stand-in.ts';

const { write } = testFolder();
const real = { loadAdmission };

type PodOptions = { labels?: Record<string, string>; metadata?: JsonObject; ready?: boolean; phase?: string };

function pod(
  name: string,
  { labels = {}, metadata = {}, ready = true, phase = 'Running' }: PodOptions = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels, ...metadata },
    spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'a:1' }] },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'app', image: 'a:1', imageID: 'a', ready, restartCount: 0 }],
    },
  };
}

const owner = (apiVersion: string, kind: string): JsonObject => ({
  ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'o', controller: true }],
});

const pub = (allowed: number, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 1 },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
  status: {
    observedGeneration: 1,
    unavailableAllowed: allowed,
    currentAvailable: 3,
    desiredAvailable: 2,
    totalReplicas: 3,
    ...more,
  },
});

const web = (name: string, more: PodOptions = {}): JsonObject =>
  pod(name, { ...more, labels: { app: 'web' }, metadata: { annotations: { 'pub.kruise.io/related-pub': 'web' } } });

const pdb = (allowed: number, spec: JsonObject = {}, status: JsonObject = {}, name = 'db'): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop', generation: 1 },
  spec: { selector: { matchLabels: { app: 'db' } }, ...spec },
  status: { observedGeneration: 1, disruptionsAllowed: allowed, currentHealthy: 3, desiredHealthy: 2, ...status },
});

const db = (name: string, more: PodOptions = {}): JsonObject => pod(name, { ...more, labels: { app: 'db' } });

async function drain(...objects: JsonObject[]): Promise<Result & { fates: string[]; budgets: string[] }> {
  const file = write('live.json', objects.map((object) => JSON.stringify(object)).join('\n'));
  const result = await run(['explain', 'drain', 'node-1', '--objects', file, '-o', 'json'], real);
  if (result.stdout === '') throw new Error(result.stderr);
  const { pods } = JSON.parse(result.stdout) as { pods: Record<'pod' | 'fate' | 'budget' | 'message', string>[] };
  return {
    ...result,
    fates: pods.map(({ pod: name, fate }) => `${name} ${fate}`),
    budgets: pods.map(({ budget, message }) => (budget === '' ? message : `${budget}: ${message}`)),
  };
}

describe('a drain', () => {
  it('evicts what no budget holds, and leaves what it has to', async () => {
    const { code, fates, budgets, stderr } = await drain(
      pod('free'),
      pod('done', { phase: 'Succeeded' }),
      pod('going', { metadata: { deletionTimestamp: '2026-07-01T08:00:00Z' } }),
      pod('static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      pod('logs', { metadata: owner('apps/v1', 'DaemonSet') }),
      pod('advanced', { metadata: owner('apps.kruise.io/v1beta1', 'DaemonSet') }),
      { ...pod('elsewhere'), spec: { nodeName: 'node-2', containers: [] } },
    );
    expect(fates).toEqual([
      'free passes',
      'done passes',
      'going passes',
      'static stays',
      'logs stays',
      'advanced stays',
    ]);
    expect(budgets.slice(3)).toEqual([
      'the kubelet runs it from a file',
      'of a DaemonSet: needs --ignore-daemonsets',
      'of an Advanced DaemonSet: kubectl does not know it and needs --force',
    ]);
    expect([code, stderr]).toEqual([0, 'passes: 3, waits: 0, blocked: 0, stays: 3\n']);
  });

  it('tells which flags kubectl wants for pods that no workload makes again, and that lose their files', async () => {
    const scratch = (name: string, metadata: JsonObject): JsonObject => {
      const given = pod(name, { metadata });
      return { ...given, spec: { ...(given.spec as JsonObject), volumes: [{ name: 'v', emptyDir: {} }] } };
    };
    const { code, budgets } = await drain(
      pod('bare'),
      pod('owned', { metadata: owner('apps/v1', 'ReplicaSet') }),
      scratch('scratch', owner('apps/v1', 'ReplicaSet')),
      scratch('both', {}),
    );
    expect([code, budgets]).toEqual([
      0,
      [
        'kubectl needs --force',
        '',
        'kubectl needs --delete-emptydir-data',
        'kubectl needs --force and --delete-emptydir-data',
      ],
    ]);
  });

  it('makes pods wait for units of a PodUnavailableBudget that others of the node take', async () => {
    const { code, fates, budgets } = await drain(pub(1), web('web-0'), web('web-1'), web('broken', { ready: false }));
    expect([code, fates]).toEqual([0, ['web-0 passes', 'web-1 waits', 'broken passes']]);
    expect(budgets[1]).toBe('PodUnavailableBudget web: for other pods of this node to be replaced');
  });

  it('is blocked by a PodUnavailableBudget without units, and tells its numbers and who has them', async () => {
    const taken = { disruptedPods: { 'web-9': '2026-07-01T07:59:00Z' } };
    const { code, fates, budgets } = await drain(pub(0, taken), web('web-0'), web('web-9'));
    expect([code, fates]).toEqual([1, ['web-0 blocked', 'web-9 passes']]);
    expect(budgets[0]).toBe('PodUnavailableBudget web: needs 2 available pods, has 3, taken by web-9');
  });

  it('is held by PodDisruptionBudgets in the same way', async () => {
    expect((await drain(pdb(1), db('db-0'), db('db-1'), db('new', { phase: 'Pending', ready: false }))).fates).toEqual([
      'db-0 passes',
      'db-1 waits',
      'new passes',
    ]);
    const blocked = await drain(pdb(0), db('db-0'), db('broken', { ready: false }));
    expect([blocked.code, blocked.fates]).toEqual([1, ['db-0 blocked', 'broken passes']]);
    expect(blocked.budgets[0]).toBe('PodDisruptionBudget db: needs 2 healthy pods, has 3');
  });

  it('evicts broken pods of a budget that is not met only where the budget says so', async () => {
    const unmet = { currentHealthy: 1 };
    expect((await drain(pdb(0, {}, unmet), db('broken', { ready: false }))).fates).toEqual(['broken blocked']);
    const always = { unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect((await drain(pdb(0, always, unmet), db('broken', { ready: false }))).fates).toEqual(['broken passes']);
  });

  it('is blocked by a pod of two PodDisruptionBudgets, and by one that nobody has counted', async () => {
    const two = await drain(pdb(1), pdb(1, {}, {}, 'other'), db('db-0'));
    expect(two.budgets[0]).toMatch(/^PodDisruptionBudget db: also other selects the pod/);
    expect((await drain(pdb(1, {}, { observedGeneration: 0 }), db('db-0'))).fates).toEqual(['db-0 blocked']);
  });

  it('asks both kinds of budgets; a unit is taken even where the other one refuses', async () => {
    const both = (name: string): JsonObject => {
      const { metadata, ...rest } = web(name);
      return { ...rest, metadata: { ...(metadata as JsonObject), labels: { app: 'web', db: 'yes' } } };
    };
    const held = pdb(0, { selector: { matchLabels: { db: 'yes' } } });
    expect((await drain(pub(1), held, both('both'), web('web-1'))).fates).toEqual(['both blocked', 'web-1 waits']);
  });
});

describe('explain drain', () => {
  it('reads the pods of the node, and what they are held by, from a cluster', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } };
    const objects = [node, pub(0), web('web-0')] as unknown as KubeObject[];
    const selectors: string[] = [];
    const list: Cluster['list'] = async (_apiVersion, kind, { fieldSelector } = {}) => {
      if (fieldSelector !== undefined) selectors.push(`${kind} ${fieldSelector}`);
      return objects.filter((one) => one.kind === kind);
    };
    const cluster = { ...real, connect: async () => ({ list }) };
    const { code, stdout } = await run(['explain', 'drain', 'node-1', '--context', 'x'], cluster);
    expect([code, stdout.replaceAll(/ {2,}/g, ' | ')]).toEqual([
      1,
      'NAMESPACE | POD | RESULT | BUDGET | MESSAGE\nshop | web-0 | blocked | PodUnavailableBudget web | needs 2 available pods, has 3\n',
    ]);
    expect(selectors).toEqual([
      'Node metadata.name=node-1',
      'ConfigMap metadata.name=kruise-configuration',
      'Pod spec.nodeName=node-1',
    ]);
    objects.shift();
    const none = await run(['explain', 'drain', 'nowhere'], cluster);
    expect([none.code, none.stderr]).toEqual([2, 'error: the cluster has no node "nowhere"\n']);
  });

  it('takes flags in front of its name, too', async () => {
    const file = await write('live.json', JSON.stringify({ kind: 'List', items: [pub(0), web('web-0')] }));
    const { code, stdout } = await run(['explain', '--objects', file, '-o', 'json', 'drain', 'node-1'], real);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { node: 'node-1', pods: [{ pod: 'web-0' }] }]);
  });

  it.each([
    [['drain'], "missing required argument 'NODE'"],
    [['drain', 'a', 'b'], 'too many arguments'],
    [['-f', 'x', '--context', 'y'], "unknown option '--context'"],
    [['drian', 'a'], 'expected "drain NODE", got "drian"'],
    [['drain', 'a', '-f', 'x'], '"drain" takes no --filename'],
    [['drain', 'a', '-n', 'x'], '"drain" takes no --namespace'],
    [['drain', 'a', '--objects', 'x', '--context', 'y'], '--objects takes no --context'],
    [[], '--filename (-f) is required'],
  ])('%j is wrong usage', async (given, message) => {
    expect(await run(['explain', ...given], real)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
