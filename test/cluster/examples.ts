// One example of every kind: the least that is accepted, a change of it, and one that is refused.
import type { JsonObject } from '../../api/core/json.ts';

export type Example = {
  /** In the version that is stored. Objects with a namespace are in `shop`. */
  object: JsonObject;
  /** A merge patch that is accepted. */
  change: JsonObject;
  /** Another object, which is refused. */
  wrong: JsonObject;
  /** What kubectl shows of the refusal. */
  refusal: string;
  /** What is said when the server applies the object once more, of kinds that allow it only once. */
  again?: string;
};

export const NAMESPACE = 'shop';

/** The pod that requests to recreate containers are about, and its node; in no API server, but known to the gateway. */
export const RUNNING_POD: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: '04dab60a-f51b-4900-a4b9-05308f63d2c7' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-0', namespace: NAMESPACE, uid: '5567e573-ae2f-4569-aca7-027bd76c0ba1' },
    spec: { nodeName: 'node-1', containers: [{ name: 'cart', image: 'registry.example.com/shop/cart:3.1' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'cart', ready: true, restartCount: 0, containerID: 'containerd://cart0123' }],
    },
  },
];

const labels = { app: 'cart' };
const selector = { matchLabels: labels };
const container = { name: 'cart', image: 'registry.example.com/shop/cart:3.1' };
const template = { metadata: { labels }, spec: { containers: [container] } };
const jobTemplate = { spec: { ...template.spec, restartPolicy: 'Never' } };
const subsets = [{ name: 'first', maxReplicas: 3 }, { name: 'second' }];
const cart = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'cart' };
const team = { metadata: { labels: { team: 'checkout' } } };

/** By kind. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  AdvancedCronJob: {
    object: cronJob('example', '*/5 * * * *'),
    change: { spec: { paused: true } },
    wrong: cronJob('wrong', '61 * * * *'),
    refusal: 'spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61',
  },
  BroadcastJob: {
    object: object('BroadcastJob', 'example', { template: jobTemplate }),
    change: { spec: { parallelism: 2 } },
    wrong: object('BroadcastJob', 'wrong', { template: { spec: template.spec } }),
    refusal:
      'spec.template.spec.restartPolicy: Invalid value: "Always": pod restartPolicy can only be Never or OnFailure',
  },
  CloneSet: {
    object: object('CloneSet', 'example', { replicas: 2, selector, template }),
    change: { spec: { replicas: 3 } },
    wrong: object('CloneSet', 'wrong', { selector, template, updateStrategy: { type: 'Canary' } }),
    refusal: `spec.updateStrategy.type: Invalid value: "Canary": must be 'RollingUpdate' or 'OnDelete'`,
  },
  ContainerRecreateRequest: {
    object: object('ContainerRecreateRequest', 'example', { podName: 'cart-0', containers: [{ name: 'cart' }] }),
    change: team,
    wrong: object('ContainerRecreateRequest', 'wrong', { podName: 'nobody', containers: [{ name: 'cart' }] }),
    refusal: 'no found Pod named nobody',
    // The webhook fills in the containers, and lists of them are applied whole.
    again: 'spec of ContainerRecreateRequest is immutable',
  },
  DaemonSet: {
    object: object('DaemonSet', 'example', { selector, template }),
    change: { spec: { minReadySeconds: 5 } },
    wrong: object('DaemonSet', 'wrong', { selector, template, minReadySeconds: -1 }),
    refusal: 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
  },
  EphemeralJob: {
    object: ephemeralJob('example', { imagePullPolicy: 'IfNotPresent' }),
    change: { spec: { parallelism: 2 } },
    wrong: ephemeralJob('wrong', {}),
    refusal: 'ephemeralContainers[0].imagePullPolicy: Required value',
  },
  ImageListPullJob: {
    object: object('ImageListPullJob', 'example', { images: ['registry.example.com/shop/cart:3.1'] }),
    change: { spec: { images: ['registry.example.com/shop/cart:3.1', 'registry.example.com/shop/cart:3.2'] } },
    wrong: object('ImageListPullJob', 'wrong', { images: ['a', 'a'] }),
    refusal: 'images cannot have duplicate values',
  },
  ImagePullJob: {
    object: object('ImagePullJob', 'example', { image: 'registry.example.com/shop/cart:3.1' }),
    change: { spec: { parallelism: 3 } },
    wrong: object('ImagePullJob', 'wrong', { image: '' }),
    refusal: 'image can not be empty',
  },
  NodeImage: {
    object: nodeImage('example', { ttlSecondsAfterFinished: 300 }),
    change: team,
    wrong: nodeImage('wrong', {}),
    refusal: 'pullPolicy.ttlSecondsAfterFinished for cart/3.1 must set',
  },
  NodePodProbe: {
    object: nodePodProbe('example', [{ name: 'idle', containerName: 'cart', probe: { exec: { command: ['true'] } } }]),
    change: team,
    wrong: nodePodProbe('wrong', [{ name: 'idle', probe: {} }]),
    refusal: 'spec.podProbes[0].probes[0].containerName: Required value',
  },
  PersistentPodState: {
    object: podState('example', 'StatefulSet'),
    change: { spec: { requiredPersistentTopology: { keys: ['kubernetes.io/hostname', 'zone'] } } },
    wrong: podState('wrong', 'DaemonSet'),
    refusal: 'targetRef.Kind must be StatefulSet or in PPS_Watch_Custom_Workload_WhiteList',
  },
  PodProbeMarker: {
    object: probeMarker('example', { exec: { command: ['/bin/idle'] } }),
    change: team,
    wrong: probeMarker('wrong', {}),
    refusal: 'spec.probe: Required value: must specify a handler type',
  },
  PodUnavailableBudget: {
    object: budget('example', { maxUnavailable: '30%' }),
    change: { spec: { maxUnavailable: null, minAvailable: 3 } },
    wrong: budget('wrong', { maxUnavailable: '30%', minAvailable: 1 }),
    refusal:
      'spec.maxUnavailable, minAvailable: Required value: maxUnavailable and minAvailable are mutually exclusive',
  },
  ResourceDistribution: {
    object: distribution('example', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }),
    change: { spec: { targets: { includedNamespaces: { list: [{ name: 'shop' }, { name: 'batch' }] } } } },
    wrong: distribution('wrong', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} }),
    refusal: 'unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
  },
  SidecarSet: {
    object: sidecarSet('example'),
    change: { spec: { containers: [{ name: 'agent', image: 'registry.example.com/agent:2' }] } },
    wrong: sidecarSet('wrong.name'),
    refusal: `metadata.name: Invalid value: "wrong.name": sidecarset name must consist of alphanumeric characters or '-'`,
  },
  StatefulSet: {
    object: object('StatefulSet', 'example', { replicas: 2, serviceName: 'cart', selector, template }),
    change: { spec: { replicas: 3 } },
    wrong: object('StatefulSet', 'wrong', {
      ...{ serviceName: 'cart', selector, template },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' },
    }),
    refusal: 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep"',
  },
  UnitedDeployment: {
    object: unitedDeployment('example', { subsets: [{ name: 'first' }, { name: 'second' }] }),
    change: { spec: { replicas: 4 } },
    wrong: unitedDeployment('wrong', {
      subsets: [{ name: 'first', replicas: 4 }, { name: 'second' }],
      scheduleStrategy: { type: 'Adaptive' },
    }),
    refusal: 'spec.topology.subsets[0].replicas: Forbidden: specify replicas use minReplicas/maxReplicas',
  },
  WorkloadSpread: {
    object: object('WorkloadSpread', 'example', { targetRef: cart, subsets }),
    change: { spec: { subsets: [{ name: 'first', maxReplicas: 4 }, { name: 'second' }] } },
    wrong: object('WorkloadSpread', 'wrong', { targetRef: cart, subsets: [{ name: 'first', maxReplicas: -1 }] }),
    refusal: 'maxReplicas is not valid for subset',
  },
};

