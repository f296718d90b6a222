// Policy objects from files: loads them all, watches them, and hands on what changes. A state with an error in it is
// never handed on: the last good one stays until the files are right again.

import { setImmediate } from 'node:timers/promises';
import { InputError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import { readManifests } from '../../component/manifests.ts';
import { FolderWatch } from '../watch.ts';
import {
  difference,
  type KeptObject,
  type ObjectChange,
  type ObjectSet,
  objectKey,
  RefusedObject,
  referenceOf,
} from './change.ts';
import { readObjects } from './read.ts';
import { isSameScan, type Scan, scan } from './scan.ts';

export type SourceOptions = {
  paths: readonly string[];
  /** Takes a difference over as a whole, or throws RefusedObject and leaves everything as it was. */
  apply: (change: ObjectChange, before: ObjectSet) => void;
  logger: Logger;
  count: (result: 'success' | 'error') => void;
  settleMs: number;
  pollMs: number;
};

/** How many objects are applied in one go while nothing depends on them yet. */
const SLICE = 50;

/** The objects of one file in one state of it. */
type LoadedFile = { signature: string; objects: readonly KeptObject[] };

export class FileSource {
  readonly #options: SourceOptions;
  #scan: Scan = { files: new Map(), folders: new Set() };
  /** The files behind `#objects`. */
  #files: ReadonlyMap<string, LoadedFile> = new Map();
  #objects: ObjectSet = new Map();
  #isLoaded = false;
  /** True while the files that were seen last are not those in use: then the next poll tries again. */
  #isStale = false;
  #error: string | undefined;
  #watch: FolderWatch | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /** The objects in use. */
  get objects(): ObjectSet {
    return this.#objects;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** What is wrong with the files now, while an earlier state is in use; undefined when nothing is. */
  get error(): string | undefined {
    return this.#error;
  }

  /**
   * Loads everything for the first time, in slices, so that health questions are answered meanwhile. Throws InputError
   * naming file, line and field, and the reason of `stop` once that is aborted.
   */
  async load(stop?: AbortSignal): Promise<void> {
    const found = await scan(this.#options.paths);
    const { files, objects } = await this.#readAll(found);
    const { set } = difference(this.#objects, objects);
    for (let at = 0; at < set.length; at += SLICE) {
      await this.#apply({ set: set.slice(at, at + SLICE), remove: [] }, new Map());
      await setImmediate();
      stop?.throwIfAborted();
    }
    this.#keep(found, files, objects);
    this.#isLoaded = true;
  }

  /** Follows the files from now on. */
  watch(): void {
    const { logger, settleMs, pollMs } = this.#options;
    this.#watch = new FolderWatch({
      folders: () => this.#scan.folders,
      changed: () => this.#refresh(),
      settleMs,
      pollMs,
      unwatchable: (path, error) => logger.debug({ path, error: error.message }, 'folder is polled, not watched'),
    });
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  async #refresh(): Promise<void> {
    const { logger, count, paths } = this.#options;
    try {
      const found = await scan(paths);
      if (!this.#isStale && isSameScan(found, this.#scan)) return;
      this.#isStale = true;
      const change = await this.#take(found);
      this.#isStale = false;
      this.#error = undefined;
      count('success');
      logger.info(
        { set: change.set.length, removed: change.remove.length, objects: this.#objects.size },
        'objects reloaded',
      );
    } catch (error) {
      const message = error instanceof InputError ? error.describe() : `${error}`;
      if (message === this.#error) return;
      this.#error = message;
      count('error');
      logger.error({ error: message }, 'objects not reloaded, the last good ones stay');
    }
  }

  /** Reads what differs from the files in use and hands the difference on, as a whole. */
  async #take(found: Scan): Promise<ObjectChange> {
    this.#scan = found;
    const { files, objects } = await this.#readAll(found);
    const change = difference(this.#objects, objects);
    await this.#apply(change, this.#objects);
    this.#keep(found, files, objects);
    return change;
  }

  async #readAll(found: Scan): Promise<{ files: ReadonlyMap<string, LoadedFile>; objects: ObjectSet }> {
    const changed = [...found.files].filter(([file, { signature }]) => this.#files.get(file)?.signature !== signature);
    const sizes = new Map(changed.map(([file, { bytes }]) => [file, bytes]));
    const read = new Map(zip([...sizes.keys()], await readObjects(sizes)));
    const files = new Map<string, LoadedFile>();
    for (const [file, { signature, bytes }] of found.files) {
      const known = this.#files.get(file)?.objects ?? [];
      // An editor that empties a file before it writes it must not take all its objects away for a moment.
      if (bytes === 0 && known.length > 0) {
        throw new InputError('the file is empty; remove it to remove its objects', { file });
      }
      files.set(file, { signature, objects: read.get(file) ?? known });
    }
    return { files, objects: union(files.values()) };
  }

  async #apply(change: ObjectChange, before: ObjectSet): Promise<void> {
    try {
      this.#options.apply(change, before);
    } catch (error) {
      throw error instanceof RefusedObject ? await placed(error) : error;
    }
  }

  #keep(found: Scan, files: ReadonlyMap<string, LoadedFile>, objects: ObjectSet): void {
    this.#scan = found;
    this.#files = files;
    this.#objects = objects;
  }
}

function zip<A, B>(left: readonly A[], right: readonly B[]): [A, B][] {
  return left.map((item, i) => [item, right[i] as B]);
}

/** All objects of all files. Throws InputError when two are the same object. */
function union(files: Iterable<LoadedFile>): ObjectSet {
  const objects = new Map<string, KeptObject>();
  for (const { objects: ofFile } of files) {
    for (const object of ofFile) {
      const key = objectKey(object.reference);
      const other = objects.get(key);
      if (other !== undefined) {
        const { kind, name } = object.reference;
        const message = `${kind} ${name} is also defined at ${other.file}:${other.line}`;
        throw new InputError(message, { file: object.file, line: object.line, field: 'metadata.name' });
      }
      objects.set(key, object);
    }
  }
  return objects;
}

/** The refusal with the place of the field that was refused, for which its file is read again. */
async function placed({ refusal, object }: RefusedObject): Promise<InputError> {
  const { file, line } = object;
  const manifests = await readManifests([file]).catch(() => []);
  const key = objectKey(object.reference);
  const manifest = manifests.find((candidate) => objectKey(referenceOf(candidate.object)) === key);
  // Some refusals have the field at the head of their message alone.
  const field = refusal.field ?? /^([A-Za-z_$][^\s:]*): /.exec(refusal.message)?.[1] ?? '';
  return refusal.at({ file, ...(manifest?.position(field) ?? { line }) });
}
