// What a controller is to the loop: its name, what it watches, and the two functions that decide.

import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Plan } from '../../kube/plan.ts';
import type { IndexKeys, LookUp, Reader } from '../../kube/reader.ts';
import type { Resource } from '../../kube/resource.ts';

/** A change of an object that is watched: added has no `old`, deleted no `new`. */
export type Change = { readonly old?: KubeObject | undefined; readonly new?: KubeObject | undefined };

export type Watch = {
  readonly resource: Resource;
  /** Objects to look at after this change; `reader` may lag behind it. */
  keys(change: Change, reader: Reader): readonly ObjectReference[];
  /** Indexes that the controller needs, by name. */
  readonly indexes?: Readonly<Record<string, IndexKeys>>;
  /** Objects of other namespaces do not matter; they may come all the same, where another controller watches them. */
  readonly namespace?: string;
  /** Optional API: where the cluster has it not, the watch is left out. */
  readonly optional?: boolean;
};

/** An entry of a list of kinds, with all that it says. */
export type ListedKind = { readonly Group?: string; readonly Version?: string; readonly Kind?: string };

/** A list of kinds in ConfigMap kruise-configuration, and what changes of objects of these kinds lead to. */
export type KindList<Entry extends ListedKind = ListedKind> = {
  /** The key of the list. */
  readonly key: string;
  /** What is listed; a text says why the list cannot be read. */
  read(configMap: KubeObject | undefined): readonly Entry[] | string;
  /** The watch of a kind by its entry. Kinds that the controller watches anyway are left out. */
  watch(resource: Resource, entry: Entry): Watch;
};

export type Controller<State> = {
  /** As in metrics and logs: `sidecarset-controller`. */
  readonly name: string;
  /** How many objects are reconciled at once, and the flag by which that is set if there is one: `sidecarset-workers`. */
  readonly workers: { readonly flag?: string; readonly default: number };
  readonly watches: readonly Watch[];
  /** Kinds that an operator lists while the program runs. */
  readonly listed?: KindList;
  /**
   * Finds out beforehand, in small steps between which others get their turn, what `fetch` would take long for when it looks
   * at very many objects for the first time. It may throw what `fetch` throws.
   */
  prepare?(reader: Reader, key: ObjectReference): Iterable<unknown>;
  /**
   * One snapshot of all that the plan needs; undefined when there is nothing to do for the key. Called again, at most
   * four times in all, when something was looked up that was not known yet.
   */
  fetch(reader: Reader, key: ObjectReference, lookUp: LookUp): State | undefined;
  /** Pure: the same state and time give the same plan, and a settled state gives an empty one. `now` is Unix time in ms. */
  plan(state: State, now: number): Plan;
};
