// Kinds that an operator lists in ConfigMap kruise-configuration: their objects are followed from the time on at which they
// are listed until they are no longer, without a restart, and whoever leads tells on the ConfigMap what cannot be followed.

import { KRUISE_CONFIGURATION } from '../../api/names.ts';
import type { Logger } from '../../component/logger.ts';
import type { Discovery } from '../../kube/discovery.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { EventRecorder } from '../../kube/events.ts';
import { Mirror } from '../../kube/mirror.ts';
import type { MirrorOptions } from '../../kube/mirror-options.ts';
import type { Mirrors } from '../../kube/mirrors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { apiVersionOf, CONFIG_MAPS, type Resource } from '../../kube/resource.ts';
import { pause, Steps } from '../../kube/waiting.ts';
import { EVENTS } from '../events.ts';
import type { Controller, KindList, ListedKind, Watch } from './controller.ts';
import type { Reconciler } from './reconciler.ts';

export type ListedKindsOptions = {
  readonly mirrors: Mirrors;
  readonly discovery: Pick<Discovery, 'find'>;
  readonly systemNamespace: string;
  /** How the ConfigMap is read. */
  readonly mirror: Omit<MirrorOptions, 'resource' | 'selection' | 'indexes' | 'read' | 'onLeftOut'>;
  readonly events: EventRecorder;
  readonly logger: Logger;
  /** How long until a kind that the API server did not have is asked for again. */
  readonly againMs?: number;
};

const AGAIN_MS = 30_000;

/** A mirror that some controllers have in common. */
type Followed = {
  readonly mirror: Mirror;
  readonly ending: AbortController;
  readonly running: Promise<void>;
  users: number;
};
/** A kind that one controller watches, by which entry. */
type Watched = { readonly entry: string; readonly resource: Resource; end(): Promise<void> };
type Subject = { readonly controller: Controller<unknown>; readonly reconciler: Pick<Reconciler, 'changed'> };

export class ListedKinds {
  readonly #options: ListedKindsOptions;
  readonly #configuration: Mirror;
  readonly #changes = new Steps();
  readonly #followed = new Map<string, Followed>();
  /** What was told, by the place that it is about. */
  readonly #told = new Map<string, string>();

  constructor(options: ListedKindsOptions) {
    this.#options = options;
    const fieldSelector = `metadata.name=${KRUISE_CONFIGURATION}`;
    const selection = { namespace: options.systemNamespace, fieldSelector };
    this.#configuration = new Mirror({ ...options.mirror, resource: CONFIG_MAPS, selection });
    this.#configuration.onChange(() => this.#changes.wake());
  }

