// The pods of workload templates: what each controller would send first.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { run } from './stand-in.ts';

const template = {
  metadata: { labels: { app: 'web' }, annotations: { a: 'b' } },
  spec: { containers: [{ name: 'app', image: 'x' }] },
};

type Seen = { request: JsonObject; pod: JsonObject; metadata: JsonObject; spec: JsonObject; objects: JsonObject[] };

async function podOf(workload: JsonObject, given: readonly string[] = []): Promise<Seen> {
  const result = await run(['review', '-f', '-', '-n', 'shop', '-o', 'review', ...given], {
    rules: { '/mutate-pod': () => ({}) },
    stdin: JSON.stringify(workload),
  });
  expect([result.code, result.stderr]).toEqual([0, '']);
  const request: JsonObject = result.requests[0]?.request ?? {};
  const pod = request.object as JsonObject;
  return { request, pod, metadata: pod.metadata as JsonObject, spec: pod.spec as JsonObject, objects: result.objects };
}

function workload(apiVersion: string, kind: string, spec: JsonObject = { template }): JsonObject {
  return { apiVersion, kind, metadata: { name: 'web', uid: 'uid-web' }, spec };
}

const reference = (apiVersion: string, kind: string, name = 'web', uid: unknown = 'uid-web') => [
  { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
];

describe('the pod of', () => {
  it('a Deployment belongs to its ReplicaSet, which is known with the Deployment', async () => {
    const { request, metadata, objects, spec } = await podOf(workload('apps/v1', 'Deployment'));
    const labels = metadata.labels as JsonObject;
    const hash = labels['pod-template-hash'];
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
    expect(metadata).toMatchObject({ generateName: `web-${hash}-`, namespace: 'shop', annotations: { a: 'b' } });
    expect(labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(metadata.ownerReferences).toEqual(
      reference('apps/v1', 'ReplicaSet', `web-${hash}`, expect.stringMatching(/^[\da-f-]{36}$/)),
    );
    expect(request).not.toHaveProperty('name');
    expect(request).toMatchObject({
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
    });
    expect(spec).toEqual(template.spec);
    expect(objects).toMatchObject([
      { kind: 'ReplicaSet', metadata: { name: `web-${hash}`, namespace: 'shop' } },
      { kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } },
    ]);
    expect(objects[0]?.metadata).toMatchObject({ ownerReferences: reference('apps/v1', 'Deployment') });
  });

  it.each([
    ['apps/v1', 'ReplicaSet', 'kube-system:replicaset-controller'],
    ['v1', 'ReplicationController', 'kube-system:replication-controller'],
    ['apps/v1', 'DaemonSet', 'kube-system:daemon-set-controller'],
    ['apps.kruise.io/v1beta1', 'DaemonSet', 'kruise-system:kruise-manager'],
    ['batch/v1', 'Job', 'kube-system:job-controller'],
    ['apps.kruise.io/v1beta1', 'BroadcastJob', 'kruise-system:kruise-manager'],
    ['example.com/v1', 'GameServerSet', 'kruise-system:kruise-manager'],
  ])('a %s %s is named after it and owned by it', async (apiVersion, kind, user) => {
    const { metadata, request, objects } = await podOf(workload(apiVersion, kind));
    expect(metadata).toMatchObject({
      generateName: 'web-',
      labels: { app: 'web' },
      ownerReferences: reference(apiVersion, kind),
    });
    expect(request.userInfo).toMatchObject({ username: `system:serviceaccount:${user}` });
    expect(objects).toHaveLength(1);
  });

  it('a Job has the labels of its Job', async () => {
    const { metadata } = await podOf(workload('batch/v1', 'Job'));
    expect(metadata.labels).toMatchObject({ 'job-name': 'web', 'batch.kubernetes.io/controller-uid': 'uid-web' });
  });

  it.each([
    ['apps/v1', {}],
    ['apps.kruise.io/v1beta1', { 'lifecycle.apps.kruise.io/state': 'Normal' }],
  ])('a StatefulSet of %s has a fixed name, its host name and its claims', async (apiVersion, more) => {
    const withVolumes = {
      ...template,
      spec: {
        ...template.spec,
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    };
    const { metadata, spec, request } = await podOf(
      workload(apiVersion, 'StatefulSet', {
        serviceName: 'db',
        ordinals: { start: 3 },
        template: withVolumes,
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      }),
    );
    expect(request.name).toBe('web-3');
    expect(metadata).toMatchObject({
      name: 'web-3',
      ownerReferences: reference(apiVersion, 'StatefulSet'),
      labels: {
        app: 'web',
        'statefulset.kubernetes.io/pod-name': 'web-3',
        'apps.kubernetes.io/pod-index': '3',
        ...more,
      },
    });
    expect(spec).toMatchObject({
      hostname: 'web-3',
      subdomain: 'db',
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data-web-3', readOnly: false } },
        { name: 'tmp', emptyDir: {} },
      ],
    });
  });

  it('a CloneSet has an instance id, the in-place readiness gate and its lifecycle state', async () => {
    const { metadata, spec } = await podOf(workload('apps.kruise.io/v1alpha1', 'CloneSet'));
    const labels = metadata.labels as JsonObject;
    const id = labels['apps.kruise.io/cloneset-instance-id'];
    expect(metadata).toMatchObject({
      name: `web-${id}`,
      generateName: 'web-',
      labels: { 'lifecycle.apps.kruise.io/state': 'PreparingNormal', 'pod-template-hash': expect.any(String) },
      annotations: { a: 'b', 'lifecycle.apps.kruise.io/timestamp': '2026-07-01T08:00:00Z' },
      ownerReferences: reference('apps.kruise.io/v1alpha1', 'CloneSet'),
    });
    expect(spec.readinessGates).toEqual([{ conditionType: 'InPlaceUpdateReady' }]);
  });

  it('a CronJob belongs to the Job of that minute', async () => {
    const { metadata, objects } = await podOf(workload('batch/v1', 'CronJob', { jobTemplate: { spec: { template } } }));
    const job = `web-${Date.parse('2026-07-01T08:00:00Z') / 60_000}`;
    expect(metadata).toMatchObject({
      generateName: `${job}-`,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job }],
    });
    expect(objects.map(({ kind }) => kind)).toEqual(['Job', 'CronJob']);
  });

  it.each([
    ['jobTemplate', 'batch/v1', 'Job'],
    ['broadcastJobTemplate', 'apps.kruise.io/v1beta1', 'BroadcastJob'],
  ])('an AdvancedCronJob with a %s belongs to the %s %s of that second', async (member, apiVersion, kind) => {
    const spec = { template: { [member]: { spec: { template } } } };
    const { metadata } = await podOf(workload('apps.kruise.io/v1beta1', 'AdvancedCronJob', spec));
    expect(metadata.ownerReferences).toMatchObject([
      { apiVersion, kind, name: `web-${Date.parse('2026-07-01T08:00:00Z') / 1000}` },
    ]);
  });

  it.each([
    ['statefulSetTemplate', 'StatefulSet'],
    ['advancedStatefulSetTemplate', 'StatefulSet'],
    ['cloneSetTemplate', 'CloneSet'],
    ['deploymentTemplate', 'ReplicaSet'],
  ])('a UnitedDeployment with a %s is that of its first subset', async (member, kind) => {
    const spec = {
      template: { [member]: { spec: { template } } },
      topology: { subsets: [{ name: 'zone-a' }, { name: 'zone-b' }] },
    };
    const { metadata } = await podOf(workload('apps.kruise.io/v1beta1', 'UnitedDeployment', spec));
    expect(metadata.labels).toMatchObject({ app: 'web', 'apps.kruise.io/subset-name': 'zone-a' });
    expect(metadata.ownerReferences).toMatchObject([{ kind, name: expect.stringMatching(/^web-zone-a-/) }]);
  });
});

