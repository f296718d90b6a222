// Pods that cannot be decoded are refused with code 400, in the words of the decoder that clients know
// (admission-overview.md 4).
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { pod } from '../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { Injection } from '../support/injection.ts';

const spec = (members: JsonObject): JsonObject => pod({ spec: members });
const metadata = (members: JsonObject): JsonObject => pod({ metadata: members });
const whole = (members: JsonObject): JsonObject => ({ ...pod(), ...members });
const one = (members: JsonObject): JsonObject => spec({ containers: [members] });

const rows: [what: string, asked: Json, fault: string][] = [
  [
    'a label',
    metadata({ labels: { app: 1 } }),
    'number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    'an annotation',
    metadata({ annotations: { a: true } }),
    'bool into Go struct field ObjectMeta.metadata.annotations of type string',
  ],
  [
    'labels',
    metadata({ labels: [] }),
    'array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [
    'owners',
    metadata({ ownerReferences: {} }),
    'object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
  ],
  ['metadata', whole({ metadata: 'x' }), 'string into Go struct field Pod.metadata of type v1.ObjectMeta'],
  ['the spec', whole({ spec: true }), 'bool into Go struct field Pod.spec of type v1.PodSpec'],
  ['the status', whole({ status: [] }), 'array into Go struct field Pod.status of type v1.PodStatus'],
  [
    'the phase',
    whole({ status: { phase: 5 } }),
    'number into Go struct field PodStatus.status.phase of type v1.PodPhase',
  ],
  [
    'a container',
    spec({ containers: ['x'] }),
    'string into Go struct field PodSpec.spec.containers of type v1.Container',
  ],
  ['a name', one({ name: 5 }), 'number into Go struct field Container.spec.containers.name of type string'],
  [
    'the name of an init container',
    spec({ initContainers: [{ name: {} }] }),
    'object into Go struct field Container.spec.initContainers.name of type string',
  ],
  ['variables', one({ env: 'x' }), 'string into Go struct field Container.spec.containers.env of type []v1.EnvVar'],
  [
    'mounts',
    one({ volumeMounts: {} }),
    'object into Go struct field Container.spec.containers.volumeMounts of type []v1.VolumeMount',
  ],
  [
    'a pull secret',
    spec({ imagePullSecrets: ['a'] }),
    'string into Go struct field PodSpec.spec.imagePullSecrets of type v1.LocalObjectReference',
  ],
  [
    'a readiness gate',
    spec({ readinessGates: ['a'] }),
    'string into Go struct field PodSpec.spec.readinessGates of type v1.PodReadinessGate',
  ],
  [
    'the first of two that the text comes to',
    { spec: { containers: 'x' }, metadata: { labels: [] } },
    'string into Go struct field PodSpec.spec.containers of type []v1.Container',
  ],
];

describe('a pod is refused when what cannot be decoded is', async () => {
  const injection = (await Injection.start()).hold(sidecarSet('s', { containers: [sidecar('x')] }));

  test.each(rows)('%s', (_what, asked, fault) => {
    const request = { object: asked, namespace: 'shop' };
    expect(injection.review(pod(), request)).toMatchObject({
      allowed: false,
      code: 400,
      message: `json: cannot unmarshal ${fault}`,
    });
  });

  test.each([
    ['labels and annotations', metadata({ labels: null, annotations: null, ownerReferences: null })],
    ['lists of containers', one({ name: 'a', env: null, volumeMounts: null })],
    ['lists of the spec', spec({ imagePullSecrets: null, readinessGates: null, volumes: null, initContainers: null })],
    ['the status', whole({ status: null })],
    ['items', spec({ containers: [null], imagePullSecrets: [null] })],
  ])('not if %s are null', (_what, asked) => {
    expect(injection.review(asked)).toMatchObject({ allowed: true });
  });
});