  /** Follows the ConfigMap until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#configuration.run(signal);
  }

  /** Tells a controller of objects of the kinds that are listed for it, until the signal is aborted. */
  async follow(subject: Subject, stop: AbortSignal): Promise<void> {
    const { listed } = subject.controller;
    if (listed === undefined) return;
    const watched = new Map<string, Watched>();
    try {
      await this.#configuration.whenSynced(stop);
      while (!stop.aborted) {
        const turn = new AbortController();
        const signal = AbortSignal.any([stop, turn.signal]);
        // It ends without a change too, when the turn does.
        const changed = this.#changes.next(signal).catch(() => undefined);
        const isComplete = await this.#update(subject, { listed, watched }, stop);
        await (isComplete ? changed : Promise.race([changed, pause(this.#againMs, signal)]));
        turn.abort();
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      for (const { end } of watched.values()) await end();
    }
  }

  get #configMap(): KubeObject | undefined {
    return this.#configuration.get({ namespace: this.#options.systemNamespace, name: KRUISE_CONFIGURATION });
  }

  get #againMs(): number {
    return this.#options.againMs ?? AGAIN_MS;
  }

  // False if a kind is to be asked for again.
  async #update(
    subject: Subject,
    { listed, watched }: { listed: KindList; watched: Map<string, Watched> },
    stop: AbortSignal,
  ): Promise<boolean> {
    const list = listed.read(this.#configMap);
    this.#tell(listed.key, typeof list === 'string' ? `${listed.key} cannot be read: ${list}` : undefined);
    const entries = typeof list === 'string' ? [] : list;
    const places = new Set(entries.map((entry) => placeOf(listed.key, entry)));
    for (const place of this.#told.keys()) {
      if (place.startsWith(`${listed.key} `) && !places.has(place)) this.#told.delete(place);
    }
    const wanted = new Map<string, { entry: ListedKind; resource: Resource }>();
    let isComplete = true;
    for (const entry of entries) {
      const resource = await this.#find(listed.key, entry);
      if (resource === undefined) isComplete = false;
      else if (!isWatched(subject.controller, resource)) wanted.set(idOf(resource), { entry, resource });
    }
    for (const [id, { entry, end }] of watched) {
      const next = wanted.get(id);
      if (next !== undefined && JSON.stringify(next.entry) === entry) continue;
      watched.delete(id);
      await end();
    }
    for (const [id, { entry, resource }] of wanted) {
      if (!watched.has(id)) watched.set(id, this.#watch(subject, listed.watch(resource, entry), { entry, stop }));
    }
    return isComplete;
  }

  async #find(key: string, entry: ListedKind): Promise<Resource | undefined> {
    const { Group = '', Version = '', Kind = '' } = entry;
    const place = placeOf(key, entry);
    const apiVersion = Group === '' ? Version : `${Group}/${Version}`;
    try {
      const resource = Version === '' ? undefined : await this.#options.discovery.find(apiVersion, Kind);
      const fault = Version === '' ? 'its entry has no Version' : `the API server has no such kind in ${apiVersion}`;
      this.#tell(place, resource === undefined ? cannotFollow(key, Kind, fault) : undefined);
      return resource;
    } catch (error) {
      this.#tell(place, cannotFollow(key, Kind, error instanceof Error ? error.message : String(error)));
      return undefined;
    }
  }

  // All objects are told of at the beginning, and once more at the end: what the entry says matters to them.
  #watch({ reconciler }: Subject, watch: Watch, { entry, stop }: { entry: ListedKind; stop: AbortSignal }): Watched {
    const { resource } = watch;
    const mirror = this.#open(resource);
    const visit: Parameters<Mirror['onChange']>[0] = (change) => reconciler.changed(watch, change);
    const endWatch = mirror.onChange(visit);
    const replay = () => mirror.replay(visit, stop).catch(() => undefined);
    if (mirror.synced) void replay();
    return {
      entry: JSON.stringify(entry),
      resource,
      end: async () => {
        endWatch();
        if (!stop.aborted) await replay();
        await this.#close(resource);
      },
    };
  }

  #open(resource: Resource): Mirror {
    const { mirrors, logger } = this.#options;
    const known = this.#followed.get(idOf(resource));
    if (known !== undefined) known.users++;
    if (known !== undefined || mirrors.follows(resource)) return mirrors.of(resource);
    const onProblem = (_resource: Resource, reason: string) =>
      this.#record(`${resource.plural}.${resource.group} cannot be followed: ${reason}`);
    const mirror = mirrors.add({ resource }, onProblem);
    const ending = new AbortController();
    this.#followed.set(idOf(resource), { mirror, ending, running: mirror.run(ending.signal), users: 1 });
    logger.info({ apiVersion: apiVersionOf(resource), kind: resource.kind }, 'a listed kind is followed');
    return mirror;
  }

  async #close(resource: Resource): Promise<void> {
    const { mirrors, logger } = this.#options;
    const followed = this.#followed.get(idOf(resource));
    if (followed === undefined || --followed.users > 0) return;
    this.#followed.delete(idOf(resource));
    followed.ending.abort();
    await followed.running;
    mirrors.remove(resource);
    logger.info({ apiVersion: apiVersionOf(resource), kind: resource.kind }, 'a kind is listed no longer');
  }

  // Once, as long as it stays the same.
  #tell(place: string, fault: string | undefined): void {
    if (this.#told.get(place) === fault) return;
    if (fault === undefined) this.#told.delete(place);
    else {
      this.#told.set(place, fault);
      this.#record(fault);
    }
  }

  #record(message: string): void {
    const { logger, events } = this.#options;
    logger.warn({ reason: message }, 'a list of kinds cannot be followed as it is');
    const regarding = this.#configMap;
    if (regarding !== undefined) events.record(eventOf(EVENTS.listedKindFailed, regarding, message));
  }
}

function placeOf(key: string, { Group = '', Version = '', Kind = '' }: ListedKind): string {
  return `${key} ${Group} ${Version} ${Kind}`;
}

function cannotFollow(key: string, kind: string, fault: string): string {
  return `${key}: ${kind === '' ? 'an entry without Kind' : kind} cannot be followed: ${fault}`;
}

function isWatched({ watches }: Controller<unknown>, { group, plural }: Resource): boolean {
  return watches.some(({ resource }) => resource.plural === plural && resource.group === group);
}

function idOf({ group, plural }: Resource): string {
  return `${group}/${plural}`;
}
