// The mirrors of a program: one for each resource that anybody watches, with the indexes of all who do.

import { groupOf } from '../api/core/references.ts';
import type { Metrics, Sample } from '../component/metrics.ts';
import { Mirror } from './mirror.ts';
import { MIRROR_METRICS } from './mirror-metrics.ts';
import type { MirrorCounts, MirrorOptions } from './mirror-options.ts';
import { listTurns } from './mirror-waits.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import type { IndexKeys, KindReference, Reader, Stored } from './reader.ts';
import type { Resource } from './resource.ts';
import type { StoredChange } from './store.ts';

/** A resource that somebody wants to read, and by which keys. */
export type Wanted = {
  readonly resource: Resource;
  /** Objects of other namespaces are not needed; they are read all the same where somebody else needs them. */
  readonly namespace?: string | undefined;
  readonly indexes?: Readonly<Record<string, IndexKeys>>;
};

type United = { resource: Resource; namespace: string | undefined; indexes: Record<string, IndexKeys> };

export type MirrorsOptions = Omit<MirrorOptions, 'resource' | 'indexes' | 'selection'> & {
  /** Namespaced resources are only read in this namespace, but for those that are wanted of another one. */
  readonly namespace?: string | undefined;
};

export class Mirrors implements Reader {
  readonly #mirrors = new Map<string, Mirror>();
  readonly #options: MirrorsOptions;

  /** Throws an Error when two indexes of a resource have the same name and are not the same. */
  constructor(wanted: readonly Wanted[], options: MirrorsOptions) {
    this.#options = { turns: listTurns(options.monotonic), ...options };
    for (const united of union(wanted).values()) this.#make(united);
  }

  /** A mirror more, of a resource that has none. Whoever adds it runs it, and takes it out with `remove` when it has ended. */
  add(wanted: Wanted, onProblem?: MirrorOptions['onProblem']): Mirror {
    if (this.follows(wanted.resource)) throw new Error(`${wanted.resource.plural} have a mirror already`);
    return this.#make(wanted, onProblem);
  }

  remove(resource: Resource): void {
    this.#mirrors.delete(idOf(resource));
  }

  #make({ resource, indexes, namespace }: Wanted, onProblem = this.#options.onProblem): Mirror {
    const { namespace: only, ...shared } = this.#options;
    const selection = resource.namespaced ? { namespace: namespace ?? only } : {};
    const mirror = new Mirror({
      ...shared,
      resource,
      selection,
      ...(indexes && { indexes }),
      ...(onProblem && { onProblem }),
    });
    this.#mirrors.set(idOf(resource), mirror);
    return mirror;
  }

  /** All mirrors, in the order in which they were wanted. */
  get all(): readonly Mirror[] {
    return [...this.#mirrors.values()];
  }

  /** The mirror of a resource. Throws an Error if nobody wanted it. */
  of(resource: Resource): Mirror {
    const mirror = this.#mirrors.get(idOf(resource));
    if (mirror === undefined) throw new Error(`${resource.plural} of group "${resource.group}" are watched by nobody`);
    return mirror;
  }

  follows(resource: Resource): boolean {
    return this.#mirrors.has(idOf(resource));
  }

  followsKind({ apiVersion = '', kind }: KindReference): boolean {
    const group = groupOf(apiVersion);
    return this.all.some(({ resource, synced }) => synced && resource.kind === kind && resource.group === group);
  }

  /** True if what is read of the resource is not older than this version. */
  hasSeen(resource: Resource, resourceVersion: string): boolean {
    return this.of(resource).hasSeen(resourceVersion);
  }

  /** True if the mirror of the resource does not follow the API server now. */
  isBehind(resource: Resource): boolean {
    return this.of(resource).problem !== undefined;
  }

  get(resource: Resource, reference: ObjectReference): KubeObject | undefined {
    return this.of(resource).get(reference);
  }

  list(resource: Resource, namespace?: string): readonly KubeObject[] {
    return this.of(resource).list(namespace);
  }

  indexed(resource: Resource, index: string, key: string): readonly KubeObject[] {
    return this.of(resource).indexed(index, key);
  }

  stored(resource: Resource, index: string, key: string): readonly Stored[] {
    return this.of(resource).stored(index, key);
  }

  count(resource: Resource, index: string, key: string): number {
    return this.of(resource).count(index, key);
  }

  onChange(resource: Resource, listener: (change: StoredChange) => void): () => void {
    return this.of(resource).onChange(listener);
  }

  /** Follows the API server until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map((mirror) => mirror.run(signal)));
  }

  /** Adds the metrics of all mirrors. */
  expose(metrics: Metrics): void {
    exposeMirrors(metrics, () => this.all);
  }
}

/** Adds the metrics of mirrors that are kept one by one. */
export function exposeMirrors(metrics: Metrics, mirrors: () => readonly Mirror[]): void {
  const each = (value: (mirror: Mirror) => number) => () => mirrors().map((mirror) => sample(mirror, value(mirror)));
  metrics.add(
    MIRROR_METRICS.objects,
    each(({ size }) => size),
  );
  metrics.add(
    MIRROR_METRICS.leftOut,
    each(({ leftOut }) => leftOut),
  );
  metrics.add(
    MIRROR_METRICS.synced,
    each(({ problem }) => (problem === undefined ? 1 : 0)),
  );
  metrics.add(
    MIRROR_METRICS.staleness,
    each(({ stalenessMs }) => stalenessMs / 1000),
  );
  metrics.add(
    MIRROR_METRICS.detour,
    each(({ detour }) => (detour === undefined ? 0 : 1)),
  );
  const counted = (what: keyof MirrorCounts) => each(({ counts }) => counts[what]);
  metrics.add(MIRROR_METRICS.lists, counted('lists'));
  metrics.add(MIRROR_METRICS.watches, counted('watches'));
  metrics.add(MIRROR_METRICS.events, counted('events'));
  metrics.add(MIRROR_METRICS.damagedFrames, counted('damagedFrames'));
  metrics.add(MIRROR_METRICS.silences, counted('silences'));
  metrics.add(MIRROR_METRICS.expirations, counted('expirations'));
  metrics.add(MIRROR_METRICS.failures, counted('failures'));
}

/** The name of a mirror in health checks: `pods`, or `sidecarsets.apps.kruise.io`. */
export function mirrorName({ resource: { plural, group } }: Mirror): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function sample(mirror: Mirror, value: number): Sample {
  return { labels: { resource: mirrorName(mirror) }, value };
}

function union(wanted: readonly Wanted[]): Map<string, United> {
  const united = new Map<string, United>();
  for (const { resource, namespace, indexes = {} } of wanted) {
    const known = united.get(idOf(resource)) ?? { resource, namespace, indexes: {} };
    united.set(idOf(resource), known);
    if (known.namespace !== namespace) known.namespace = undefined;
    if (known.resource.version !== resource.version) throw new Error(`${resource.plural} are watched in two versions`);
    for (const [name, keys] of Object.entries(indexes)) {
      const other = known.indexes[name];
      if (other !== undefined && other !== keys)
        throw new Error(`two indexes of ${resource.plural} are called ${name}`);
      known.indexes[name] = keys;
    }
  }
  return united;
}

function idOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
