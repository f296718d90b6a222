import { describe, expect, test } from 'vitest';
import { decode } from '../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { defaultClaimTemplate, defaultPodTemplate, isTemplateDefaulted } from '../../../api/core/template-defaults.ts';
import { PersistentVolumeClaim } from '../../../api/core/volumes.ts';
import type { Gates } from '../../../api/gates.ts';

const none: Gates = new Map();

function podSpec(spec: JsonObject, gates = none): JsonObject {
  const template = decode(PodTemplateSpec, { spec }).value as PodTemplateSpec;
  defaultPodTemplate(template, gates);
  return template.spec as JsonObject;
}

function container(given: JsonObject): Json {
  return (podSpec({ containers: [{ name: 'app', ...given }] }).containers as Json[])[0] as Json;
}

const message = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };
const app = { name: 'app', imagePullPolicy: 'Always', ...message };

describe('the pod spec of a template', () => {
  test('gets what Kubernetes would fill in', () => {
    expect(podSpec({})).toStrictEqual({
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    });
  });

  test('keeps what it says', () => {
    const said = { dnsPolicy: 'None', restartPolicy: 'Never', securityContext: { runAsUser: 0 } };
    const more = { terminationGracePeriodSeconds: 0, schedulerName: 'own' };
    expect(podSpec({ ...said, ...more })).toStrictEqual({ ...said, ...more });
  });

  test('pulls images of containers always, of init containers by their tag', () => {
    const images = ['nginx:1.25', 'nginx', 'nginx:latest', 'No Image'];
    const containers = images.map((image, i) => ({ name: `c${i}`, image }));
    const spec = podSpec({ containers, initContainers: containers });
    const policies = (list: Json | undefined) => (list as JsonObject[]).map((one) => one.imagePullPolicy);
    expect(policies(spec.containers)).toStrictEqual(['Always', 'Always', 'Always', 'Always']);
    expect(policies(spec.initContainers)).toStrictEqual(['IfNotPresent', 'Always', 'Always', 'IfNotPresent']);
  });

  test('gives ephemeral containers neither a pull policy nor a termination message', () => {
    const ports = [{ containerPort: 1 }];
    expect(
      podSpec({ ephemeralContainers: [{ name: 'e', ports, livenessProbe: {} }] }).ephemeralContainers,
    ).toStrictEqual([
      {
        name: 'e',
        ports: [{ containerPort: 1, protocol: 'TCP' }],
        livenessProbe: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
      },
    ]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['port protocols', { ports: [{ containerPort: 1 }] }, { ports: [{ containerPort: 1, protocol: 'TCP' }] }],
    [
      'probe numbers, an explicit zero counting as none',
      { startupProbe: { timeoutSeconds: 0, periodSeconds: 3, httpGet: { port: 80 } } },
      {
        startupProbe: {
          periodSeconds: 3,
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'hooks',
      { lifecycle: { preStop: { httpGet: { port: 80 } } } },
      { lifecycle: { preStop: { httpGet: { port: 80, path: '/', scheme: 'HTTP' } } } },
    ],
    ['amounts below a milli', { resources: { limits: { cpu: '0.0005' } } }, { resources: { limits: { cpu: '1m' } } }],
  ])('completes %s of containers', (_what, given, expected) => {
    expect(container(given)).toStrictEqual({ ...app, ...expected });
  });

  test('rounds its overhead up', () => {
    expect(podSpec({ overhead: { cpu: '1.0001' } }).overhead).toStrictEqual({ cpu: '1001m' });
  });

  test('leaves requests, service links and claim templates inside volumes alone', () => {
    const volume = { name: 'v', ephemeral: { volumeClaimTemplate: { metadata: {}, spec: {} } } };
    const limits = { resources: { limits: { cpu: '1' } } };
    expect(container(limits)).toStrictEqual({ ...app, ...limits });
    expect(podSpec({ volumes: [volume] }).volumes).toStrictEqual([volume]);
    expect(podSpec({}).enableServiceLinks).toBeUndefined();
  });

  test('gets host ports only on the host network, and only with the gate', () => {
    const containers = [{ name: 'a', ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }] }];
    const hostPorts = (spec: JsonObject, gates: Gates) => {
      const [first] = podSpec({ ...spec, containers }, gates).containers as [{ ports: JsonObject[] }];
      return first.ports.map((port) => port.hostPort);
    };
    const on: Gates = new Map([['DefaultHostNetworkHostPortsInPodTemplates', true]]);
    expect(hostPorts({ hostNetwork: true }, on)).toStrictEqual([80, 82]);
    expect(hostPorts({ hostNetwork: true }, none)).toStrictEqual([undefined, 82]);
    expect(hostPorts({}, on)).toStrictEqual([undefined, 82]);
  });
});

test('a claim template gets a phase and rounded amounts, no volume mode', () => {
  const metadata = { name: 'data' };
  const given = {
    metadata,
    spec: { resources: { requests: { storage: '0.1m' } } },
    status: { capacity: { storage: '1.5' } },
  };
  const claim = decode(PersistentVolumeClaim, given).value as PersistentVolumeClaim;
  defaultClaimTemplate(claim);
  expect(claim).toStrictEqual({
    metadata,
    spec: { resources: { requests: { storage: '1m' } } },
    status: { capacity: { storage: '1500m' }, phase: 'Pending' },
  });
});

describe('templates are defaulted', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'app', image: 'a' }] } };
  const asked = (gates: Gates, old?: JsonObject) =>
    isTemplateDefaulted(decode(PodTemplateSpec, template).value as Json, PodTemplateSpec, {
      gates,
      ...(old !== undefined && { old: { spec: { template: old } } }),
    });
  const other = { ...template, spec: { containers: [{ name: 'app', image: 'b' }] } };
  const typed = { metadata: { ...template.metadata, creationTimestamp: null }, spec: { ...template.spec, unknown: 1 } };
  const off: Gates = new Map([['TemplateNoDefaults', true]]);

  test.each<[string, Gates, JsonObject | undefined, boolean]>([
    ['on creation', none, undefined, true],
    ['on updates that change them', none, other, true],
    ['on no update that leaves them', none, template, false],
    ['on no update that changes only what typing drops', none, typed, false],
    ['never with gate TemplateNoDefaults', off, undefined, false],
  ])('%s', (_when, gates, old, expected) => {
    expect(asked(gates, old)).toBe(expected);
  });
});
