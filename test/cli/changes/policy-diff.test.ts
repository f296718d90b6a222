// `sluice diff`: which live pods changed policies would change, from files and from a cluster.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Cluster } from '../../../cli/cluster.ts';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { StatusError } from '../../../component/errors.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { testFolder } from '../files.ts';
import { type Result, run } from '../stand-in.ts';

const { write } = testFolder();
const real = { loadAdmission };

const set = (image: string, label = 'web', more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: { app: label } }, containers: [{ name: 'agent', image, ...more }] },
});

const replicaSet: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'shop', uid: 'rs' },
  spec: {
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'web:1' }] } },
  },
};

const pod = (name: string, labels: Record<string, string>, owned = true): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    labels,
    ...(owned && {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }],
    }),
  },
  spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'web:1' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

/** The pod as admission has made it. */
async function admitted(object: JsonObject, ...objects: JsonObject[]): Promise<JsonObject> {
  const given = ['-f', file('pod', object), '--objects', file('objects', ...objects)];
  return JSON.parse((await run(['review', ...given, '-o', 'json'], real)).stdout);
}

function file(name: string, ...objects: JsonObject[]): string {
  return write(`${name}.json`, objects.map((object) => JSON.stringify(object)).join('\n'));
}

async function diff(changed: JsonObject[], live: JsonObject[], ...flags: string[]): Promise<Result> {
  return await run(['diff', '--objects', file('new', ...changed), '--against', file('live', ...live), ...flags], real);
}

const rows = ({ stdout }: Result): string[] => stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));

