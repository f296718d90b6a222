// Workloads of ours as users write them: little, but valid.
import type { JsonObject } from '../../../api/core/json.ts';

/** What a test says about a workload. */
export type WorkloadParts = {
  version?: string;
  metadata?: JsonObject;
  /** Members of `spec`, in place of those that are there. */
  spec?: JsonObject;
  /** Members of `spec.template.spec`. */
  pod?: JsonObject;
};

/** A workload `web` in namespace `shop` with pods `app: web` of one container `app`. */
export function workload(kind: string, { version = 'v1beta1', metadata, spec, pod }: WorkloadParts = {}): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind,
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'a:1' }], ...pod } },
      ...spec,
    },
  };
}

/** The same as stored: an update needs a resourceVersion. */
export function storedWorkload(kind: string, { metadata, ...parts }: WorkloadParts = {}): JsonObject {
  return workload(kind, { ...parts, metadata: { uid: 'u-1', resourceVersion: '7', ...metadata } });
}
