// What it takes the controllers of budgets, WorkloadSpreads and SidecarSets to look again after one of thousands of pods of
// 7 KB has changed, and what they keep of each pod for that. `node bench/reconcile.ts [pods...]`.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject } from '../api/core/json.ts';
import { Policies } from '../evaluator/policies.ts';
import type { KubeObject, ObjectReference } from '../kube/objects.ts';
import { REPLICA_SETS } from '../kube/resource.ts';
import type { Controller } from '../reconcilers/loop/controller.ts';
import { podUnavailableBudget } from '../reconcilers/podunavailablebudget/controller.ts';
import { BUDGETS } from '../reconcilers/podunavailablebudget/state.ts';
import { sidecarSetController } from '../reconcilers/sidecarset/controller.ts';
import { workloadSpread } from '../reconcilers/workloadspread/controller.ts';
import { SPREADS } from '../reconcilers/workloadspread/spread.ts';
import { injectedPod, storedSet } from '../test/support/builders/injected-pod.ts';
import { type Stores, storesOf } from '../test/support/stores.ts';
import { podOf } from './support/pods.ts';

const ROUNDS = 20;
const given = process.argv.slice(2).map(Number);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const LOGS = (image: string) =>
  storedSet('logs', { containers: [{ name: 'log', image }], updateStrategy: { maxUnavailable: 1 } });
const subjects: readonly [string, Controller<unknown>, ObjectReference, KubeObject][] = [
  [
    'a budget',
    podUnavailableBudget(await Policies.load()) as Controller<unknown>,
    { namespace: 'shop', name: 'web' },
    budget(),
  ],
  [
    'a WorkloadSpread',
    workloadSpread('kruise-system') as Controller<unknown>,
    { namespace: 'shop', name: 'web' },
    spread(),
  ],
  ['a SidecarSet', sidecarSets(), { name: 'logs' }, LOGS('l:1')],
  ['a SidecarSet that is rolled out', sidecarSets(), { name: 'logs' }, LOGS('l:2')],
];
for (const count of given.length > 0 ? given : [1000, 5000, 20_000]) {
  console.log(`${count} pods of ${JSON.stringify(pod(0, 0)).length} bytes`);
  for (const [name, controller, key, object] of subjects) measure(count, name, { controller, key, object });
}

function sidecarSets(): Controller<unknown> {
  return sidecarSetController({ systemNamespace: 'kruise-system' }) as Controller<unknown>;
}

/** A SidecarSet has its revision before anything else is done. */
function createRevision({ controller, key }: Omit<Subject, 'object'>, { reader, put }: Stores): void {
  const state = controller.fetch(reader, key, () => undefined);
  const created = state === undefined ? undefined : controller.plan(state, 0).groups[0]?.[0];
  if (created?.type === 'create') put(named(created.object));
}

type Subject = { controller: Controller<unknown>; key: ObjectReference; object: KubeObject };

function measure(count: number, name: string, { controller, key, object }: Subject): void {
  const mirrors = storesOf(controller);
  const isMirrored = ({ kind }: KubeObject) => controller.watches.some(({ resource }) => resource.kind === kind);
  for (const one of [object, replicaSet(count)].filter(isMirrored)) mirrors.put(one);
  for (let i = 0; i < count; i++) mirrors.put(pod(i, 0));
  const look = () => {
    const startedAt = performance.now();
    const state = controller.fetch(mirrors.reader, key, () => undefined);
    if (state !== undefined) controller.plan(state, Date.parse('2026-11-30T12:00:00Z'));
    return performance.now() - startedAt;
  };
  const bare = memory();
  const first = look();
  createRevision({ controller, key }, mirrors);
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    mirrors.put(pod((round * 37) % count, round + 1));
    return look();
  }).sort((a, b) => a - b);
  const again = times[ROUNDS >> 1] ?? 0;
  const kept = (memory() - bare) / count;
  console.log(
    `  ${name}: first look ${first.toFixed(0)} ms, after a change ${again.toFixed(1)} ms, ${kept.toFixed(0)} bytes a pod`,
  );
}

/** A pod of 7 KB with a sidecar, of a ReplicaSet of all of them. */
function pod(index: number, version: number): KubeObject {
  const large = podOf(index, 0, version) as JsonObject & { metadata: JsonObject; spec: JsonObject; status: JsonObject };
  const { managedFields: _none, ...metadata } = large.metadata;
  const injected = injectedPod('x', LOGS('l:1')) as unknown as {
    metadata: JsonObject;
    spec: JsonObject;
    status: JsonObject;
  };
  const [, sidecar] = injected.spec.containers as JsonObject[];
  const [, status] = injected.status.containerStatuses as JsonObject[];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...large,
    metadata: {
      ...metadata,
      namespace: 'shop',
      labels: { app: 'web', 'app.kubernetes.io/managed-by': 'helm', 'pod-template-hash': '7d9c8b6f5' },
      annotations: {
        ...(metadata.annotations as JsonObject),
        ...(injected.metadata.annotations as JsonObject),
        'pub.kruise.io/related-pub': 'web',
        'kruise.io/related-pub': 'web',
        'apps.kruise.io/matched-workloadspread': `{"name":"web","subset":"${index % 2 === 0 ? 'a' : 'b'}"}`,
        'controller.kubernetes.io/pod-deletion-cost': index % 2 === 0 ? '200' : '100',
      },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1', controller: true },
      ],
    },
    spec: { ...large.spec, containers: [...(large.spec.containers as JsonObject[]), sidecar] },
    status: { ...large.status, containerStatuses: [...(large.status.containerStatuses as JsonObject[]), status] },
  } as unknown as KubeObject;
}

function replicaSet(replicas: number): KubeObject {
  const labels = { 'pod-template-hash': '7d9c8b6f5' };
  const metadata = { name: 'web-1', namespace: 'shop', uid: 'uid-web-1', resourceVersion: '1', labels };
  return { apiVersion: 'apps/v1', kind: REPLICA_SETS.kind, metadata, spec: { replicas } };
}

function budget(): KubeObject {
  const metadata = { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '1', generation: 1 };
  const selector = { matchLabels: { app: 'web', 'app.kubernetes.io/managed-by': 'helm' } };
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: BUDGETS.kind,
    metadata,
    spec: { selector, maxUnavailable: '10%' },
  };
}

/** Half of the pods are in each of its subsets, as they shall be. */
function spread(): KubeObject {
  const metadata = { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '1', generation: 1 };
  const targetRef = { apiVersion: 'apps/v1', kind: REPLICA_SETS.kind, name: 'web-1' };
  const subsets = [{ name: 'a', maxReplicas: '50%' }, { name: 'b' }];
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: SPREADS.kind, metadata, spec: { targetRef, subsets } };
}

function named(object: JsonObject): KubeObject {
  return {
    ...object,
    metadata: { uid: 'uid-revision', resourceVersion: '1', ...(object.metadata as JsonObject) },
  } as unknown as KubeObject;
}

function memory(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
