// Policy objects from the cluster: a mirror for each resource, whose changes go on to those who decide. An object that
// cannot be used is left out, told of and counted; all others count.

import type { JsonObject } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { EventRecorder } from '../../kube/events.ts';
import { compareVersions } from '../../kube/frames.ts';
import { Mirror } from '../../kube/mirror.ts';
import type { MirrorTimes } from '../../kube/mirror-options.ts';
import { listTurns } from '../../kube/mirror-waits.ts';
import { mirrorName } from '../../kube/mirrors.ts';
import { type KubeObject, keyOf } from '../../kube/objects.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { ObjectReference } from '../evaluation.ts';
import { EVENTS } from '../events.ts';
import type { ClusterChange } from './change.ts';
import type { PolicyResource } from './policy-resources.ts';

export type ClusterSourceOptions = {
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly resources: readonly PolicyResource[];
  /** Takes a change over, or throws InputError. */
  readonly apply: (change: ClusterChange) => void;
  /** For the events of objects that cannot be used. */
  readonly events: EventRecorder;
  /** Told of what cannot be followed any more, and why. */
  readonly onProblem: (message: string) => void;
  readonly logger: Logger;
  readonly random: () => number;
  readonly monotonic: () => number;
  readonly times?: Partial<MirrorTimes>;
};

/** A mirror that has heard nothing for so long is not what the cluster is. */
const STALE_MS = 90_000;

export class ClusterSource {
  readonly #options: ClusterSourceOptions;
  readonly #mirrors: readonly Mirror[];
  /** The version that each mirror had when it last told of something. */
  readonly #versions = new Map<Mirror, string>();
  /** Objects that cannot be used, by kind and name, with the reason. */
  readonly #refused = new Map<string, string>();

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
    const { client, logger, random, monotonic, times = {} } = options;
    const turns = listTurns(monotonic);
    this.#mirrors = options.resources.map(({ resource, selection = {}, trim }) => {
      const parts = trim === undefined ? {} : { trim };
      const mirror: Mirror = new Mirror({
        ...{ client, resource, selection, logger, random, monotonic, times, turns, ...parts },
        onLeftOut: (object, reason) => this.#tell(object, reason),
        onProblem: (_, reason) => options.onProblem(`${mirrorName(mirror)} cannot be followed: ${reason}`),
      });
      mirror.onChange((change) => this.#changed(mirror, change));
      return mirror;
    });
  }

  /** Follows the cluster until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.run(signal)));
  }

  /** Resolves once every resource was read, or is known not to exist. Rejects with the signal's reason. */
  async whenLoaded(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.whenSettled(signal)));
  }

  /** All objects of now, for an evaluator that starts later. Those that cannot be used are not among them. */
  snapshot(): ClusterChange[] {
    return this.#objects().map((object) => ({ set: object as unknown as JsonObject }));
  }

  get mirrors(): readonly Mirror[] {
    return this.#mirrors;
  }

  /** Objects that cannot be used. */
  get refused(): number {
    return this.#mirrors.reduce((count, { leftOut }) => count + leftOut, this.#refused.size);
  }

  /**
   * How each resource is followed: `missing` says why it was never read, `degraded` why what is known of it may be old,
   * `detour` why it is read as it is stored, though it is known.
   */
  states(): readonly MirrorState[] {
    return this.#mirrors.map((mirror) => {
      const { synced, absent, problem, stalenessMs, detour } = mirror;
      const isKnown = synced || absent;
      const isStale = synced && stalenessMs > STALE_MS;
      const polled = detour?.version === undefined ? detour?.reason : undefined;
      const old = isStale ? `nothing was heard for ${Math.round(stalenessMs / 1000)} s` : undefined;
      return {
        name: mirrorName(mirror),
        missing: isKnown ? undefined : (problem ?? 'not read yet'),
        degraded: isKnown ? (problem ?? old ?? polled) : undefined,
        detour: detour?.reason,
      };
    });
  }

  #objects(): KubeObject[] {
    const known = this.#mirrors.filter(({ synced }) => synced);
    return known.flatMap((mirror) => mirror.list()).filter((object) => !this.#refused.has(nameOf(object)));
  }

  #changed(mirror: Mirror, { old, new: present }: { old: KubeObject | undefined; new: KubeObject | undefined }): void {
    this.#noteVersion(mirror);
    if (present !== undefined) this.#set(present);
    else if (old !== undefined) {
      this.#refused.delete(nameOf(old));
      this.#options.apply({ gone: referenceOf(mirror, old), resourceVersion: mirror.version });
    }
  }

  // Versions of an API server only grow, unless its data were restored from a backup.
  #noteVersion(mirror: Mirror): void {
    const last = this.#versions.get(mirror);
    this.#versions.set(mirror, mirror.version);
    if (last === undefined || (compareVersions(mirror.version, last) ?? 0) >= 0) return;
    this.#options.logger.warn(
      { resource: mirrorName(mirror), last },
      'the API server has an earlier state than before',
    );
    this.#options.apply({ restored: true });
  }

  #set(object: KubeObject): void {
    const name = nameOf(object);
    try {
      this.#options.apply({ set: object as unknown as JsonObject });
      if (this.#refused.delete(name)) this.#options.logger.info({ object: name }, 'an object can be used again');
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const message = error.describe();
      if (this.#refused.get(name) === message) return;
      this.#refused.set(name, message);
      this.#options.logger.error({ object: name, error: message }, 'an object cannot be used and is left out');
      this.#tell(object, message);
    }
  }

  #tell(regarding: KubeObject, message: string): void {
    this.#options.events.record(eventOf(EVENTS.invalidObject, regarding, message));
  }
}

export type MirrorState = {
  readonly name: string;
  readonly missing: string | undefined;
  readonly degraded: string | undefined;
  readonly detour: string | undefined;
};

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${keyOf(metadata)}`;
}

function referenceOf({ resource }: Mirror, { metadata }: KubeObject): ObjectReference {
  const { name, namespace } = metadata;
  const reference = { apiVersion: apiVersionOf(resource), kind: resource.kind, name };
  return namespace === undefined ? reference : { ...reference, namespace };
}
