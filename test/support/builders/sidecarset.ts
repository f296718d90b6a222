// SidecarSets as an API server stores them: defaulted and hashed, plus what a test says.
import type { JsonObject } from '../../../api/core/json.ts';
import { container } from './pod.ts';

export type SidecarSetParts = {
  containers?: JsonObject[];
  initContainers?: JsonObject[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  /** Matches pods labelled `app: web` if absent. */
  selector?: JsonObject;
  imagePullSecrets?: string[];
  updateStrategy?: JsonObject;
  /** Content hash and the one without images; `h-<name>` and `hw-<name>` if absent. */
  hashes?: [string, string];
  /** `status.latestRevision`; `<name>-r1` if absent, none if ''. */
  latestRevision?: string;
  /** Other members of `spec`. */
  spec?: JsonObject;
};

/** A stored SidecarSet of version v1beta1. */
export function sidecarSet(name: string, parts: SidecarSetParts = {}): JsonObject {
  const { selector = { matchLabels: { app: 'web' } }, hashes: [hash, hashWithoutImage] = [`h-${name}`, `hw-${name}`] } =
    parts;
  const latestRevision = parts.latestRevision ?? `${name}-r1`;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: {
      name,
      uid: `uid-${name}`,
      generation: 1,
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
      annotations: {
        'kruise.io/sidecarset-hash': hash,
        'kruise.io/sidecarset-hash-without-image': hashWithoutImage,
        ...parts.annotations,
      },
    },
    spec: {
      selector,
      ...(parts.initContainers === undefined ? {} : { initContainers: parts.initContainers }),
      ...(parts.containers === undefined ? {} : { containers: parts.containers }),
      updateStrategy: { type: 'RollingUpdate', partition: 0, maxUnavailable: 1, ...parts.updateStrategy },
      injectionStrategy: {},
      revisionHistoryLimit: 10,
      ...(parts.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: parts.imagePullSecrets.map((one) => ({ name: one })) }),
      ...parts.spec,
    },
    status: { matchedPods: 0, updatedPods: 0, readyPods: 0, ...(latestRevision === '' ? {} : { latestRevision }) },
  };
}

/** A container of a SidecarSet, put before the pod's own unless told otherwise. */
export function sidecar(name: string, more: JsonObject = {}): JsonObject {
  return {
    ...container(name),
    podInjectPolicy: 'BeforeAppContainer',
    upgradeStrategy: { upgradeType: 'ColdUpgrade' },
    shareVolumePolicy: { type: 'disabled' },
    ...more,
  };
}

/** An init container of a SidecarSet, put behind the pod's own unless told otherwise. */
export function initSidecar(name: string, more: JsonObject = {}): JsonObject {
  return sidecar(name, { podInjectPolicy: 'AfterAppContainer', ...more });
}

/** Put behind the pod's own containers. */
export const AFTER: JsonObject = { podInjectPolicy: 'AfterAppContainer' };

/** Takes over the mounts of the pod's own containers. */
export const SHARED_MOUNTS: JsonObject = { shareVolumePolicy: { type: 'enabled' } };
