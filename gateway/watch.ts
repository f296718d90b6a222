// Tells when something in some folders may have changed: by the system's events, and by asking again from time to time,
// as events get lost on network file systems and when watches run out.

import { type FSWatcher, watch } from 'node:fs';

export type WatchOptions = {
  /** The folders to watch now; asked again after every change. */
  folders: () => Iterable<string>;
  /** Looks for what changed. Never runs twice at once; must not reject. */
  changed: () => Promise<void>;
  /** Events closer than this are one change. */
  settleMs: number;
  pollMs: number;
  /** A folder cannot be watched; polling goes on. */
  unwatchable: (folder: string, error: Error) => void;
};

/** How long a change may be put off because more events keep coming. */
const MAX_SETTLES = 20;

export class FolderWatch {
  readonly #options: WatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #failed = new Set<string>();
  #settle: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #putOff = 0;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#renewWatchers();
    this.#poll = setInterval(() => this.#run(), options.pollMs).unref();
  }

  /** Stops watching and waits for a look that is going on. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#settle);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#running;
  }

  #event(): void {
    if (this.#closed) return;
    if (this.#settle !== undefined && this.#putOff++ >= MAX_SETTLES) return;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.#settle = undefined;
      this.#putOff = 0;
      this.#run();
    }, this.#options.settleMs);
  }

  #run(): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#options.changed().finally(() => {
      this.#running = undefined;
      this.#renewWatchers();
      if (this.#again) {
        this.#again = false;
        this.#run();
      }
    });
  }

  #renewWatchers(): void {
    if (this.#closed) return;
    const wanted = new Set(this.#options.folders());
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#event());
      watcher.on('error', (error) => this.#lost(folder, error));
      this.#watchers.set(folder, watcher);
      this.#failed.delete(folder);
    } catch (error) {
      this.#lost(folder, error as Error);
    }
  }

  #lost(folder: string, error: Error): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    if (!this.#failed.has(folder)) this.#options.unwatchable(folder, error);
    this.#failed.add(folder);
  }
}
