// The objects that the controller of WorkloadSpread reads, and what a pod tells of the spread that it was created by
// (workloadspread 1, 3.6 and 4).

import { encodeSorted } from '../../api/core/encode.ts';
import { type DeepReadonly, isObject, type Json, readJson } from '../../api/core/json.ts';
import {
  type Subset as DescribedSubset,
  description,
  type WorkloadSpread,
} from '../../api/kinds/workloadspread/schema.ts';
import {
  CONTROLLER_REVISION_LABEL,
  MATCHED_WORKLOADSPREAD,
  POD_TEMPLATE_HASH,
  VERSION_IGNORED,
} from '../../api/names.ts';
import { controllerOf, type KubeObject } from '../../kube/objects.ts';
import { resourceOf } from '../../kube/resource.ts';

export const SPREADS = resourceOf(description);

export type Spread = KubeObject & {
  readonly spec?: DeepReadonly<NonNullable<WorkloadSpread['spec']>>;
  readonly status?: Status;
};
export type Subset = DeepReadonly<DescribedSubset>;
export type Status = DeepReadonly<NonNullable<WorkloadSpread['status']>>;
export type SubsetStatus = NonNullable<Status['subsetStatuses']>[number];

export function subsetsOf({ spec }: Spread): readonly Subset[] {
  return spec?.subsets ?? [];
}

/** Which spread and subset a pod belongs to, and the id of its booking if that is not its name; empty if it says none. */
export type Matched = { readonly name: string; readonly subset: string; readonly uid: string };

export function matchedOf({ metadata }: KubeObject): Matched {
  const members = readObject(metadata.annotations?.[MATCHED_WORKLOADSPREAD] ?? '');
  // Older releases wrote other letters.
  const member = (name: string) => {
    const value = Object.entries(members).find(([key]) => key.toLowerCase() === name)?.[1];
    return typeof value === 'string' ? value : '';
  };
  return { name: member('name'), subset: member('subset'), uid: member('uid') };
}

/** The subset of this spread that a pod names, which need not exist any more. */
export function namedSubset({ matched }: { readonly matched: Matched }, { metadata }: Spread): string | undefined {
  return matched.name === metadata.name && matched.subset !== '' ? matched.subset : undefined;
}

// What cannot be read counts as absent.
function readObject(text: string): { readonly [member: string]: Json } {
  const value = readJson(text);
  return isObject(value) ? value : {};
}

/** The annotation of a pod that is put into a subset after its creation. */
export function matchedText(name: string, subset: string): string {
  return encodeSorted({ name, subset });
}

/** The ledger that a pod is counted in: pods of each version of a Deployment's template have their own. */
export function versionOfPod(pod: KubeObject): string {
  const { labels = {} } = pod.metadata;
  if (!isVersioned(controllerOf(pod)?.kind)) return VERSION_IGNORED;
  const revision = labels[CONTROLLER_REVISION_LABEL];
  return labels[POD_TEMPLATE_HASH] ?? revision?.slice(revision.lastIndexOf('-') + 1) ?? VERSION_IGNORED;
}

export function isVersioned(kind = ''): boolean {
  return ['deployment', 'replicaset'].includes(kind.toLowerCase());
}
