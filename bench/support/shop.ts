// A second subject, so that nothing is tuned to the first alone: a pod of a Deployment with init container, affinity and
// annotations, and three SidecarSets that match it, with two containers and two volumes each.

import type { JsonObject } from '../../api/core/json.ts';
import { reviewOf, webPod } from './subject.ts';

const LABELS = { app: 'shop', 'app.kubernetes.io/name': 'shop', 'pod-template-hash': '7c9d4b6f58' };

/** The body of the review, 4.3 KB. */
export function shopBody(): Buffer {
  const pod = webPod();
  const spread = { weight: 100, podAffinityTerm: { labelSelector: { matchLabels: LABELS }, topologyKey: 'zone' } };
  const migrate = {
    name: 'migrate',
    image: 'registry.example.com/shop/migrate:3.4',
    command: ['/bin/migrate', '--wait'],
    env: [{ name: 'DB', valueFrom: { secretKeyRef: { name: 'db', key: 'url' } } }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
  const object = {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: LABELS,
      annotations: { 'prometheus.io/scrape': 'true', 'checksum/config': 'e3b0c44298fc1c149afbf4c8996fb924' },
    },
    spec: {
      ...pod.spec,
      volumes: [...pod.spec.volumes, { name: 'config', configMap: { name: 'shop-config', defaultMode: 420 } }],
      initContainers: [migrate],
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [spread] } },
    },
  };
  return Buffer.from(JSON.stringify(reviewOf(object)));
}

/** What matches it. */
export function shopSets(): JsonObject[] {
  return ['mesh', 'metrics', 'tracing'].map((name) => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: 'shop' } },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
      updateStrategy: { type: 'RollingUpdate', partition: 0, maxUnavailable: 1 },
      containers: [sidecar(name, 'agent', name === 'mesh'), sidecar(name, 'helper', false)],
      volumes: [
        { name: `${name}-config`, configMap: { name: `${name}-config` } },
        { name: `${name}-spool`, emptyDir: { medium: 'Memory' } },
      ],
    },
  }));
}

/** One that is in front of the others shares the volumes of the pod, so that it is another for every pod. */
function sidecar(set: string, name: string, isFirst: boolean): JsonObject {
  return {
    name: `${set}-${name}`,
    image: `registry.example.com/infra/${set}-${name}:2.1.0`,
    args: ['--config=/etc/agent/config.yaml', '--level=info'],
    ports: [{ name: `${name}-m`, containerPort: 9100, protocol: 'TCP' }],
    env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '64Mi' } },
    volumeMounts: [
      { name: `${set}-config`, mountPath: '/etc/agent' },
      { name: `${set}-spool`, mountPath: '/spool' },
    ],
    podInjectPolicy: isFirst ? 'BeforeAppContainer' : 'AfterAppContainer',
    shareVolumePolicy: { type: isFirst ? 'enabled' : 'disabled' },
    upgradeStrategy: { upgradeType: 'ColdUpgrade' },
  };
}
