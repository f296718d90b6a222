// Policy objects from files: loads them all, watches them, and hands on what changes. A state with an error in it is
// never handed on: the last good one stays until the files are right again.

import { InputError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import type { Manifest } from '../../component/manifests.ts';
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

  /** Loads everything for the first time. Throws InputError naming file, line and field. */
  async load(): Promise<void> {
    await this.#take(await scan(this.#options.paths));
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

  /** Reads what differs from the files in use and hands the difference on. */
  async #take(found: Scan): Promise<ObjectChange> {
    this.#scan = found;
    const files = new Map<string, LoadedFile>();
    const manifests = new Map<KeptObject, Manifest>();
    for (const [file, signature] of found.files) files.set(file, await this.#read(file, signature, manifests));
    const objects = union(files.values());
    const change = difference(this.#objects, objects);
    try {
      this.#options.apply(change, this.#objects);
    } catch (error) {
      throw error instanceof RefusedObject ? placed(error, manifests) : error;
    }
    this.#files = files;
    this.#objects = objects;
    return change;
  }

  async #read(file: string, signature: string, manifests: Map<KeptObject, Manifest>): Promise<LoadedFile> {
    const known = this.#files.get(file);
    if (known?.signature === signature) return known;
    const read = await readManifests([file]);
    // An editor that empties a file before it writes it must not take all its objects away for a moment.
    if (read.length === 0 && known !== undefined && known.objects.length > 0) {
      throw new InputError('the file is empty; remove it to remove its objects', { file });
    }
    const objects = read.map((manifest) => {
      const { object, line } = manifest;
      const kept = { reference: referenceOf(object), text: JSON.stringify(object), file, line };
      manifests.set(kept, manifest);
      return kept;
    });
    return { signature, objects };
  }
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

/** The refusal with the place of the field that was refused. */
function placed({ refusal, object }: RefusedObject, manifests: ReadonlyMap<KeptObject, Manifest>): InputError {
  const position = manifests.get(object)?.position(refusal.field ?? '');
  return refusal.at({ file: object.file, ...(position ?? { line: object.line }) });
}
