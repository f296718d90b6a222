// Pods as large clusters have them, and a server of lists and watches of them: `node bench/support/pods.ts COUNT RANDOM`
// prints its port and ends with its standard input.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../api/core/json.ts';

const PAGE = 500;
/** Changes that are sent at once. */
const BATCH = 100;

/** A pod of some 7 KB; `randomBytes` of them tell nothing about any other pod. */
export function podOf(index: number, randomBytes: number, version = index): JsonObject {
  const random = randomOf(index + 1);
  const id = letters(random, 5);
  const app = `app-${index % 300}`;
  const time = new Date(Date.UTC(2026, 10, 1) + index * 1000).toISOString().replace('.000', '');
  const hash = () => letters(random, 64);
  const names = ['app', 'proxy'];
  const uid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const notes = randomBytes === 0 ? {} : { notes: letters(random, randomBytes) };
  return {
    metadata: {
      name: `${app}-7d9c8b6f5-${id}`,
      generateName: `${app}-7d9c8b6f5-`,
      namespace: `ns-${index % 50}`,
      uid: uid(1_000_000 + index),
      resourceVersion: String(1_000_000 + version),
      creationTimestamp: time,
      labels: { app, 'pod-template-hash': '7d9c8b6f5', tier: 'backend' },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080', ...notes },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7d9c8b6f5`,
          uid: uid(index % 300),
          controller: true,
        },
      ],
      managedFields: [managed('kube-controller-manager', time), managed('kubelet', time)],
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: 'config', defaultMode: 420 } },
        tokenVolume(`kube-api-access-${id}`),
      ],
      containers: names.map((name) => containerOf(name, `kube-api-access-${id}`, randomBytes === 0)),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${index % 2000}`,
      schedulerName: 'default-scheduler',
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: time,
        }),
      ),
      hostIP: `10.0.${(index >> 8) % 8}.${index & 255}`,
      podIP: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
      startTime: time,
      qosClass: 'Burstable',
      containerStatuses: names.map((name) => ({
        name,
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${name}:1.2.3`,
        imageID: `registry.example.com/shop/${name}@sha256:${'5f'.repeat(32)}`,
        containerID: `containerd://${hash()}`,
        started: true,
      })),
    },
  };
}

function containerOf(name: string, token: string, isLarge: boolean): JsonObject {
  const probe = (path: string) => ({
    httpGet: { path, port: 8080, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
  });
  const variables = Array.from({ length: isLarge ? 13 : 3 }, (_, i) => ({
    name: `SETTING_${i}`,
    value: `value of setting ${i}`,
  }));
  return {
    name,
    image: `registry.example.com/shop/${name}:1.2.3`,
    command: ['/bin/app', '--config=/etc/app/config.yaml'],
    ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
    env: [
      ...variables,
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    ],
    resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app' },
      { name: token, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

function tokenVolume(name: string): JsonObject {
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
  return { name, projected: { sources, defaultMode: 420 } };
}

function managed(manager: string, time: string): JsonObject {
  const fields = Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`f:field${i}`, { '.': {} }]));
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': fields },
  };
}

function letters(random: () => number, length: number): string {
  let text = '';
  while (text.length < length) text += random().toString(36).slice(2, 9);
  return text.slice(0, length);
}

function randomOf(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function serve(count: number, randomBytes: number): void {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (searchParams.get('watch') === 'true') {
      // Every tenth pod changes once, as fast as they are taken.
      response.writeHead(200, { 'content-type': 'application/json' });
      let at = 0;
      const send = () => {
        while (at < count) {
          let batch = '';
          for (const end = at + 10 * BATCH; at < end && at < count; at += 10) {
            batch += `${JSON.stringify({ type: 'MODIFIED', object: podOf(at, randomBytes, 2 * count + at) })}\n`;
          }
          if (!response.write(batch)) return response.once('drain', send);
        }
        return undefined;
      };
      send();
      return;
    }
    const from = Number(searchParams.get('continue') ?? 0);
    const to = Math.min(from + PAGE, count);
    const items = Array.from({ length: to - from }, (_, i) => podOf(from + i, randomBytes));
    const metadata = { resourceVersion: String(1_000_000 + count), ...(to < count ? { continue: String(to) } : {}) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ metadata, items }));
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
  process.stdin.resume().on('end', () => process.exit());
}

if (import.meta.main) serve(Number(process.argv[2]), Number(process.argv[3]));
