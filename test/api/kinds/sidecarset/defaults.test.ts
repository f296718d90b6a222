import { describe, expect, test } from 'vitest';
import { cloneJson, type JsonObject } from '../../../../api/core/json.ts';
import { effectiveGates } from '../../../../api/gates.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import type { SidecarContainer, SidecarSetSpec } from '../../../../api/kinds/sidecarset/schema.ts';

const gates = effectiveGates();

function defaulted(spec: JsonObject, version = 'v1beta1'): SidecarSetSpec {
  return sidecarSet.applyDefaults({ spec }, version, { gates }).spec as SidecarSetSpec;
}
function container(given: JsonObject): SidecarContainer | undefined {
  return defaulted({ containers: [{ name: 'a', image: 'a:1', ...given }] }).containers?.[0];
}

describe.each(['v1alpha1', 'v1beta1'])('defaults of the spec in %s', (version) => {
  test('of an empty one', () => {
    expect(defaulted({}, version)).toEqual({
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
      revisionHistoryLimit: 10,
    });
  });

  test('fill in only what is absent', () => {
    const given = {
      updateStrategy: { type: 'NotUpdate', maxUnavailable: 0, partition: '10%' },
      revisionHistoryLimit: 0,
      patchPodMetadata: [{ annotations: { a: 'b' } }, { annotations: { c: 'd' }, patchPolicy: 'Overwrite' }],
      injectionStrategy: { revision: { customVersion: 'v1' } },
    };
    expect(defaulted(given, version)).toEqual({
      ...given,
      patchPodMetadata: [{ annotations: { a: 'b' }, patchPolicy: 'Retain' }, given.patchPodMetadata[1]],
      injectionStrategy: { revision: { customVersion: 'v1', policy: 'Always' } },
    });
    expect(defaulted({ injectionStrategy: { paused: true } }, version).injectionStrategy).toEqual({ paused: true });
  });
});

describe('defaults of containers', () => {
  test('of init containers differ from those of containers by the place', () => {
    const spec = defaulted({ containers: [{ name: 'a', image: 'a' }], initContainers: [{ name: 'b', image: 'b:1' }] });
    const common = {
      upgradeStrategy: { upgradeType: 'ColdUpgrade' },
      shareVolumePolicy: { type: 'disabled' },
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    };
    expect(spec.containers).toEqual([
      { name: 'a', image: 'a', podInjectPolicy: 'BeforeAppContainer', imagePullPolicy: 'Always', ...common },
    ]);
    expect(spec.initContainers).toEqual([
      { name: 'b', image: 'b:1', podInjectPolicy: 'AfterAppContainer', imagePullPolicy: 'IfNotPresent', ...common },
    ]);
  });

  test('complete liveness and readiness probes, not startup probes', () => {
    const probe = { httpGet: { port: 80 }, timeoutSeconds: 0 };
    const complete = {
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    };
    expect(container({ livenessProbe: probe, readinessProbe: probe, startupProbe: probe })).toMatchObject({
      livenessProbe: complete,
      readinessProbe: complete,
      startupProbe: { httpGet: { port: 80 } },
    });
    expect(container({ startupProbe: probe })?.startupProbe).toEqual({ httpGet: { port: 80 } });
    expect(container({ readinessProbe: { grpc: { port: 1 } } })?.readinessProbe?.grpc).toEqual({ port: 1 });
  });

  test('complete lifecycle hooks, ports, and field references', () => {
    const given = {
      lifecycle: { postStart: { httpGet: { port: 'h' } }, preStop: { tcpSocket: { port: 1 } } },
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }],
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', value: '' },
      ],
      transferEnv: [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['m']" } } }],
    };
    expect(container(given)).toMatchObject({
      lifecycle: {
        postStart: { httpGet: { port: 'h', path: '/', scheme: 'HTTP' } },
        preStop: { tcpSocket: { port: 1 } },
      },
      ports: [
        { containerPort: 80, protocol: 'TCP' },
        { containerPort: 53, protocol: 'UDP' },
      ],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } } }, { name: 'B' }],
      transferEnv: [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['m']", apiVersion: 'v1' } } }],
    });
  });

  test('round resources up to milli', () => {
    const resources = container({
      resources: { limits: { cpu: '0.0005', memory: '1024Mi' }, requests: { cpu: 0.25 } },
    })?.resources;
    expect(resources).toEqual({ limits: { cpu: '1m', memory: '1Gi' }, requests: { cpu: '250m' } });
  });

  test('take a source that names nothing for none', () => {
    const transferEnv = [
      { envName: 'A', sourceContainerNameFrom: {} },
      { envName: 'B', sourceContainerNameFrom: null },
    ];
    expect(container({ transferEnv })?.transferEnv).toEqual([{ envName: 'A' }, { envName: 'B' }]);
  });

  test('leave absent policies absent', () => {
    expect(container({})).not.toHaveProperty('shareVolumeDevicePolicy');
    const resourcesPolicy = { targetContainersMode: 'sum', resourcesExpr: { limits: { cpu: 'cpu' } } };
    expect(container({ resourcesPolicy })?.resourcesPolicy).toEqual(resourcesPolicy);
  });
});

test('defaults of volumes', () => {
  const volumes = [
    { name: 'none' },
    { name: 'host', hostPath: { path: '/x' } },
    { name: 'secret', secret: { secretName: 's' } },
    { name: 'config', configMap: { name: 'c', defaultMode: 256 } },
    { name: 'down', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
    {
      name: 'mixed',
      projected: {
        sources: [
          { serviceAccountToken: { path: 't' } },
          { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.uid' } }] } },
        ],
      },
    },
    { name: 'iscsi', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } },
  ];
  expect(defaulted({ volumes }).volumes).toEqual([
    { name: 'none', emptyDir: {} },
    { name: 'host', hostPath: { path: '/x', type: '' } },
    { name: 'secret', secret: { secretName: 's', defaultMode: 420 } },
    { name: 'config', configMap: { name: 'c', defaultMode: 256 } },
    {
      name: 'down',
      downwardAPI: {
        defaultMode: 420,
        items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } }],
      },
    },
    {
      name: 'mixed',
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
          { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.uid', apiVersion: 'v1' } }] } },
        ],
      },
    },
    { name: 'iscsi', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } },
  ]);
});

test('defaulting leaves its input alone and changes nothing the second time', () => {
  const given = {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: 1 } } }] },
  };
  const before = cloneJson(given);
  const once = sidecarSet.applyDefaults(given, 'v1beta1', { gates });
  expect(given).toEqual(before);
  expect(sidecarSet.applyDefaults(once, 'v1beta1', { gates })).toEqual(once);
});

test('what does not decode, or has an unserved version, is said', () => {
  const given = { spec: { containers: {} } };
  expect(sidecarSet.decode(given, 'v1beta1')).toMatchObject({
    errors: ['spec.containers: expected array, got object'],
    goErrors: [
      'json: cannot unmarshal object into Go struct field SidecarSetSpec.spec.containers of type []v1beta1.SidecarContainer',
    ],
  });
  expect(sidecarSet.decode(given, 'v1').errors).toEqual(['unsupported version: v1']);
  expect(() => sidecarSet.applyDefaults(given, 'v1beta1', { gates })).toThrow('spec.containers: expected array');
});
