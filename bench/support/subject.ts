// What is measured: the review of a pod of 6.4 KB, as an API server sends it, and one SidecarSet that matches it.

import type { JsonObject } from '../../api/core/json.ts';

/** What the floor server answers. */
export const constantAnswer = Buffer.from(
  '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"a2ecbced-192b-49cc-9f80-694944fc20ff","allowed":true}}',
);

/** A SidecarSet as a user writes it. */
export function sidecarSet(name: string, labels: JsonObject): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      imagePullSecrets: [{ name: 'registry-infra' }],
      containers: [
        {
          name: 'log-agent',
          image: 'registry.example.com/infra/log-agent:1.8.2',
          args: ['--dir=/var/log/app', '--level=info'],
          ports: [{ name: 'metrics', containerPort: 9100 }],
          resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          volumeMounts: [{ name: 'spool', mountPath: '/spool' }],
        },
      ],
      volumes: [{ name: 'spool', emptyDir: {} }],
    },
  };
}

/** The body of the review, 6.4 KB. */
export function reviewBody(): Buffer {
  const pod = webPod();
  const review = (): string => JSON.stringify(reviewOf(pod));
  const env = pod.spec.containers[0]?.env ?? [];
  for (let i = 0; review().length < 6400 - 60; i++) {
    env.push({ name: `SETTING_${i}`, value: `value-of-setting-${i}` });
  }
  return Buffer.from(review());
}

/** The review of the creation of a pod. */
export function reviewOf(object: unknown): unknown {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'a2ecbced-192b-49cc-9f80-694944fc20ff',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        uid: 'f0b3a3f4-7c0f-4f0f-8d6f-3a3c1f0c5a11',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
}

/** A pod of two containers, as a workload creates it. */
export function webPod() {
  const labels = { app: 'web', tier: 'frontend', 'pod-template-hash': '5d4f8c7b9d' };
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web-5d4f8c7b9d',
    uid: '8a1c53a9-6d8f-4c5f-9a3e-0d2c6c1f7b42',
    controller: true,
    blockOwnerDeletion: true,
  };
  const token = {
    name: 'kube-api-access-x7k2p',
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  const container = (name: string, port: number) => ({
    name,
    image: `registry.example.com/shop/${name}:3.4`,
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    env: [{ name: 'REGION', value: 'eu' }],
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }, token],
    livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' }, periodSeconds: 5 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  });
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      generateName: 'web-5d4f8c7b9d-',
      namespace: 'shop',
      labels,
      ownerReferences: [owner],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-11-30T10:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {} } },
            'f:spec': {
              'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
              'f:dnsPolicy': {},
              'f:restartPolicy': {},
            },
          },
        },
      ],
    },
    spec: {
      volumes: [
        { name: 'data', emptyDir: {} },
        {
          name: token.name,
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
        },
      ],
      containers: [container('web', 8080), container('worker', 8081)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {},
  };
}
