// All controllers of the program: each begins when its mirrors have been read, and is told of every object that is there.

import type { Logger } from '../../component/logger.ts';
import type { Mirror } from '../../kube/mirror.ts';
import { type Mirrors, mirrorName } from '../../kube/mirrors.ts';
import { pause } from '../../kube/waiting.ts';
import type { Change, Controller, Watch } from './controller.ts';
import type { ListedKinds } from './listed-kinds.ts';
import type { Reconciler } from './reconciler.ts';

export type LoopOptions = {
  readonly mirrors: Mirrors;
  readonly controllers: readonly { readonly controller: Controller<unknown>; readonly reconciler: Reconciler }[];
  /** A controller whose mirrors take longer is reported; it begins nevertheless when they are there. */
  readonly syncTimeoutMs: number;
  /** All objects are looked at again after this time; 0 is never. */
  readonly resyncMs: number;
  readonly random: () => number;
  readonly logger: Logger;
  /** Tells controllers of objects of kinds that are listed while they run. */
  readonly listed?: Pick<ListedKinds, 'follow'>;
};

type Visit = (change: Change) => void;

export class Loop {
  readonly #options: LoopOptions;
  /** Replays that begin with the next turn, so that those who come together share one. */
  readonly #replays = new Map<Mirror, { readonly visits: Visit[]; readonly done: Promise<void> }>();

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Runs until `stop` is aborted and what is under way then has ended; `abandon` breaks that off too. */
  async run(stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    await Promise.all(this.#options.controllers.map((one) => this.#runOne(one, stop, abandon)));
  }

  async #runOne(
    { controller, reconciler }: LoopOptions['controllers'][number],
    stop: AbortSignal,
    abandon: AbortSignal,
  ): Promise<void> {
    try {
      await this.#whenReady(controller, stop);
    } catch (error) {
      if (stop.aborted) return;
      throw error;
    }
    const { mirrors, logger } = this.#options;
    const ends = controller.watches.map((watch) =>
      mirrors.onChange(watch.resource, (change) => reconciler.changed(watch, change)),
    );
    logger.info({ controller: controller.name, workers: reconciler.workers }, 'controller started');
    // What many objects lead to is looked at once, and not again after each part of them.
    await this.#tell(controller, reconciler, stop).catch((error: unknown) => {
      if (!stop.aborted) throw error;
    });
    const resyncing = this.#resync(controller, reconciler, stop);
    const following = this.#options.listed?.follow({ controller, reconciler }, stop);
    await reconciler.run(stop, abandon);
    await Promise.all([resyncing, following]);
    for (const end of ends) end();
  }

  // A resource that the API server has not is waited for, be it for ever; one that is optional is not.
  async #whenReady({ name, watches }: Controller<unknown>, stop: AbortSignal): Promise<void> {
    const { mirrors, logger, syncTimeoutMs } = this.#options;
    const wanted = watches.map(({ resource, optional }) => ({
      mirror: mirrors.of(resource),
      optional: optional === true,
    }));
    const missing = () => wanted.filter(({ mirror, optional }) => !(mirror.synced || (optional && mirror.absent)));
    const late = setTimeout(() => {
      const resources = missing().map(({ mirror }) => mirrorName(mirror));
      logger.error({ controller: name, resources }, 'a controller still waits for its resources');
    }, syncTimeoutMs);
    try {
      await Promise.all(wanted.map(({ mirror }) => mirror.whenSettled(stop)));
      const absent = missing().map(({ mirror }) => mirrorName(mirror));
      if (absent.length > 0) logger.info({ controller: name, absent }, 'a controller waits for resources to exist');
      if (absent.length > 0) clearTimeout(late);
      await Promise.all(missing().map(({ mirror }) => mirror.whenSynced(stop)));
    } finally {
      clearTimeout(late);
    }
  }

  // Tells of every object again after each period.
  async #resync(controller: Controller<unknown>, reconciler: Reconciler, stop: AbortSignal): Promise<void> {
    const { resyncMs, random } = this.#options;
    while (resyncMs > 0 && !stop.aborted) {
      await pause(resyncMs * (1 + random()), stop);
      if (!stop.aborted) await this.#tell(controller, reconciler, stop);
    }
  }

  async #tell({ watches }: Controller<unknown>, reconciler: Reconciler, stop: AbortSignal): Promise<void> {
    const tell = (watch: Watch) => this.#replay(watch, (change) => reconciler.changed(watch, change), stop);
    await Promise.all(watches.map(tell));
  }

  #replay({ resource }: Watch, visit: Visit, stop: AbortSignal): Promise<void> {
    const mirror = this.#options.mirrors.of(resource);
    const waiting = this.#replays.get(mirror);
    if (waiting !== undefined) {
      waiting.visits.push(visit);
      return waiting.done;
    }
    const visits = [visit];
    const done = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#replays.delete(mirror);
      return mirror.replay((change) => {
        for (const one of visits) one(change);
      }, stop);
    });
    this.#replays.set(mirror, { visits, done });
    return done;
  }
}
