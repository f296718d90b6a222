// C003: a small percentage of unavailable pods still lets the upgrade of a sidecar start, and go on one pod at a time
// (openkruise/kruise#1812, #1832).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { PODS } from '../../kube/resource.ts';
import { pod } from '../support/builders/pod.ts';
import { fieldCase } from '../support/field-case.ts';
import * as see from '../support/see.ts';
import { SIDECAR_SET_CONTROLLER, SidecarCluster } from '../support/sidecar-cluster.ts';

const OLD = 'registry.example.com/obs/tap:1.4';
const NEW = 'registry.example.com/obs/tap:1.5';
const KEY = { name: 'metrics-tap' };
const { objects, notes } = fieldCase('C003');
const [wanted] = objects as [JsonObject];
const members = notes.pods as { name: string; readySince: string }[];
const clock = Date.parse(String(notes.clock));

function setWith(image: string, strategy: JsonObject = {}): JsonObject {
  const spec = wanted.spec as { updateStrategy: JsonObject; containers: JsonObject[] } & JsonObject;
  const containers = spec.containers.map((one) => ({ ...one, image }));
  return { ...wanted, spec: { ...spec, containers, updateStrategy: { ...spec.updateStrategy, ...strategy } } };
}

/** The six pods with the old sidecar, ready since the times of the case, and the SidecarSet with the new image. */
async function changed(strategy: JsonObject = {}): Promise<SidecarCluster> {
  const cluster = await SidecarCluster.start(['bank'], Date.parse(members[0]?.readySince ?? ''));
  await cluster.apply(setWith(OLD));
  for (const { name, readySince } of members) {
    cluster.world.now = Date.parse(readySince);
    cluster.create(pod({ name, namespace: 'bank', labels: { app: 'ledger' } }));
    await cluster.world.rest({ forMs: 0 });
  }
  cluster.world.now = clock;
  await cluster.apply(setWith(NEW, strategy));
  return cluster;
}

/** Reconciles once, and again for the revision; returns the pods that were written. */
async function reconcile({ world }: SidecarCluster): Promise<string[]> {
  const before = new Map(world.list(PODS).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  for (let i = 0; i < 3; i++) {
    const plan = await world.plan(SIDECAR_SET_CONTROLLER, KEY);
    if (plan !== undefined) world.apply(plan);
  }
  const written = world.list(PODS).filter(({ metadata }) => before.get(metadata.name) !== metadata.resourceVersion);
  return written.map(({ metadata }) => metadata.name);
}

/** The nodes do what they have to do, and no controller looks. */
function nodes({ world }: SidecarCluster): void {
  for (let [step] = world.kubelet.steps(); step !== undefined; [step] = world.kubelet.steps()) step();
}

const hash = see.annotation('kruise.io/sidecarset-hash');
const upgraded = (cluster: SidecarCluster): string[] =>
  Object.entries(cluster.images('tap')).flatMap(([name, image]) => (image === NEW ? [name] : []));

test('one pod is written, the one that became ready last, and nothing of it but the image and the records', async () => {
  const cluster = await changed();
  const before = structuredClone(cluster.pods['ledger-f']) as unknown as JsonObject;
  expect(await reconcile(cluster)).toEqual(['ledger-f']);
  const after = cluster.pods['ledger-f'] as unknown as JsonObject;
  const spec = before.spec as { containers: JsonObject[] };
  const containers = spec.containers.map((one) => (one.name === 'tap' ? { ...one, image: NEW } : one));
  expect(after.spec).toEqual({ ...spec, containers });
  const hashIn = (object: JsonObject) => JSON.parse(String(hash(object)))['metrics-tap'].hash;
  expect(hashIn(after)).toBe(hash(cluster.set('metrics-tap')));
  expect(hashIn(after)).not.toBe(hashIn(before));
  const state = JSON.parse(String(see.annotation('kruise.io/sidecarset-inplace-update-state')(after)));
  const [status] = (
    before.status as { containerStatuses: { name: string; imageID: string }[] }
  ).containerStatuses.filter(({ name }) => name === 'tap');
  expect(state['metrics-tap'].lastContainerStatuses).toEqual({ tap: { imageID: status?.imageID } });
});

test('as long as that pod is not back no other is touched, then exactly one, to the end', async () => {
  const cluster = await changed();
  const order: string[] = [];
  for (const wantedNext of ['f', 'e', 'd', 'c', 'b', 'a']) {
    const written = await reconcile(cluster);
    expect(written).toEqual([`ledger-${wantedNext}`]);
    order.push(...written);
    for (let i = 0; i < 3; i++) expect(await reconcile(cluster)).toEqual([]);
    const status = cluster.status('metrics-tap');
    expect(status).toMatchObject({ matchedPods: 6, updatedPods: order.length, readyPods: 5 });
    expect(status.updatedReadyPods ?? 0).toBe(order.length - 1);
    nodes(cluster);
  }
  await reconcile(cluster);
  expect(cluster.status('metrics-tap')).toMatchObject({
    matchedPods: 6,
    updatedPods: 6,
    readyPods: 6,
    updatedReadyPods: 6,
  });
});

test.each<[string, JsonObject, string[]]>([
  ['a partition of 50%', { partition: '50%' }, ['ledger-d', 'ledger-e', 'ledger-f']],
  ['a partition of 6', { partition: 6 }, []],
  ['maxUnavailable 0', { maxUnavailable: 0 }, []],
])('%s is accepted, and upgrades what it lets', async (_what, strategy, expected) => {
  const cluster = await changed(strategy);
  await cluster.world.rest();
  expect(upgraded(cluster).sort()).toEqual(expected);
});

test('a pod that is not ready is upgraded at once, next to the one that is', async () => {
  const cluster = await changed();
  cluster.world.change(
    PODS,
    { namespace: 'bank', name: 'ledger-a' },
    (object) => ({
      ...object,
      status: { ...(object.status as JsonObject), conditions: [{ type: 'Ready', status: 'False' }] },
    }),
    'status',
  );
  expect((await reconcile(cluster)).sort()).toEqual(['ledger-a', 'ledger-f']);
});
