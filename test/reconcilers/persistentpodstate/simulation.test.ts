// Records are right once all is at rest, while pods come, go and move, caches lag and writes fail.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { NODES, PODS, STATEFUL_SETS } from '../../../kube/resource.ts';
import { persistentPodState } from '../../../reconcilers/persistentpodstate/controller.ts';
import { POD_STATES, type Status } from '../../../reconcilers/persistentpodstate/objects.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const DB = { namespace: 'shop', name: 'db' };

/** Makes the pods of the StatefulSet that are missing, and ends those that are too many. */
function statefulSet(cluster: SimulatedCluster): (() => void)[] {
  const set = cluster.get(STATEFUL_SETS, DB);
  if (set === undefined) return [];
  const { replicas } = set.spec as { replicas: number };
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: set.metadata.uid, controller: true };
  const names = Array.from({ length: replicas }, (_, i) => `db-${i}`);
  const pods = cluster.list(PODS, 'shop');
  const missing = names.filter((name) => !pods.some(({ metadata }) => metadata.name === name));
  const surplus = pods.filter(
    ({ metadata }) => !names.includes(metadata.name) && metadata.deletionTimestamp === undefined,
  );
  const metadata = { namespace: 'shop', ownerReferences: [owner] };
  const spec = { containers: [{ name: 'main', image: 'x:1' }] };
  return [
    ...missing.map((name) => () => void cluster.create(PODS, { metadata: { ...metadata, name }, spec })),
    ...surplus.map((pod) => () => cluster.delete(PODS, pod.metadata)),
  ];
}

/** Deletes what is made for a workload that is gone, which a mirror that lags may cause. */
function garbageCollector(cluster: SimulatedCluster): (() => void)[] {
  return cluster.get(STATEFUL_SETS, DB) === undefined
    ? cluster.list(POD_STATES).map(
        ({ metadata }) =>
          () =>
            cluster.delete(POD_STATES, metadata),
      )
    : [];
}

describe.each(SEEDS)('with seed %i', (seed) => {
  it('every pod is recorded on the node where it runs, and no other', async () => {
    const cluster = new SimulatedCluster({ seed, failures: 0.3, controllers: [persistentPodState(SYSTEM_NAMESPACE)] });
    for (let i = 0; i < 3; i++) cluster.create(NODES, { metadata: { name: `node-${i}`, labels: { zone: `z${i}` } } });
    const annotations = {
      'kruise.io/auto-generate-persistent-pod-state': 'true',
      'kruise.io/required-persistent-topology': 'zone',
    };
    cluster.create(STATEFUL_SETS, { metadata: { ...DB, annotations }, spec: { replicas: 4 } });
    const rest = async (replicas: number) => {
      const to = (object: JsonObject) => ({ ...object, spec: { ...(object.spec as JsonObject), replicas } });
      cluster.change(STATEFUL_SETS, DB, to);
      await cluster.rest({ actors: [statefulSet] });
      const expected = cluster.list(PODS, 'shop').map(({ metadata, spec }) => {
        const { nodeName } = spec as { nodeName: string };
        return [metadata.name, { nodeName, nodeTopologyLabels: { zone: nodeName.replace('node-', 'z') } }];
      });
      expect(expected).toHaveLength(replicas);
      const { podStates = {} } = (cluster.get(POD_STATES, DB)?.status ?? {}) as Status;
      expect(podStates).toEqual(Object.fromEntries(expected));
      expect(await cluster.outstanding()).toEqual({});
    };
    await rest(4);
    for (const name of ['db-1', 'db-3']) cluster.delete(PODS, { namespace: 'shop', name });
    await rest(4);
    await rest(2);
    await rest(3);
    await rest(0);
    cluster.delete(STATEFUL_SETS, DB);
    await cluster.rest({ actors: [garbageCollector] });
    expect(cluster.list(POD_STATES)).toEqual([]);
  });
});
