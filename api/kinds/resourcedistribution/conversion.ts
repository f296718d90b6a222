// ResourceDistribution between v1alpha1 and v1beta1: two members have other names (resourcedistribution 1.1). The members
// of the targets are always written, as others do.
import type { ResourceDistribution, ResourceDistributionV1alpha1 } from './schema.ts';

type Targets = NonNullable<ResourceDistribution['spec']>['targets'];

/** To v1beta1. Takes over the parts of a decoded object. */
export function toV1beta1({ spec, status, ...rest }: ResourceDistributionV1alpha1): ResourceDistribution {
  const converted: ResourceDistribution = rest;
  if (spec !== undefined) {
    const { namespaceLabelSelector = {}, ...targets } = spec.targets;
    converted.spec = { ...spec, targets: { ...withLists(targets), namespaceSelector: namespaceLabelSelector } };
  }
  if (status !== undefined) {
    const { conditions, ...counters } = status;
    converted.status = {
      ...counters,
      ...(conditions !== undefined && {
        conditions: conditions.map(({ failedNamespace, ...condition }) => ({
          ...condition,
          ...(failedNamespace !== undefined && { failedNamespaces: failedNamespace }),
        })),
      }),
    };
  }
  return converted;
}

/** To v1alpha1. Nothing is lost. */
export function toV1alpha1({ spec, status, ...rest }: ResourceDistribution): ResourceDistributionV1alpha1 {
  const converted: ResourceDistributionV1alpha1 = rest;
  if (spec !== undefined) {
    const { namespaceSelector = {}, ...targets } = spec.targets;
    converted.spec = { ...spec, targets: { ...withLists(targets), namespaceLabelSelector: namespaceSelector } };
  }
  if (status !== undefined) {
    const { conditions, ...counters } = status;
    converted.status = {
      ...counters,
      ...(conditions !== undefined && {
        conditions: conditions.map(({ failedNamespaces, ...condition }) => ({
          ...condition,
          ...(failedNamespaces !== undefined && { failedNamespace: failedNamespaces }),
        })),
      }),
    };
  }
  return converted;
}

type Lists = Pick<Targets, 'allNamespaces' | 'excludedNamespaces' | 'includedNamespaces'>;

function withLists({ excludedNamespaces = {}, includedNamespaces = {}, ...rest }: Lists): Lists {
  return { ...rest, excludedNamespaces, includedNamespaces };
}
