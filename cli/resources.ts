// Which resource a kind is served as, for kinds that no cluster is asked about.

import { isObject, type Json, type JsonObject } from '../api/core/json.ts';

/** Group, version and kind of an object, as it says itself. */
export type KindName = { group: string; version: string; kind: string };

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'apps.kruise.io/NodeImage',
  'apps.kruise.io/NodePodProbe',
  'apps.kruise.io/ResourceDistribution',
  'apps.kruise.io/SidecarSet',
  '/Namespace',
  '/Node',
  '/PersistentVolume',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'networking.k8s.io/IngressClass',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/StorageClass',
]);

/** The kind of an object; empty parts where it does not say. */
export function kindNameOf(object: JsonObject): KindName {
  const apiVersion = textOf(object.apiVersion);
  const slash = apiVersion.lastIndexOf('/');
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    kind: textOf(object.kind),
  };
}

/** False for the kinds known to be cluster-scoped. */
export function isNamespaced({ group, kind }: KindName): boolean {
  return !CLUSTER_SCOPED.has(`${group}/${kind}`);
}

/** The plural, lower-case name by the rule that Kubernetes' own kinds follow. */
export function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name === 'endpoints') return name;
  if (/(?:s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** The object's name, or what a generated name starts with; '' if it has neither. */
export function nameOf(object: JsonObject): string {
  const metadata = metadataOf(object);
  return textOf(metadata.name) || textOf(metadata.generateName);
}

export function namespaceOf(object: JsonObject): string {
  return textOf(metadataOf(object).namespace);
}

/** `Kind namespace/name` or `Kind name`, for people. */
export function describeObject(object: JsonObject): string {
  const namespace = namespaceOf(object);
  const name = nameOf(object) || '(no name)';
  return `${textOf(object.kind) || 'object'} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** The metadata, or an empty object. */
export function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {};
}

/** The text, or '' for anything else. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
