// What the API server and later steps write into injected containers between two calls of webhooks stays, and nothing else
// does.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container, type PodParts, pod } from '../../support/builders/pod.ts';
import { ownedBy } from '../../support/builders/policies.ts';
import { SHARED_MOUNTS, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { filledIn } from '../../support/filled-in.ts';
import { Injection } from '../../support/injection.ts';
import { agreeing, pods, sidecarSets } from '../../support/pods.ts';

const TOKEN = {
  name: 'kube-api-access-x7k2p',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
};
const LOGS = { name: 'logs', mountPath: '/logs' };
const LIMITS = { cpu: '1', memory: '128Mi' };

type Change = (container: JsonObject) => JsonObject;

/** The injected container of a pod, changed, and the patch of a second pass over that pod. */
async function secondPass(described: JsonObject, change: Change, parts: PodParts = {}): Promise<string[]> {
  const injection = await Injection.start({ EnhancedLivenessProbe: true });
  injection.hold(sidecarSet('logging', { containers: [sidecar('log-agent', described)] }));
  const once = injection.create(pod(parts));
  const spec = once.spec as { containers: JsonObject[] };
  const containers = spec.containers.map((container) =>
    container.name === 'log-agent' ? change(container) : container,
  );
  const { operations } = injection.review({ ...once, spec: { ...spec, containers } });
  return operations.map(({ op, path }) => `${op} ${path}`);
}

const withToken: Change = (container) => ({ ...container, volumeMounts: [TOKEN] });
const ofKruise = { annotations: { 'apps.kruise.io/using-enhanced-liveness': 'true' }, ...ownedBy('CloneSet') };
const livenessProbe = { exec: { command: ['alive'] }, periodSeconds: 5 };

const computed = {
  resourcesPolicy: {
    targetContainersMode: 'sum',
    targetContainersNameRegex: '.*',
    resourcesExpr: { limits: { cpu: 'cpu' } },
  },
};

const kept: Record<string, [JsonObject, Change, PodParts?]> = {
  'the mounted token': [{}, withToken],
  'the mounted token behind own mounts': [
    { volumeMounts: [LOGS] },
    (container) => ({ ...container, volumeMounts: [LOGS, TOKEN] }),
  ],
  'the mounted token wherever it stands among mounts that are shared': [
    SHARED_MOUNTS,
    (container) => ({ ...container, volumeMounts: [LOGS, TOKEN] }),
    { containers: [container('app', { volumeMounts: [TOKEN, LOGS] })] },
  ],
  'requests made from limits': [
    { resources: { limits: LIMITS } },
    (container) => ({ ...container, resources: { limits: LIMITS, requests: LIMITS } }),
  ],
  'the defaults of a LimitRange': [
    { resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } } },
    (container) => ({ ...container, resources: { limits: LIMITS, requests: { cpu: '500m', memory: '64Mi' } } }),
  ],
  'the defaults of a LimitRange beside what is computed': [
    computed,
    (container) => ({ ...container, resources: { limits: { memory: '1Gi' }, requests: { cpu: '1m', memory: '1Gi' } } }),
  ],
  'the pull policy of AlwaysPullImages': [{}, (container) => ({ ...container, imagePullPolicy: 'Always' })],
  'what an API server fills in': [
    {
      ports: [{ containerPort: 80 }],
      startupProbe: { grpc: { port: 9 }, failureThreshold: 30 },
      lifecycle: { preStop: { httpGet: { port: 81 } } },
      env: [{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }],
    },
    ({ env, ...container }) => ({
      ...container,
      ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
      startupProbe: {
        grpc: { port: 9, service: '' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 30,
      },
      lifecycle: { preStop: { httpGet: { path: '/', port: 81, scheme: 'HTTP' } } },
      env: [
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
        ...(env as JsonObject[]).slice(1),
      ],
    }),
  ],
  'what an API server leaves out': [
    { env: [{ name: 'A', value: '' }], volumeMounts: [{ ...LOGS, readOnly: false }], tty: false, command: [] },
    ({ env, tty: _tty, command: _command, ...container }) => ({
      ...container,
      env: [{ name: 'A' }, ...(env as JsonObject[]).slice(1)],
      volumeMounts: [LOGS],
    }),
  ],
  'the token in a pod whose containers start in an order': [
    { env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }] },
    withToken,
  ],
  'the token in a pod whose liveness probes were moved': [{ livenessProbe }, withToken, ofKruise],
};

test.each(Object.entries(kept))('%s stays', async (_name, [described, change, parts]) => {
  expect(await secondPass(described, change, parts)).toEqual([]);
});

const replaced: Record<string, [JsonObject, Change, PodParts?]> = {
  'another mount': [{}, (container) => ({ ...container, volumeMounts: [LOGS] })],
  'a token that can be written': [{}, (container) => ({ ...container, volumeMounts: [{ ...TOKEN, readOnly: false }] })],
  'a token less than the containers have whose mounts are shared': [
    SHARED_MOUNTS,
    (container) => ({ ...container, volumeMounts: [LOGS] }),
    { containers: [container('app', { volumeMounts: [TOKEN, LOGS] })] },
  ],
  'a mount less': [{ volumeMounts: [LOGS] }, (container) => ({ ...container, volumeMounts: [TOKEN] })],
  'requests that are no limits': [
    { resources: { limits: LIMITS } },
    (container) => ({ ...container, resources: { limits: LIMITS, requests: { cpu: '2' } } }),
  ],
  'a limit of another amount': [
    { resources: { limits: LIMITS } },
    (container) => ({ ...container, resources: { limits: { ...LIMITS, cpu: '2' } } }),
  ],
  'a request less': [
    { resources: { requests: LIMITS } },
    (container) => ({ ...container, resources: { requests: { cpu: '1' } } }),
  ],
  'a limit that the containers beside it do not have': [
    computed,
    (container) => ({ ...container, resources: { limits: { cpu: '1' } } }),
  ],
  'another number of a probe': [
    { startupProbe: { exec: { command: ['up'] } } },
    (container) => ({ ...container, startupProbe: { exec: { command: ['up'] }, periodSeconds: 11 } }),
  ],
  'a port of the node': [
    { ports: [{ containerPort: 80 }] },
    (container) => ({ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }),
  ],
  'a choice that was no': [
    { securityContext: { allowPrivilegeEscalation: false, runAsUser: 0 } },
    (container) => ({ ...container, securityContext: { runAsUser: 0 } }),
  ],
  'a probe less': [{ livenessProbe }, ({ livenessProbe: _probe, ...container }) => container],
  'a variable less': [{ env: [{ name: 'A', value: '1' }] }, ({ env: _env, ...container }) => container],
  'a command': [{}, (container) => ({ ...container, command: ['sh'] })],
  'another image': [{}, (container) => ({ ...container, image: 'registry.example.com/other:1' })],
};

test.each(Object.entries(replaced))('%s does not stay', async (_name, [described, change, parts]) => {
  expect(await secondPass(described, change, parts)).toEqual(['replace /spec/containers/0']);
});

test('whatever sets bring, a pod that the API server completed meanwhile gets no patch', async () => {
  const injection = await Injection.start();
  fc.assert(
    fc.property(pods(), sidecarSets, (asked, sets) => {
      const once = injection.hold(...agreeing(sets)).create(filledIn(asked));
      expect(injection.review(filledIn(once)).operations).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
