// A review and the objects that it meets, with a bit of everything that injection looks at, for mutation.

import type { Json, JsonObject } from '../../api/core/json.ts';
import { namespace, revision } from '../support/builders/cluster.ts';
import { container, env, mounts, pod, volumes } from '../support/builders/pod.ts';
import { initSidecar, SHARED_MOUNTS, sidecar, sidecarSet } from '../support/builders/sidecarset.ts';

const TRANSFERRED: JsonObject = {
  transferEnv: [
    { sourceContainerName: 'app', envName: 'ZONE' },
    { sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } }, envNames: ['A', 'B'] },
  ],
};

/** Sets that all match the pod of `richPod`. */
export function richSets(): JsonObject[] {
  const logs = sidecarSet('logs', {
    containers: [
      sidecar('shipper', {
        ...SHARED_MOUNTS,
        ...TRANSFERRED,
        env: env({ MODE: 'ship' }),
        volumeMounts: [...mounts({ '/buffer': 'buffer' }), { name: 'sub', mountPath: '/sub', subPathExpr: '$(ZONE)' }],
      }),
      sidecar('tail', { podInjectPolicy: 'AfterAppContainer' }),
    ],
    initContainers: [initSidecar('setup', { restartPolicy: 'Always' }), initSidecar('once')],
    imagePullSecrets: ['registry-key'],
    spec: {
      volumes: volumes('buffer', 'sub', 'unused'),
      patchPodMetadata: [
        { annotations: { 'example.com/owner': 'logs' }, patchPolicy: 'Overwrite' },
        { annotations: { 'example.com/list': '{"x":[1]}' }, patchPolicy: 'MergePatchJson' },
        { annotations: { 'example.com/kept': 'no' }, patchPolicy: 'Retain' },
      ],
    },
  });
  const mesh = sidecarSet('mesh', {
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] },
    containers: [
      sidecar('proxy', {
        upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'registry.example.com/empty:1' },
        lifecycle: { postStart: { exec: { command: ['/bin/true'] } } },
      }),
    ],
    spec: {
      namespaceSelector: { matchLabels: { team: 'shop' } },
      injectionStrategy: { revision: { customVersion: 'v1', policy: 'Always' } },
    },
  });
  const plain = sidecarSet('plain', {
    selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    containers: [
      sidecar('helper', {
        resourcesPolicy: {
          targetContainers: { mode: 'sum', containerNamesRegex: '^app.*$' },
          expression: { limits: { cpu: 'max(cpu*50%, 50m)', memory: '200Mi' }, requests: { cpu: 'cpu*50%' } },
        },
      }),
    ],
  });
  return [logs, mesh, plain];
}

export function richObjects(): JsonObject[] {
  const sets = richSets();
  const mesh = sets[1];
  if (mesh === undefined) throw new Error('there is no second set');
  return [
    ...sets,
    namespace('shop', { team: 'shop' }),
    revision({ name: 'mesh-5d5b9c7f5', of: mesh, customVersion: 'v1' }),
  ];
}

export function richPod(): JsonObject {
  return pod({
    annotations: {
      'kruise.io/sidecarset-hash':
        '{"old":{"updateTimestamp":"2026-07-01T08:00:00Z","hash":"h","sidecarSetName":"old"}}',
      'example.com/list': '{"y":{"z":null}}',
      'example.com/kept': 'yes',
    },
    containers: [
      container('app', {
        env: [...env({ ZONE: 'z1', A: '1' }), { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        volumeMounts: mounts({ '/data': 'data' }),
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
      }),
      container('web'),
    ],
    initContainers: [container('first')],
    volumes: volumes('data'),
    imagePullSecrets: ['own'],
  });
}

/** A review of the creation of a pod. */
export function reviewOf(object: Json): JsonObject {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      name: 'web-0',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters'] },
      object,
      oldObject: null,
      dryRun: false,
      options: null,
    },
  };
}

/** What may stand in the place of any value. */
export const STRANGE: readonly Json[] = [null, true, 0, -1, 1e99, '', 'x', '{', '5', [], [null], [[]], {}, { a: null }];

/** Every value of a document in turn replaced by every strange one, left out, or doubled in its array. */
export function* mutants(value: Json): Generator<Json> {
  yield* STRANGE;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield value.toSpliced(i, 1);
      yield value.toSpliced(i, 0, item);
      for (const other of mutants(item)) yield value.with(i, other);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
      for (const other of mutants(inner)) yield { ...value, [name]: other };
    }
  }
}