describe('sluice diff', () => {
  it('ends with 0 when nothing changes', async () => {
    const live = [set('a:1'), replicaSet, pod('web-1', { app: 'web' })];
    const { code, stdout, stderr } = await diff([set('a:1')], live);
    expect([code, stdout, stderr]).toEqual([0, '', '1 pod looked at, 0 would change\n']);
  });

  it('does not mind the order of members, which an API server sorts', async () => {
    const live = {
      ...set('a:1'),
      spec: { containers: [{ image: 'a:1', name: 'agent' }], selector: { matchLabels: { app: 'web' } } },
    };
    expect((await diff([set('a:1')], [live, replicaSet, pod('web-1', { app: 'web' })])).code).toBe(0);
  });

  it('judges a SidecarSet anew that was read from a cluster and edited', async () => {
    const stored = await admitted(set('a:1'));
    const edited = {
      ...stored,
      spec: { ...(stored.spec as JsonObject), containers: [{ name: 'agent', image: 'a:2' }] },
    };
    const live = [stored, replicaSet, await admitted(pod('web-1', { app: 'web' }), stored, replicaSet)];
    const result = await diff([edited], live);
    expect(rows(result)[1]).toBe('shop | web-1 | SidecarSet agent | Injected | Injected | in place');
  });

  it('tells which pods get, lose and change sidecars, and when', async () => {
    const old = set('a:1');
    const live = [
      old,
      replicaSet,
      await admitted(pod('has-it', { app: 'web' }), old, replicaSet),
      pod('missed-it', { app: 'web' }),
      pod('other', { app: 'other' }),
      { ...pod('done', { app: 'web' }), status: { phase: 'Succeeded' } },
    ];
    const image = await diff([set('a:2')], live);
    expect([image.code, rows(image)]).toEqual([
      1,
      [
        'NAMESPACE | POD | POLICY | NOW | CHANGED | WHEN',
        'shop | has-it | SidecarSet agent | Injected | Injected | in place',
        'shop | missed-it | SidecarSet agent | Injected | Injected | when recreated',
        '',
      ],
    ]);
    const env = await diff([set('a:1', 'web', { env: [{ name: 'A', value: 'b' }] })], live);
    expect(rows(env)[1]).toBe('shop | has-it | SidecarSet agent | Injected | Injected | when recreated');
    const selector = await diff([set('a:1', 'other')], live);
    expect(rows(selector).slice(1)).toEqual([
      'shop | has-it | SidecarSet agent | Injected | SelectorMismatch | when recreated',
      'shop | missed-it | SidecarSet agent | Injected | SelectorMismatch | when recreated',
      'shop | other | SidecarSet agent | SelectorMismatch | Injected | when recreated',
      '',
    ]);
    const paused = { ...(set('a:2').spec as JsonObject), updateStrategy: { paused: true } };
    expect(rows(await diff([{ ...set('a:2'), spec: paused }], live))[1]).toMatch(/has-it .* when recreated$/);
  });

  it('shows what changes once for all pods that change alike', async () => {
    const live = [set('a:1'), replicaSet, ...[1, 2, 3, 4, 5, 6, 7].map((n) => pod(`web-${n}`, { app: 'web' }))];
    const { stdout } = await diff([set('a:2')], live, '-o', 'diff');
    expect(stdout).toMatch(
      /^# 7 pods of ReplicaSet web in shop: web-1, web-2, web-3, web-4, web-5 and 2 more\n--- now\n\+\+\+ changed\n/,
    );
    expect(stdout.match(/^[-+] .*/gm)).toEqual(['-    image: a:1', '+    image: a:2']);
  });

  it('takes the sidecars out of a pod that no workload makes', async () => {
    const live = [set('a:1'), await admitted(pod('alone', { app: 'web' }, false), set('a:1'))];
    const { stdout } = await diff([set('a:1', 'other')], live, '-o', 'json');
    const [change] = JSON.parse(stdout).pods;
    expect(change).toMatchObject({ namespace: 'shop', pod: 'alone', owner: '' });
    expect(change.diff).toContain('-  - name: agent\n');
  });

  it('tells what changed budgets come to', async () => {
    const budget = (maxUnavailable: number | string): JsonObject => ({
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable },
    });
    const status = { unavailableAllowed: 1, currentAvailable: 4, desiredAvailable: 3, totalReplicas: 4 };
    const live = [{ ...budget(1), status }, ...[1, 2, 3, 4].map((n) => pod(`web-${n}`, { app: 'web' }))];
    const change = await diff([budget('60%')], live);
    expect([change.code, rows(change)]).toEqual([
      1,
      ['BUDGET | PODS | AVAILABLE | DESIRED | ALLOWED', 'shop/web | 4 | 4 | 3 -> 1 | 1 -> 3', ''],
    ]);
    const fresh = await diff([budget(1)], live.slice(1));
    expect(rows(fresh)).toContain('shop/web | 4 | 4 | <none> -> 3 | <none> -> 1');
    expect(rows(fresh)[1]).toBe('shop | web-1 | PodUnavailableBudget shop/web | <none> | Related | at once');
  });

  it('names only policies that say something else than the live ones, in whatever version they are written', async () => {
    const budget = (version: string, maxUnavailable: number): JsonObject => ({
      apiVersion: `policy.kruise.io/${version}`,
      kind: 'PodUnavailableBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable },
    });
    const live = [set('a:1'), budget('v1beta1', 1), replicaSet, pod('web-1', { app: 'web' })];
    const image = await diff([set('a:2'), budget('v1alpha1', 1)], live);
    expect(rows(image).slice(1, 3)).toEqual([
      'shop | web-1 | SidecarSet agent | Injected | Injected | when recreated',
      '',
    ]);
    const both = await diff([set('a:2'), budget('v1alpha1', 0)], live);
    expect(rows(both)).toContain('shop | web-1 | PodUnavailableBudget shop/web | Related | Related | at once');
  });

  it('looks at each pod by itself: spreads are not filled up', async () => {
    const spread = (max: number): JsonObject => ({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      metadata: { name: 'web', namespace: 'shop', generation: 1 },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' },
        subsets: [{ name: 'a', maxReplicas: max, patch: { metadata: { labels: { subset: 'a' } } } }],
      },
      status: {
        observedGeneration: 1,
        subsetStatuses: [{ name: 'a', missingReplicas: 1, replicas: 0 }],
      },
    });
    const live = [spread(1), replicaSet, pod('web-1', { app: 'web' }), pod('web-2', { app: 'web' })];
    expect(await diff([spread(2)], live)).toMatchObject({ code: 0, stdout: '' });
  });

  it('refuses changed objects that admission would, with their places', async () => {
    const { code, stderr } = await diff(
      [{ ...set('a:1'), spec: { containers: [{ name: 'agent' }] } }],
      [{ apiVersion: 'v1', kind: 'List', items: [] }],
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(/new\.json:1:\d+: spec\.(?:selector|containers)/)]);
  });

  it('takes an empty file for a slip, and an empty list for a cluster without pods', async () => {
    const against = (text: string) =>
      run(['diff', '--objects', file('new', set('a:2')), '--against', write('live.yaml', text)], real);
    expect(await against('# nothing\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('holds no object') });
    expect(await against('{apiVersion: v1, kind: List, items: []}')).toMatchObject({ code: 0 });
  });

  it.each([
    [['--against', 'x'], '--objects is required'],
    [['--objects', 'x', '--against', 'y', '--context', 'z'], '--against takes no --context'],
    [['--objects', '-', '--against', '-'], 'standard input is read once'],
  ])('%j is wrong usage', async (flags, message) => {
    expect(await run(['diff', ...flags], real)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('sluice diff of a cluster', () => {
  const changed = () => file('new', set('a:2'));

  it('reads pods, what stands above them, and policies; kinds that are not there have no objects', async () => {
    const objects = [set('a:1'), replicaSet, pod('web-1', { app: 'web' })] as unknown as KubeObject[];
    const asked: string[] = [];
    const list: Cluster['list'] = async (apiVersion, kind, { namespace = '' } = {}) => {
      asked.push(`${kind}${namespace === '' ? '' : ` in ${namespace}`}`);
      if (kind === 'WorkloadSpread') throw new StatusError(404, 'NotFound', 'no such kind');
      return objects.filter((one) => one.kind === kind && one.apiVersion === apiVersion);
    };
    let choice: unknown;
    const connect = async (given: unknown) => {
      choice = given;
      return { list };
    };
    const flags = ['--context', 'staging', '-n', 'shop'];
    const result = await run(['diff', '--objects', changed(), ...flags], { ...real, connect });
    expect(rows(result)[1]).toBe('shop | web-1 | SidecarSet agent | Injected | Injected | when recreated');
    expect(choice).toEqual({ kubeconfig: undefined, context: 'staging' });
    expect(asked).toEqual([
      'Namespace',
      'ConfigMap in kruise-system',
      'ControllerRevision in kruise-system',
      'SidecarSet',
      'PodUnavailableBudget in shop',
      'WorkloadSpread in shop',
      'PersistentPodState in shop',
      'PodProbeMarker in shop',
      'Pod in shop',
      'ReplicaSet in shop',
    ]);
  });

  it('ends with 3 when the cluster refuses', async () => {
    const list = async () => Promise.reject(new StatusError(403, 'Forbidden', 'namespaces is forbidden'));
    const { code, stderr } = await run(['diff', '--objects', changed()], { ...real, connect: async () => ({ list }) });
    expect([code, stderr]).toEqual([3, 'error: the cluster: namespaces is forbidden\n']);
  });
});
