// Pods as an API server sends them to a webhook at creation: defaults filled in, plus what a test says.
import type { Json, JsonObject } from '../../../api/core/json.ts';

export type PodParts = {
  name?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Other members of `metadata`. */
  metadata?: JsonObject;
  containers?: JsonObject[];
  initContainers?: JsonObject[];
  volumes?: JsonObject[];
  imagePullSecrets?: string[];
  /** Other members of `spec`. */
  spec?: JsonObject;
  status?: JsonObject;
};

/** A pod `web-0` in namespace `shop` with label `app: web` and one container `app`. */
export function pod(parts: PodParts = {}): JsonObject {
  const {
    name = 'web-0',
    namespace = 'shop',
    labels = { app: 'web' },
    annotations,
    containers = [container('app')],
  } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, ...(annotations === undefined ? {} : { annotations }), ...parts.metadata },
    spec: {
      ...(parts.volumes === undefined ? {} : { volumes: parts.volumes }),
      ...(parts.initContainers === undefined ? {} : { initContainers: parts.initContainers }),
      containers,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      ...(parts.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: parts.imagePullSecrets.map((one) => ({ name: one })) }),
      schedulerName: 'default-scheduler',
      ...parts.spec,
    },
    status: parts.status ?? {},
  };
}

/** A container of a pod. */
export function container(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    image: `registry.example.com/shop/${name}:1`,
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    ...more,
  };
}

/** Env entries with literal values. */
export function env(values: Record<string, string>): Json[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Mounts by path: volume name for each. */
export function mounts(paths: Record<string, string>): Json[] {
  return Object.entries(paths).map(([mountPath, name]) => ({ name, mountPath }));
}

/** Empty volumes. */
export function volumes(...names: string[]): JsonObject[] {
  return names.map((name) => ({ name, emptyDir: {} }));
}
