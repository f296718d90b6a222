// UnitedDeployment between v1alpha1 and v1beta1: the spec is the same; what v1alpha1 has in maps by subset is in the
// statuses of the subsets in v1beta1 (uniteddeployment 1.1).
import { setMember } from '../../core/json.ts';
import type {
  UnitedDeployment,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1alpha1,
  UnitedDeploymentV1alpha1,
} from './schema.ts';

type SubsetStatus = NonNullable<UnitedDeploymentStatus['subsetStatuses']>[number];
type Counts = { [subset: string]: number };

/** To v1beta1. Takes over the parts of a decoded object. */
export function toV1beta1({ status, ...rest }: UnitedDeploymentV1alpha1): UnitedDeployment {
  return status === undefined ? rest : { ...rest, status: statusV1beta1(status) };
}

/** To v1alpha1. Takes over the parts of a decoded object. */
export function toV1alpha1({ status, ...rest }: UnitedDeployment): UnitedDeploymentV1alpha1 {
  return status === undefined ? rest : { ...rest, status: statusV1alpha1(status) };
}

function statusV1beta1(status: UnitedDeploymentStatusV1alpha1): UnitedDeploymentStatus {
  const { subsetReplicas, updateStatus, subsetStatuses = [], ...same } = status;
  const { updatedRevision, currentPartitions } = updateStatus ?? {};
  const subsets: SubsetStatus[] = subsetStatuses.map((subset) => ({ ...subset }));
  takeOver(subsets, 'replicas', subsetReplicas);
  takeOver(subsets, 'partition', currentPartitions);
  return {
    ...same,
    ...(updatedRevision !== undefined && { updatedRevision }),
    ...(subsets.length > 0 && { subsetStatuses: subsets }),
  };
}

/** The map's counts go into the subsets of these names, which are added where they are missing. */
function takeOver(subsets: SubsetStatus[], member: 'replicas' | 'partition', counts: Counts = {}): void {
  const byName = new Map(subsets.toReversed().map((subset) => [subset.name ?? '', subset]));
  for (const name of Object.keys(counts).sort()) {
    let subset = byName.get(name);
    if (subset === undefined) {
      subset = name === '' ? {} : { name };
      subsets.push(subset);
    }
    const count = counts[name] ?? 0;
    if (count === 0) delete subset[member];
    else subset[member] = count;
  }
}

function statusV1alpha1(status: UnitedDeploymentStatus): UnitedDeploymentStatusV1alpha1 {
  const { updatedRevision, subsetStatuses = [], ...same } = status;
  const subsetReplicas: Counts = {};
  const currentPartitions: Counts = {};
  // Of several subsets of one name, the first is the one that the way back looks for.
  for (const { name, replicas = 0, partition = 0 } of subsetStatuses.toReversed()) {
    if (name === undefined) continue;
    setMember(subsetReplicas, name, replicas);
    setMember(currentPartitions, name, partition);
  }
  const hasNames = Object.keys(subsetReplicas).length > 0;
  return {
    ...same,
    ...(hasNames && { subsetReplicas }),
    ...(subsetStatuses.length > 0 && { subsetStatuses }),
    ...((updatedRevision !== undefined || subsetStatuses.length > 0) && {
      updateStatus: {
        ...(updatedRevision !== undefined && { updatedRevision }),
        ...(hasNames && { currentPartitions }),
      },
    }),
  };
}