function object(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'apps.kruise.io/v1beta1', kind, metadata: { name, namespace: NAMESPACE }, spec };
}

function clusterObject(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'apps.kruise.io/v1beta1', kind, metadata: { name }, spec };
}

function cronJob(name: string, schedule: string): JsonObject {
  return object('AdvancedCronJob', name, { schedule, template: { jobTemplate: { spec: { template: jobTemplate } } } });
}

function ephemeralJob(name: string, more: JsonObject): JsonObject {
  const ephemeral = { ...container, name: 'peek', targetContainerName: 'cart', terminationMessagePolicy: 'File' };
  const spec = { selector, template: { ephemeralContainers: [{ ...ephemeral, ...more }] } };
  return { ...object('EphemeralJob', name, spec), apiVersion: 'apps.kruise.io/v1alpha1' };
}

function nodeImage(name: string, pullPolicy: JsonObject): JsonObject {
  const tag = { tag: '3.1', createdAt: '2026-02-03T09:00:00Z', pullPolicy };
  return clusterObject('NodeImage', name, { images: { cart: { tags: [tag] } } });
}

function nodePodProbe(name: string, probes: JsonObject[]): JsonObject {
  const spec = { podProbes: [{ name: 'cart-0', namespace: NAMESPACE, uid: 'u', IP: '10.0.0.7', probes }] };
  return { ...clusterObject('NodePodProbe', name, spec), apiVersion: 'apps.kruise.io/v1alpha1' };
}

function podState(name: string, kind: string): JsonObject {
  return object('PersistentPodState', name, {
    targetRef: { apiVersion: kind === 'StatefulSet' ? 'apps.kruise.io/v1beta1' : 'apps/v1', kind, name: 'cart' },
    requiredPersistentTopology: { keys: ['kubernetes.io/hostname'] },
  });
}

function probeMarker(name: string, handler: JsonObject): JsonObject {
  const probe = { ...handler, periodSeconds: 5 };
  const markerPolicy = [{ state: 'Succeeded', labels: { idle: 'yes' } }];
  const one = { name: 'idle', containerName: 'cart', probe, podConditionType: 'example.com/idle', markerPolicy };
  return { ...object('PodProbeMarker', name, { selector, probes: [one] }), apiVersion: 'apps.kruise.io/v1alpha1' };
}

function budget(name: string, limits: JsonObject): JsonObject {
  return {
    ...object('PodUnavailableBudget', name, { selector, ...limits }),
    apiVersion: 'policy.kruise.io/v1beta1',
  };
}

function distribution(name: string, resource: JsonObject): JsonObject {
  const targets = { includedNamespaces: { list: [{ name: NAMESPACE }] } };
  return clusterObject('ResourceDistribution', name, { resource, targets });
}

function sidecarSet(name: string): JsonObject {
  const containers = [{ name: 'agent', image: 'registry.example.com/agent:1' }];
  return clusterObject('SidecarSet', name, { selector: { matchLabels: { logs: 'none' } }, containers });
}

function unitedDeployment(name: string, topology: JsonObject): JsonObject {
  const deploymentTemplate = { metadata: { labels }, spec: { selector, template } };
  return object('UnitedDeployment', name, { replicas: 2, selector, template: { deploymentTemplate }, topology });
}