describe('a workload', () => {
  it('always makes the same pod', async () => {
    const [one, two] = await Promise.all([
      podOf(workload('apps/v1', 'Deployment')),
      podOf(workload('apps/v1', 'Deployment')),
    ]);
    expect(one.request).toEqual(two.request);
  });

  it('already among the objects is not known a second time, and owns the pod by its stored UID', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workloads-'));
    try {
      const objects = join(folder, 'objects.json');
      const stored = workload('apps/v1', 'ReplicaSet');
      await writeFile(
        objects,
        JSON.stringify({ ...stored, metadata: { name: 'web', namespace: 'shop', uid: 'uid-stored' } }),
      );
      const result = await podOf(stored, ['--objects', objects]);
      expect(result.objects).toMatchObject([{ metadata: { uid: 'uid-stored' } }]);
      expect(result.metadata.ownerReferences).toEqual(reference('apps/v1', 'ReplicaSet', 'web', 'uid-stored'));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is reviewed itself when the path is its own', async () => {
    const { requests } = await run(['review', '-f', '-', '--path', '/validate-apps-kruise-io-cloneset'], {
      rules: { '/validate-apps-kruise-io-cloneset': () => ({}) },
      stdin: JSON.stringify(workload('apps.kruise.io/v1beta1', 'CloneSet')),
    });
    expect(requests[0]?.request).toMatchObject({
      kind: { kind: 'CloneSet' },
      resource: { resource: 'clonesets' },
      name: 'web',
    });
  });

  it('without a template is refused with the field', async () => {
    const { code, stderr } = await run(['review', '-f', '-'], {
      stdin: 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  jobTemplate: {spec: {template: 5}}\n',
    });
    expect([code, stderr]).toEqual([
      2,
      'error: -:5:24: spec.jobTemplate.spec.template: expected an object, got a number\n',
    ]);
  });

  it('shows the fields of a refused pod at their place in the template', async () => {
    const { stdout } = await run(['review', '-f', '-'], {
      rules: { '/mutate-pod': () => ({ allowed: false, message: 'spec.containers[0].image: Required value' }) },
      stdin:
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n      - name: x\n        image: ""\n',
    });
    expect(stdout).toContain('  -:9:9: spec.containers[0].image: Required value\n');
  });
});
