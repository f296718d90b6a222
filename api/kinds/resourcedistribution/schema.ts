// The kind ResourceDistribution, described once: names, versions, columns, and every member with its documentation
// (resourcedistribution 1). The versions differ in the name of the selector and of the list in conditions.
import { LabelSelector, objectHead } from '../../core/meta.ts';
import {
  always,
  anyJson,
  boolean,
  type Fields,
  int32,
  int64,
  list,
  nullable,
  optional,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../core/schema.ts';
import { APPS_GROUP } from '../../names.ts';
import type { Column, KindDescription } from '../kind.ts';

const selector = always(LabelSelector, 'Also the namespaces with these labels; none if empty.');

const targets = <F extends Fields>(version: string, fields: F) => {
  const namespaces = struct(`${version}.ResourceDistributionTargetNamespaces`, {
    list: optional(
      list(struct(`${version}.ResourceDistributionNamespace`, { name: optional(text(), 'Name of the namespace.') })),
      'The namespaces.',
    ),
  });
  return struct(`${version}.ResourceDistributionTargets`, {
    allNamespaces: optional(boolean(), 'All namespaces that exist, now and later.'),
    excludedNamespaces: always(namespaces, 'Namespaces that are left out, whatever else names them.'),
    includedNamespaces: always(namespaces, 'Namespaces by name; they need not exist yet.'),
    ...fields,
  });
};

const spec = <F extends Fields>(version: string, fields: F) =>
  struct(`${version}.ResourceDistributionSpec`, {
    resource: nullable(
      anyJson(),
      'The Secret or ConfigMap to distribute, complete but for its namespace. Its name cannot be changed.',
      { openApi: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    ),
    targets: required(targets(version, fields), 'The namespaces; kube-system and kube-public are never among them.'),
  });

const failed = optional(list(text()), 'The namespaces that it is true of.');
const status = <F extends Fields>(version: string, fields: F) =>
  struct(`${version}.ResourceDistributionStatus`, {
    desired: optional(int32(), 'How many namespaces are targets.'),
    succeeded: optional(int32(), 'Of these, namespaces that have the resource as it should be.'),
    failed: optional(int32(), 'Of these, namespaces that have not.'),
    observedGeneration: optional(int64(), 'Generation that this status is about.'),
    conditions: optional(
      list(
        struct(`${version}.ResourceDistributionCondition`, {
          type: required(
            text(`${version}.ResourceDistributionConditionType`),
            'What went wrong: GetResourceFailed, CreateResourceFailed, UpdateResourceFailed, DeleteResourceFailed, ' +
              'ConflictOccurred or NamespaceNotExists.',
          ),
          status: required(text(`${version}.ResourceDistributionConditionStatus`), 'Whether it did anywhere.'),
          lastTransitionTime: always(time(), 'When the status last changed.'),
          reason: optional(text(), 'The last error.'),
          ...fields,
        }),
      ),
      'What went wrong where.',
    ),
  });

export const ResourceDistribution = struct('v1beta1.ResourceDistribution', {
  ...objectHead,
  spec: always(spec('v1beta1', { namespaceSelector: selector })),
  status: always(status('v1beta1', { failedNamespaces: failed })),
});
export type ResourceDistribution = Static<typeof ResourceDistribution>;

export const ResourceDistributionV1alpha1 = struct('v1alpha1.ResourceDistribution', {
  ...objectHead,
  spec: always(spec('v1alpha1', { namespaceLabelSelector: selector })),
  status: always(status('v1alpha1', { failedNamespace: failed })),
});
export type ResourceDistributionV1alpha1 = Static<typeof ResourceDistributionV1alpha1>;

const columns: readonly Column[] = [
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.desired', doc: 'Namespaces that are targets.' },
  { name: 'SUCCEED', type: 'integer', jsonPath: '.status.succeeded', doc: 'Namespaces that have the resource.' },
  { name: 'FAILED', type: 'integer', jsonPath: '.status.failed', doc: 'Namespaces that have it not.' },
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'ResourceDistribution',
  plural: 'resourcedistributions',
  shortNames: ['distributor'],
  scope: 'Cluster',
  storage: 'v1beta1',
  source: 'api/kinds/resourcedistribution/schema.ts',
  doc: 'ResourceDistribution keeps a Secret or ConfigMap in a set of namespaces.',
  versions: [
    { name: 'v1alpha1', schema: ResourceDistributionV1alpha1, columns },
    { name: 'v1beta1', schema: ResourceDistribution, columns },
  ],
};
