// The pods of a spread by version and subset. Pods that no admission has put into a subset are adopted by the subset that
// suits the node on which they run best (workloadspread 5.4).

import { amountOf } from '../shared/amounts.ts';
import { UNSUITABLE } from './fit.ts';
import { byName, type SpreadPod } from './pods.ts';
import { namedSubset, type Subset, subsetsOf } from './spread.ts';
import type { State } from './state.ts';

/** `maxReplicas` of a subset without limit. */
export const UNLIMITED = -1;

/** Pods by the name of their subset; those of none, or of one that is not in the spec any more, under `undefined`. */
export type Group = ReadonlyMap<string | undefined, readonly SpreadPod[]>;

export type Groups = {
  readonly byVersion: ReadonlyMap<string, Group>;
  readonly adopted: readonly { readonly pod: SpreadPod; readonly subset: Subset }[];
};

/** How many pods a subset takes. Text that is neither a number nor a percentage takes none. */
export function limitOf({ maxReplicas }: Subset, replicas: number): number {
  if (maxReplicas === undefined) return UNLIMITED;
  const text = String(maxReplicas);
  return /^\d+$/.test(text) ? Number(text) : (amountOf(maxReplicas, replicas) ?? 0);
}

export function groupsOf(state: State): Groups {
  const { spread } = state;
  const adopted: { pod: SpreadPod; subset: Subset }[] = [];
  const names = new Set(subsetsOf(spread).map(({ name }) => name));
  const versions = [...Map.groupBy(state.pods, ({ version }) => version)].sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = versions.map(([version, pods]): [string, Group] => {
    const places = new Adopting(state, pods).places;
    for (const [pod, subset] of places) adopted.push({ pod, subset });
    const placeOf = (pod: SpreadPod) => {
      const named = namedSubset(pod, spread);
      return named !== undefined && names.has(named) ? named : places.get(pod)?.name;
    };
    return [version, Map.groupBy(pods, placeOf)];
  });
  return { byVersion: new Map(groups), adopted };
}

/** Puts those pods of one version into subsets that are in none. */
class Adopting {
  readonly places = new Map<SpreadPod, Subset>();
  private readonly state: State;
  /** How many more pods each subset takes. */
  private readonly room: Map<string, number>;

  constructor(state: State, pods: readonly SpreadPod[]) {
    const { spread, replicas } = state;
    this.state = state;
    this.room = new Map(
      subsetsOf(spread).map((subset) => {
        const limit = limitOf(subset, replicas);
        return [subset.name, limit === UNLIMITED ? Number.POSITIVE_INFINITY : limit];
      }),
    );
    for (const pod of pods) this.take(namedSubset(pod, spread));
    for (const pod of pods.filter((one) => state.fits.has(one)).sort(byName)) this.place(pod);
  }

  /** Into the first of those that suit the pod and its node best. */
  private place(pod: SpreadPod): void {
    const fits = this.state.fits.get(pod) ?? [];
    let best: Subset | undefined;
    let most = UNSUITABLE;
    subsetsOf(this.state.spread).forEach((subset, index) => {
      const fit = fits[index] ?? UNSUITABLE;
      const score = fit + Number((this.room.get(subset.name) ?? 0) > 0);
      if (fit <= UNSUITABLE || score <= most) return;
      best = subset;
      most = score;
    });
    if (best === undefined) return;
    this.places.set(pod, best);
    this.take(best.name);
  }

  private take(name: string | undefined): void {
    const left = name === undefined ? undefined : this.room.get(name);
    if (name !== undefined && left !== undefined) this.room.set(name, left - 1);
  }
}
