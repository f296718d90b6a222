// Which resources decisions need to have at hand, and what of them. Nothing that grows with the number of pods.

import { findKind } from '../../api/kinds/index.ts';
import { APPS_GROUP, KRUISE_CONFIGURATION, POLICY_GROUP, SIDECARSET_NAME } from '../../api/names.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONFIG_MAPS, CONTROLLER_REVISIONS, NAMESPACES, type Resource, resourceOf } from '../../kube/resource.ts';

export type PolicyResource = {
  readonly resource: Resource;
  readonly selection?: {
    readonly namespace?: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
  };
  readonly trim?: (object: KubeObject) => KubeObject;
};

/** The resources; `systemNamespace` is that of the revisions and of the settings. */
export function policyResources(systemNamespace: string): readonly PolicyResource[] {
  const namespace = systemNamespace;
  return [
    ownResource(APPS_GROUP, 'SidecarSet'),
    ownResource(POLICY_GROUP, 'PodUnavailableBudget'),
    ownResource(APPS_GROUP, 'WorkloadSpread'),
    ownResource(APPS_GROUP, 'PersistentPodState'),
    ownResource(APPS_GROUP, 'PodProbeMarker'),
    { resource: NAMESPACES, trim: labelsAndEnd },
    { resource: CONTROLLER_REVISIONS, selection: { namespace, labelSelector: SIDECARSET_NAME } },
    { resource: CONFIG_MAPS, selection: { namespace, fieldSelector: `metadata.name=${KRUISE_CONFIGURATION}` } },
  ];
}

function ownResource(group: string, kind: string): PolicyResource {
  const found = findKind(group, kind);
  if (found === undefined) throw new Error(`${kind} is no kind`);
  return { resource: resourceOf(found) };
}

/** Of a Namespace: what selectors match, and whether it is being deleted. */
function labelsAndEnd({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const { annotations: _, ...kept } = metadata;
  const { phase } = (status ?? {}) as { phase?: string };
  return { apiVersion, kind, metadata: kept, status: { phase } };
}
