// The pods of a spread by version and subset. Pods that no admission has put into a subset are adopted by the subset that
// suits the node on which they run best (workloadspread 5.4).

import { equalJson, isObject, type Json, type JsonObject, readJson } from '../../api/core/json.ts';
import { type NodeSelectorTerm, PodTemplateSpec, type Toleration } from '../../api/core/pod.ts';
import { PatchFault, strategicMerge } from '../../api/core/strategic-merge.ts';
import { amountOf } from '../shared/amounts.ts';
import { matchesNode, type Node, toleratesNode } from '../shared/node-match.ts';
import { isActive, type Pod } from '../shared/pod.ts';
import { matchedOf, type Spread, type Subset, subsetsOf, versionOfPod } from './spread.ts';
import type { State } from './state.ts';

/** `maxReplicas` of a subset without limit. */
export const UNLIMITED = -1;

/** Pods by the name of their subset; those of none, or of one that is not in the spec any more, under `undefined`. */
export type Group = ReadonlyMap<string | undefined, readonly Pod[]>;

export type Groups = {
  readonly byVersion: ReadonlyMap<string, Group>;
  readonly adopted: readonly { readonly pod: Pod; readonly subset: Subset }[];
};

/** How many pods a subset takes. Text that is neither a number nor a percentage takes none. */
export function limitOf({ maxReplicas }: Subset, replicas: number): number {
  if (maxReplicas === undefined) return UNLIMITED;
  const text = String(maxReplicas);
  return /^\d+$/.test(text) ? Number(text) : (amountOf(maxReplicas, replicas) ?? 0);
}

export function groupsOf(state: State): Groups {
  const byVersion = Map.groupBy(state.pods, versionOfPod);
  const adopted: { pod: Pod; subset: Subset }[] = [];
  const groups = [...byVersion].map(([version, pods]): [string, Group] => {
    const adopting = new Adopting(state, pods);
    return [
      version,
      Map.groupBy(pods, (pod) => {
        const named = adopting.named(pod);
        if (named !== undefined) return subsetsOf(state.spread).find(({ name }) => name === named)?.name;
        const subset = adopting.subsetFor(pod);
        if (subset !== undefined) adopted.push({ pod, subset });
        return subset?.name;
      }),
    ];
  });
  return { byVersion: new Map(groups), adopted };
}

/** Puts the pods of one version into subsets. */
class Adopting {
  private readonly spread: Spread;
  private readonly nodes: ReadonlyMap<string, Node>;
  /** How many more pods each subset takes. */
  private readonly room: Map<string, number>;

  constructor({ spread, replicas, nodes }: State, pods: readonly Pod[]) {
    this.spread = spread;
    this.nodes = nodes;
    this.room = new Map(
      subsetsOf(spread).map((subset) => {
        const limit = limitOf(subset, replicas);
        const taken = pods.filter((pod) => this.named(pod) === subset.name).length;
        return [subset.name, (limit === UNLIMITED ? Number.POSITIVE_INFINITY : limit) - taken];
      }),
    );
  }

  /** The subset that the pod's annotation names, which need not exist any more. */
  named(pod: Pod): string | undefined {
    const { name, subset } = matchedOf(pod);
    return name === this.spread.metadata.name && subset !== '' ? subset : undefined;
  }

  /** The first of those that suit the pod and its node best. */
  subsetFor(pod: Pod): Subset | undefined {
    const node = this.nodes.get(pod.spec.nodeName ?? '');
    if (node === undefined || !isActive(pod)) return undefined;
    let best: Subset | undefined;
    let most = -1;
    for (const subset of subsetsOf(this.spread)) {
      const score = suits(subset, pod, node) ? this.score(subset, pod, node) : -1;
      if (score <= most) continue;
      best = subset;
      most = score;
    }
    if (best !== undefined) this.room.set(best.name, (this.room.get(best.name) ?? 0) - 1);
    return best;
  }

  private score(subset: Subset, pod: Pod, node: Node): number {
    const preferred = (subset.preferredNodeSelector ?? [])
      .filter(({ preference }) => matchesNode(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0);
    return preferred * 100 + Number(isPatched(subset, pod)) * 10 + Number((this.room.get(subset.name) ?? 0) > 0);
  }
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
