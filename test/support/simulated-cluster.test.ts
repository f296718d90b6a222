// What the simulated cluster promises to tests of controllers, tried with a controller that keeps a number of pods.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { StatusError } from '../../component/errors.ts';
import { controllerOf, type KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_INDEX } from '../../kube/reader.ts';
import { PODS, REPLICA_SETS } from '../../kube/resource.ts';
import type { Controller } from '../../reconcilers/loop/controller.ts';
import { pod } from './builders/pod.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { imageIdOf } from './simulation/kubelet.ts';

type State = { set: KubeObject; pods: readonly KubeObject[] };
const SET = { namespace: 'shop', name: 'web' };

/** Keeps as many pods as a ReplicaSet says, and counts those that are ready. */
const keeper: Controller<State> = {
  name: 'keeper',
  workers: { default: 1 },
  watches: [
    { resource: REPLICA_SETS, keys: (change) => [(change.new ?? change.old)?.metadata ?? SET] },
    {
      resource: PODS,
      keys: (change) => {
        const owner = controllerOf(change.new ?? change.old ?? ({ metadata: {} } as KubeObject));
        return owner === undefined ? [] : [{ namespace: 'shop', name: owner.name }];
      },
    },
  ],
  fetch(reader, key) {
    const set = reader.get(REPLICA_SETS, key);
    return set && { set, pods: reader.indexed(PODS, CONTROLLER_INDEX, set.metadata.uid) };
  },
  plan({ set, pods }) {
    const { replicas } = set.spec as { replicas: number };
    const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: set.metadata.uid, controller: true };
    const fresh = pod({ metadata: { ownerReferences: [owner], generateName: 'web-' } }) as { metadata: JsonObject };
    const { name: _, ...metadata } = fresh.metadata;
    const object = { ...fresh, metadata };
    const created = Array.from(
      { length: replicas - live.length },
      () => ({ type: 'create', resource: PODS, object }) as const,
    );
    const deleted = live
      .slice(replicas)
      .map(({ metadata }) => ({ type: 'delete', resource: PODS, reference: metadata, uid: metadata.uid }) as const);
    const ready = live.filter(isReady).length;
    const status = { ...(set as unknown as JsonObject), status: { ready } };
    const isCounted = (set.status as { ready?: number } | undefined)?.ready === ready;
    return {
      groups: [[...created, ...deleted]],
      ...(isCounted
        ? {}
        : { status: { type: 'update', resource: REPLICA_SETS, object: status, subresource: 'status' } }),
    };
  },
};

function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

function replicaSet(replicas: number): JsonObject {
  return { metadata: { ...SET }, spec: { replicas } };
}

