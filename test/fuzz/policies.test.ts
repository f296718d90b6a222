// Pods, deleted objects, policy objects and answers of the host with one member replaced by something odd: no policy
// traps, every answer is an AdmissionReview, and its patch applies.

import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { type Cluster, Policies } from '../../evaluator/policies.ts';
import { container, env, pod } from '../support/builders/pod.ts';
import {
  budget,
  configuration,
  controllerReference,
  ownedBy,
  podState,
  probe,
  probeMarker,
  targeting,
  workloadOf,
} from '../support/builders/policies.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { bytesOf } from '../support/module.ts';
import { mutants } from './review-subjects.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

const POD = pod({
  name: 'db-0',
  annotations: {
    'apps.kruise.io/using-enhanced-liveness': 'true',
    'apps.kruise.io/container-probe-context': '[{"name":"b","livenessProbe":{"exec":{}}}]',
    'kruise.io/podprobe': '[{"name":"a","containerName":"app","probe":{},"podConditionType":"x.io/a"}]',
    'kruise.io/podprobemarker-list': 'm,n',
  },
  ...ownedBy('Room', 'db', 'game.io/v1'),
  containers: [
    container('app', {
      env: env({ KRUISE_CONTAINER_PRIORITY: '3', KRUISE_CONTAINER_BARRIER: 'x' }),
      livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'n', value: 'v' }] }, periodSeconds: 1 },
    }),
    container('b', { env: env({ A: '1' }) }),
  ],
  initContainers: [container('init', { restartPolicy: 'Always' })],
  spec: {
    nodeSelector: { zone: 'b' },
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] } },
  },
});

const OBJECTS = [
  budget('b', targeting('Deployment', 'web', 'apps/v1')),
  budget('c', { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } }),
  podState('s', {
    target: { apiVersion: 'game.io/v1', kind: 'Room', name: 'db' },
    required: ['zone'],
    preferred: [[10, ['zone', 'rack']]],
    states: { 'db-0': { zone: 'a' } },
  }),
  probeMarker('m', [probe('a'), probe('b', { containerName: 'init' })]),
  probeMarker('n', [probe('a')]),
  configuration({ PPS_Watch_Custom_Workload_WhiteList: '{"workloads":[{"Group":"game.io","Kind":"Room"}]}' }),
];

const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'x', labels: { 'policy.kruise.io/delete-protection': 'Cascading' } },
  spec: {
    group: 'x.io',
    names: { kind: 'X', listKind: 'XList' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};

const WORKLOAD: JsonObject = {
  ...workloadOf('CloneSet', 'web'),
  metadata: { name: 'web', labels: { 'policy.kruise.io/delete-protection': 'Cascading' } },
};

function creationOf(object: Json): JsonObject {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return { uid: 'u', kind, resource, namespace: 'shop', operation: 'CREATE', object, oldObject: null, options: {} };
}

function deletionOf(oldObject: Json, kind: string): JsonObject {
  const [group = '', version = ''] = kind === 'CloneSet' ? ['apps.kruise.io', 'v1beta1'] : ['x', 'v1'];
  return { uid: 'u', kind: { group, version, kind }, resource: { group, version }, operation: 'DELETE', oldObject };
}

async function load(): Promise<Policies> {
  const policies = await Policies.load();
  policies.configure({ gates: new Map(Object.entries(RECORDED_GATES)), systemNamespace: 'kruise-system' });
  return policies;
}

const NOTHING: Cluster = {
  answer: (question) => ({ answer: 'get' in question ? null : { count: 0, names: [] } }),
  commit: () => ({ error: 'nothing is written here' }),
};

/** Checks what holds for every answer; true if the request is allowed. */
function check(policies: Policies, path: string, request: JsonObject, cluster = NOTHING): boolean {
  const body = bytesOf(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
  const { response } = JSON.parse(Buffer.from(policies.review(path, body, NOW, cluster)).toString()) as {
    response: { allowed: boolean; patch?: string; status: { code: number } };
  };
  if (policies.traps > 0) throw new Error(`the module trapped at ${path}: ${JSON.stringify(request)}`);
  expect(response.status.code).toBeGreaterThanOrEqual(200);
  if (response.patch !== undefined) {
    const operations = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Operation[];
    const problems = applyPatch(structuredClone(request.object), operations).filter((problem) => problem !== null);
    expect(problems, JSON.stringify(request)).toEqual([]);
  }
  return response.allowed;
}

describe('with one member replaced by something odd', () => {
  it('pods are answered and explained', async () => {
    const policies = await load();
    for (const object of OBJECTS) policies.apply(bytesOf(JSON.stringify(object)));
    let allowed = 0;
    for (const mutant of mutants(POD)) {
      const request = creationOf(mutant);
      if (check(policies, '/mutate-pod', request)) allowed++;
      if (isObject(mutant)) policies.explain(bytesOf(JSON.stringify({ request })), NOW, NOTHING.answer);
    }
    expect(policies.traps).toBe(0);
    expect(allowed).toBeGreaterThan(100);
  });

  it('policy objects are kept or refused, and pods answered', async () => {
    const policies = await load();
    for (const object of OBJECTS) {
      for (const mutant of mutants(object)) {
        try {
          policies.apply(bytesOf(JSON.stringify(mutant)));
        } catch {
          continue;
        }
        const request = creationOf(POD);
        check(policies, '/mutate-pod', request);
        policies.explain(bytesOf(JSON.stringify({ request })), NOW, NOTHING.answer);
      }
    }
    expect(policies.traps).toBe(0);
  });

  it.each([
    ['/validate-namespace', WORKLOAD, 'Namespace'],
    ['/validate-customresourcedefinition', DEFINITION, 'CustomResourceDefinition'],
    ['/validate-apps-deployment', WORKLOAD, 'Deployment'],
    ['/validate-service', WORKLOAD, 'Service'],
    ['/validate-apps-kruise-io-cloneset', WORKLOAD, 'CloneSet'],
  ])('deleted objects are answered at %s', async (path, object, kind) => {
    const policies = await load();
    for (const mutant of mutants(object)) check(policies, path, deletionOf(mutant, kind));
    for (const request of mutants(deletionOf(object, kind))) {
      if (isObject(request)) check(policies, path, request);
    }
  });

  it('answers of the host are read', async () => {
    const policies = await load();
    policies.apply(bytesOf(JSON.stringify(budget('b', targeting('Deployment', 'web', 'apps/v1')))));
    const replicaSet = workloadOf(
      'ReplicaSet',
      'web-1',
      'apps/v1',
      controllerReference('Deployment', 'web', 'apps/v1'),
    );
    const request = creationOf(pod(ownedBy('ReplicaSet', 'web-1', 'apps/v1')));
    for (const mutant of mutants(replicaSet)) {
      check(policies, '/mutate-pod', request, { ...NOTHING, answer: () => ({ answer: mutant }) });
    }
    for (const mutant of mutants({ count: 1, names: ['a'] })) {
      const namespace = deletionOf({ ...WORKLOAD, kind: 'Namespace' }, 'Namespace');
      check(policies, '/validate-namespace', namespace, { ...NOTHING, answer: () => ({ answer: mutant }) });
    }
  });
});
