// Other objects that injection looks at: Namespaces and the revisions of SidecarSets.
import type { JsonObject } from '../../../api/core/json.ts';

export const SYSTEM_NAMESPACE = 'kruise-system';

/** A Namespace with the label that every API server sets. */
export function namespace(name: string, labels: Record<string, string> = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

export type RevisionParts = {
  name: string;
  /** The SidecarSet that it is a revision of, as it was. */
  of: JsonObject;
  revision?: number;
  customVersion?: string;
};

const RECORDED = ['containers', 'imagePullSecrets', 'initContainers', 'patchPodMetadata', 'volumes'];

/** The ControllerRevision that records this SidecarSet (sidecarset.md 8.1). */
export function revision({ name, of, revision: number = 1, customVersion }: RevisionParts): JsonObject {
  const metadata = of.metadata as JsonObject;
  const spec = of.spec as JsonObject;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: SYSTEM_NAMESPACE,
      labels: {
        'controller.kubernetes.io/hash': name.slice(name.lastIndexOf('-') + 1),
        'kruise.io/sidecarset-name': metadata.name ?? null,
        ...(customVersion === undefined ? {} : { 'apps.kruise.io/sidecarset-custom-version': customVersion }),
      },
      annotations: metadata.annotations ?? {},
      creationTimestamp: '2026-07-01T08:00:00Z',
    },
    data: {
      spec: { $patch: 'replace', ...Object.fromEntries(RECORDED.map((member) => [member, spec[member] ?? null])) },
    },
    revision: number,
  };
}