describe('a simulated cluster', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'brings a controller to rest in spite of failures (seed %i)',
    async (seed) => {
      const cluster = new SimulatedCluster({ seed, controllers: [keeper], failures: 0.3 });
      cluster.create(REPLICA_SETS, replicaSet(5));
      await cluster.rest({
        // Own writes are seen before the next plan: else there would be too many.
        invariant: () => expect(cluster.list(PODS).length).toBeLessThanOrEqual(5),
      });
      expect(cluster.list(PODS).filter(isReady)).toHaveLength(5);
      expect(cluster.get(REPLICA_SETS, SET)?.status).toEqual({ ready: 5 });
      expect(await cluster.outstanding()).toEqual({});
      cluster.change(REPLICA_SETS, SET, (set) => ({ ...set, spec: { replicas: 2 } }));
      await cluster.rest();
      expect(cluster.list(PODS)).toHaveLength(2);
      expect(cluster.get(REPLICA_SETS, SET)?.status).toEqual({ ready: 2 });
    },
  );

  it('does the same for the same seed', async () => {
    const traces = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const cluster = new SimulatedCluster({ seed, controllers: [keeper], failures: 0.3 });
        cluster.create(REPLICA_SETS, replicaSet(5));
        await cluster.rest();
        return cluster.trace.join('\n');
      }),
    );
    expect(traces[0]).toBe(traces[1]);
    expect(traces[0]).not.toBe(traces[2]);
  });

  it('tells the seed and the last steps when something is not as it must be', async () => {
    const cluster = new SimulatedCluster({ seed: 7, controllers: [keeper] });
    cluster.create(REPLICA_SETS, replicaSet(1));
    const invariant = () => expect(cluster.list(PODS)).toHaveLength(0);
    await expect(cluster.rest({ invariant })).rejects.toThrow(/seed 7: [\s\S]*keeper shop\/web[\s\S]*create pods/);
  });

  it('restarts a container whose image changed, on its own, and reports the new image', async () => {
    const cluster = new SimulatedCluster({ seed: 1 });
    cluster.create(PODS, pod());
    await cluster.rest();
    const before = cluster.get(PODS, { namespace: 'shop', name: 'web-0' });
    expect(before).toMatchObject({
      status: { phase: 'Running', containerStatuses: [{ restartCount: 0, ready: true }] },
    });
    cluster.change(PODS, { namespace: 'shop', name: 'web-0' }, (object) => ({
      ...object,
      spec: { ...(object.spec as JsonObject), containers: [{ name: 'app', image: 'app:2' }] },
    }));
    await cluster.rest();
    expect(cluster.get(PODS, { namespace: 'shop', name: 'web-0' })).toMatchObject({
      metadata: { uid: before?.metadata.uid },
      status: { containerStatuses: [{ restartCount: 1, ready: true, image: 'app:2', imageID: imageIdOf('app:2') }] },
    });
  });

  it('keeps a pod from being ready until its gates are met', async () => {
    const cluster = new SimulatedCluster({ seed: 1 });
    cluster.create(PODS, pod({ spec: { readinessGates: [{ conditionType: 'Gate' }] } }));
    await cluster.rest();
    expect(cluster.list(PODS).filter(isReady)).toHaveLength(0);
    cluster.objects.patch(
      PODS,
      { namespace: 'shop', name: 'web-0' },
      {
        patch: { status: { conditions: [{ type: 'Gate', status: 'True' }] } },
        patchType: 'strategic',
        subresource: 'status',
      },
    );
    await cluster.rest();
    expect(cluster.list(PODS).filter(isReady)).toHaveLength(1);
  });

  it('refuses as the API server does', () => {
    const cluster = new SimulatedCluster({ seed: 1 });
    const stored = cluster.create(PODS, pod({ labels: { a: '1' } }));
    const refused = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        if (error instanceof StatusError) return `${error.code} ${error.reason}`;
        throw error;
      }
      return 'done';
    };
    expect(refused(() => cluster.create(PODS, pod()))).toBe('409 AlreadyExists');
    cluster.change(PODS, stored.metadata, (object) => ({ ...object, spec: { nodeName: 'n' } }));
    expect(refused(() => cluster.objects.update(PODS, stored as unknown as JsonObject))).toBe('409 Conflict');
    expect(refused(() => cluster.objects.delete(PODS, stored.metadata, 'another'))).toBe('409 Conflict');
    const name = { namespace: 'shop', name: 'none' };
    expect(refused(() => cluster.delete(PODS, name))).toBe('404 NotFound');
    const patch = { metadata: { resourceVersion: '1' } };
    expect(refused(() => cluster.objects.patch(PODS, stored.metadata, { patch, patchType: 'merge' }))).toBe(
      '409 Conflict',
    );
    expect(() => cluster.reader.list(PODS)).toThrow('pods are watched by nobody');
  });

  it('keeps what has finalizers, and removes what belonged to an owner that is gone', () => {
    const cluster = new SimulatedCluster({ seed: 1 });
    const set = cluster.create(REPLICA_SETS, { ...replicaSet(1), metadata: { ...SET, finalizers: ['hold'] } });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: set.metadata.uid };
    cluster.create(PODS, pod({ metadata: { ownerReferences: [owner] } }));
    cluster.delete(REPLICA_SETS, SET);
    expect(cluster.get(REPLICA_SETS, SET)?.metadata.deletionTimestamp).toBeDefined();
    cluster.change(REPLICA_SETS, SET, (object) => ({ ...object, metadata: { ...SET } }));
    expect(cluster.get(REPLICA_SETS, SET)).toBe(undefined);
    expect(cluster.list(PODS)).toHaveLength(0);
  });
});
