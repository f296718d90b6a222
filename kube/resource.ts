// Names of resources as the API server's URLs have them.

import type { ObjectReference } from './objects.ts';

/** A resource in the version that a program speaks; `group` is empty for the core group. */
export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
};

/** The apiVersion of objects of a resource: `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of a collection or, with a name, of one object; all namespaces without a namespace. */
export function pathOf(resource: Resource, { namespace, name, subresource }: PathParts = {}): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`;
  const within = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${within}/${resource.plural}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

export type PathParts = Partial<ObjectReference> & { subresource?: string | undefined };

function resource(apiVersion: string, plural: string, kind: string, scope: 'Namespaced' | 'Cluster'): Resource {
  const slash = apiVersion.indexOf('/');
  const group = apiVersion.slice(0, Math.max(slash, 0));
  return { group, version: apiVersion.slice(slash + 1), plural, kind, namespaced: scope === 'Namespaced' };
}

/** Kubernetes' own resources that programs read or write. */
export const PODS = resource('v1', 'pods', 'Pod', 'Namespaced');
export const NAMESPACES = resource('v1', 'namespaces', 'Namespace', 'Cluster');
export const NODES = resource('v1', 'nodes', 'Node', 'Cluster');
export const SECRETS = resource('v1', 'secrets', 'Secret', 'Namespaced');
export const CONFIG_MAPS = resource('v1', 'configmaps', 'ConfigMap', 'Namespaced');
export const SERVICES = resource('v1', 'services', 'Service', 'Namespaced');
export const PERSISTENT_VOLUME_CLAIMS = resource('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', 'Namespaced');
export const EVENTS = resource('v1', 'events', 'Event', 'Namespaced');
export const LEASES = resource('coordination.k8s.io/v1', 'leases', 'Lease', 'Namespaced');
export const CONTROLLER_REVISIONS = resource('apps/v1', 'controllerrevisions', 'ControllerRevision', 'Namespaced');
export const DEPLOYMENTS = resource('apps/v1', 'deployments', 'Deployment', 'Namespaced');
export const REPLICA_SETS = resource('apps/v1', 'replicasets', 'ReplicaSet', 'Namespaced');
export const STATEFUL_SETS = resource('apps/v1', 'statefulsets', 'StatefulSet', 'Namespaced');
export const REPLICATION_CONTROLLERS = resource('v1', 'replicationcontrollers', 'ReplicationController', 'Namespaced');
export const JOBS = resource('batch/v1', 'jobs', 'Job', 'Namespaced');
export const INGRESSES = resource('networking.k8s.io/v1', 'ingresses', 'Ingress', 'Namespaced');
export const CUSTOM_RESOURCE_DEFINITIONS = resource(
  'apiextensions.k8s.io/v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  'Cluster',
);
export const MUTATING_WEBHOOK_CONFIGURATIONS = resource(
  'admissionregistration.k8s.io/v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  'Cluster',
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = resource(
  'admissionregistration.k8s.io/v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  'Cluster',
);

/** The resource of one of our kinds, in its storage version unless another is named. */
export function resourceOf(kind: DescribedKind, version: string = kind.storage): Resource {
  const { group, plural } = kind;
  return { group, version, plural, kind: kind.kind, namespaced: kind.scope === 'Namespaced' };
}

type DescribedKind = {
  group: string;
  kind: string;
  plural: string;
  scope: 'Cluster' | 'Namespaced';
  storage: string;
};
