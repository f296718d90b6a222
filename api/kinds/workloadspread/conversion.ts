// WorkloadSpread between v1alpha1 and v1beta1: node selectors have other names, and conditions more members
// (workloadspread 1.1).
import type { WorkloadSpread, WorkloadSpreadV1alpha1 } from './schema.ts';

type Status = NonNullable<WorkloadSpread['status']>;
type OldStatus = NonNullable<WorkloadSpreadV1alpha1['status']>;
type SubsetStatus = NonNullable<Status['subsetStatuses']>[number];
type OldSubsetStatus = NonNullable<OldStatus['subsetStatuses']>[number];

/** The reason of conditions that tell none: v1beta1 needs one. */
const UNKNOWN = 'Unknown';

/** To v1beta1. Takes over the parts of a decoded object. */
export function toV1beta1({ spec, status, ...rest }: WorkloadSpreadV1alpha1): WorkloadSpread {
  const converted: WorkloadSpread = rest;
  if (spec !== undefined) {
    const { subsets, ...shared } = spec;
    converted.spec = shared;
    if (subsets !== undefined) {
      converted.spec.subsets = subsets.map(({ requiredNodeSelectorTerm, preferredNodeSelectorTerms, ...subset }) => ({
        ...subset,
        ...(requiredNodeSelectorTerm !== undefined && { requiredNodeSelector: requiredNodeSelectorTerm }),
        ...(preferredNodeSelectorTerms !== undefined && { preferredNodeSelector: preferredNodeSelectorTerms }),
      }));
    }
  }
  if (status !== undefined) converted.status = withSubsets(status, toNewSubset);
  return converted;
}

/** To v1alpha1. The observed generation of conditions, which nothing sets, is lost. */
export function toV1alpha1({ spec, status, ...rest }: WorkloadSpread): WorkloadSpreadV1alpha1 {
  const converted: WorkloadSpreadV1alpha1 = rest;
  if (spec !== undefined) {
    const { subsets, ...shared } = spec;
    converted.spec = shared;
    if (subsets !== undefined) {
      converted.spec.subsets = subsets.map(({ requiredNodeSelector, preferredNodeSelector, ...subset }) => ({
        ...subset,
        ...(requiredNodeSelector !== undefined && { requiredNodeSelectorTerm: requiredNodeSelector }),
        ...(preferredNodeSelector !== undefined && { preferredNodeSelectorTerms: preferredNodeSelector }),
      }));
    }
  }
  if (status !== undefined) converted.status = withSubsets(status, toOldSubset);
  return converted;
}

type Subsets<S> = { subsetStatuses?: S[]; versionedSubsetStatuses?: { [version: string]: S[] } };

function withSubsets<S, T, R extends Subsets<S>>(
  { subsetStatuses, versionedSubsetStatuses, ...rest }: R & Subsets<S>,
  convert: (subset: S) => T,
): Omit<R, keyof Subsets<S>> & Subsets<T> {
  const converted: Subsets<T> = {};
  if (subsetStatuses !== undefined) converted.subsetStatuses = subsetStatuses.map(convert);
  if (versionedSubsetStatuses !== undefined) {
    const versions = Object.entries(versionedSubsetStatuses);
    converted.versionedSubsetStatuses = Object.fromEntries(
      versions.map(([version, subsets]) => [version, (subsets ?? []).map(convert)]),
    );
  }
  return { ...rest, ...converted };
}

function toNewSubset({ conditions, ...subset }: OldSubsetStatus): SubsetStatus {
  if (conditions === undefined) return subset;
  return {
    ...subset,
    conditions: conditions.map(({ reason = UNKNOWN, message = '', ...condition }) => ({
      ...condition,
      reason,
      message,
    })),
  };
}

function toOldSubset({ conditions, ...subset }: SubsetStatus): OldSubsetStatus {
  if (conditions === undefined) return subset;
  return {
    ...subset,
    conditions: conditions.map(({ observedGeneration: _lost, reason, message, ...condition }) => ({
      ...condition,
      ...(reason !== '' && { reason }),
      ...(message !== '' && { message }),
    })),
  };
}
