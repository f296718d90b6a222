// CPU of a review that takes no unit of a budget, over HTTPS: the gateway beside the floor server, in turns. Deletions of pods that
// their budget lets go and of pods that it keeps, deletions and evictions of pods without one. Budget: 1.5 times the floor.
// `node bench/delete-cpu.ts [requests a round]`.

import type { JsonObject } from '../api/core/json.ts';
import { run } from './support/load.ts';
import { type Server, startFloor, startGateway } from './support/servers.ts';
import { constantAnswer } from './support/subject.ts';

const ROUNDS = 12;
const REQUESTS = Number(process.argv[2] ?? 5_000);
const CONNECTIONS = 8;
const BODY_BYTES = 6400;

const objects = [
  budget('free', { desiredAvailable: 0, unavailableAllowed: 0 }),
  budget('used-up', { desiredAvailable: 5, unavailableAllowed: 0 }),
  budget(
    'ignoring',
    { desiredAvailable: 5, unavailableAllowed: 0 },
    { ignoredPodSelector: { matchLabels: { app: 'web' } } },
  ),
  pod('alone', undefined),
];
const subjects: Record<string, { path: string; body: Buffer }> = {
  'deletion, no budget': deletion(undefined),
  'deletion, nothing desired': deletion('free'),
  'deletion, ignored pod': deletion('ignoring'),
  'deletion, denied dry run': deletion('used-up', { dryRun: true }),
  'deletion, denied': deletion('used-up'),
  'eviction, pod without a budget': eviction('shop', 'alone'),
  'eviction, namespace without budgets': eviction('elsewhere', 'alone'),
};

const floor = await startFloor(constantAnswer);
const gateway = await startGateway(objects);
/** Of all rounds together: a round is short against the ticks in which the kernel counts. */
const micros = new Map<string, number>();
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, { path, body }] of Object.entries(subjects)) {
    for (const [who, server] of [
      ['floor', floor],
      ['gateway', gateway],
    ] as const) {
      const cpu = await measured(server, path, body);
      // The first round warms up.
      if (round > 0) micros.set(`${who} ${name}`, (micros.get(`${who} ${name}`) ?? 0) + cpu / ROUNDS);
    }
  }
}
await Promise.all([floor.stop(), gateway.stop()]);

console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds of ${REQUESTS}, means`);
for (const [name, { body }] of Object.entries(subjects)) {
  const [least, own] = [micros.get(`floor ${name}`) ?? Number.NaN, micros.get(`gateway ${name}`) ?? Number.NaN];
  console.log(
    `${name}: ${body.length} bytes, floor ${least.toFixed(1)} us, gateway ${own.toFixed(1)} us, ${(own / least).toFixed(2)} (budget 1.5)`,
  );
}

async function measured(server: Server, path: string, body: Buffer): Promise<number> {
  const before = await server.cpuMs();
  await run({ port: server.port, path, body, connections: CONNECTIONS, requests: REQUESTS });
  return (((await server.cpuMs()) - before) * 1000) / REQUESTS;
}

function budget(name: string, status: JsonObject, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '50%', ...spec },
    status: { currentAvailable: 10, totalReplicas: 10, ...status },
  };
}

/** One that runs and is ready, of a workload. */
function pod(name: string, related: string | undefined): JsonObject {
  const container = (which: string) => ({
    name: which,
    image: `registry.example.com/shop/${which}:3.4`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' }, periodSeconds: 5 },
    terminationMessagePath: '/dev/termination-log',
    imagePullPolicy: 'IfNotPresent',
    env: [] as JsonObject[],
  });
  const runs = (which: string) => ({
    name: which,
    image: `registry.example.com/shop/${which}:3.4`,
    imageID: `registry.example.com/shop/${which}@sha256:${'1'.repeat(64)}`,
    containerID: `containerd://${'2'.repeat(64)}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: '2026-11-30T10:00:00Z' } },
  });
  const containers = [container('web'), container('worker')];
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '100',
      labels: { app: 'web', tier: 'frontend', 'pod-template-hash': '5d4f8c7b9d' },
      annotations: related === undefined ? { note: 'none' } : { 'pub.kruise.io/related-pub': related },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f8c7b9d', uid: 'uid-web', controller: true },
      ],
    },
    spec: { containers, nodeName: 'node-1', restartPolicy: 'Always', serviceAccountName: 'default' },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status: 'True' })),
      containerStatuses: [runs('web'), runs('worker')],
      qosClass: 'Burstable',
    },
  };
  for (let i = 0; JSON.stringify(object).length < BODY_BYTES - 1000; i++) {
    containers[0]?.env.push({ name: `SETTING_${i}`, value: `value-of-setting-${i}` });
  }
  return object;
}

function deletion(related: string | undefined, more: JsonObject = {}): { path: string; body: Buffer } {
  return review({ operation: 'DELETE', name: 'web-0', object: null, oldObject: pod('web-0', related), ...more });
}

function eviction(namespace: string, name: string): { path: string; body: Buffer } {
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return review({ operation: 'CREATE', subResource: 'eviction', name, namespace, kind, object, oldObject: null });
}

function review(more: JsonObject): { path: string; body: Buffer } {
  const request = {
    uid: 'a2ecbced-192b-49cc-9f80-694944fc20ff',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'shop',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    dryRun: false,
    options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
    ...more,
  };
  const body = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
  return { path: '/validate-pod', body: Buffer.from(JSON.stringify(body)) };
}
