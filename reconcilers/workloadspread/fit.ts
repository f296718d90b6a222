// How well the subsets of a spread suit a pod that no admission has put into one, on the node on which it runs
// (workloadspread 5.4).

import { equalJson, isObject, type Json, type JsonObject, readJson } from '../../api/core/json.ts';
import { type NodeSelectorTerm, PodTemplateSpec, type Toleration } from '../../api/core/pod.ts';
import { PatchFault, strategicMerge } from '../../api/core/strategic-merge.ts';
import type { About } from '../../kube/reader.ts';
import { matchesNode, type Node, toleratesNode } from '../shared/node-match.ts';
import type { Pod } from '../shared/pod.ts';
import { type Spread, type Subset, subsetsOf } from './spread.ts';

/** Of a subset that does not suit a pod at all. */
export const UNSUITABLE = -1;

/** Subsets, and a node. */
export type Place = About & { readonly subsets: readonly Subset[]; readonly node: Node };

export function placeOf(spread: Spread, node: Node): Place {
  const { name, uid, generation } = spread.metadata;
  const version = [uid, generation, node.metadata.uid, node.metadata.resourceVersion].join(' ');
  return { name, version, subsets: subsetsOf(spread), node };
}

/** For each subset a number of tens, higher where it suits the pod better; `UNSUITABLE` where it does not at all. Pure. */
export function fitOf(pod: Pod, { subsets, node }: Place): readonly number[] {
  return subsets.map((subset) => {
    if (!suits(subset, pod, node)) return UNSUITABLE;
    const preferred = (subset.preferredNodeSelector ?? [])
      .filter(({ preference }) => matchesNode(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0);
    return preferred * 100 + Number(isPatched(subset, pod)) * 10;
  });
}

type Affinity = { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: Terms } } };
type Terms = readonly NodeSelectorTerm[];

/** Might the scheduler have put the pod on this node if it had been created in the subset? */
function suits(subset: Subset, pod: Pod, node: Node): boolean {
  const { tolerations = [], affinity } = pod.spec as { tolerations?: Toleration[]; affinity?: Affinity };
  if (!toleratesNode([...tolerations, ...(subset.tolerations ?? [])], node)) return false;
  const required = subset.requiredNodeSelector;
  if (required === undefined) return true;
  const own = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (own.length === 0) return matchesNode(required, node);
  return own.some(({ matchExpressions = [], matchFields = [] }) =>
    matchesNode(
      {
        matchExpressions: [...matchExpressions, ...(required.matchExpressions ?? [])],
        matchFields: [...matchFields, ...(required.matchFields ?? [])],
      },
      node,
    ),
  );
}

/** Has the pod what the subset's patch would give it, annotations aside? */
function isPatched(subset: Subset, pod: Pod): boolean {
  const patch = patchOf(subset);
  if (patch === undefined) return false;
  const before = withoutAnnotations(pod as unknown as JsonObject);
  try {
    return equalJson(before, withoutAnnotations(strategicMerge(PodTemplateSpec, before, patch)));
  } catch (error) {
    if (error instanceof PatchFault) return false;
    throw error;
  }
}

/** The patch of a subset, which may be text of JSON too; undefined if there is none that is an object. */
export function patchOf({ patch }: Subset): JsonObject | undefined {
  const value = typeof patch === 'string' ? readJson(patch) : (patch as Json | undefined);
  return isObject(value) ? value : undefined;
}

function withoutAnnotations(pod: JsonObject): JsonObject {
  const { annotations: _left, ...metadata } = isObject(pod.metadata) ? pod.metadata : {};
  return { ...pod, metadata };
}
