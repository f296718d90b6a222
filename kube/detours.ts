// By which way a mirror reads its objects: in its own version, or, while the API server cannot convert all of them, as they
// are stored (docs/decisions/0011).

import { StatusError } from '../component/errors.ts';
import { Trouble, type TroubleOptions } from '../component/trouble.ts';
import { CONVERSION_FAILED, isConversionFailure } from './conversion-errors.ts';
import type { Detour } from './mirror-options.ts';
import type { Resource } from './resource.ts';
import { versionsOf } from './stored-versions.ts';

export type DetoursOptions = Pick<TroubleOptions, 'logger' | 'monotonic' | 'keys'> & {
  readonly resource: Resource;
  /** After this the own version that could not be read is tried again. */
  readonly returnMs: number;
};

export class Detours {
  /** Its own version first, then those in which it may be stored too. */
  readonly versions: readonly Resource[];
  readonly #options: DetoursOptions;
  readonly #trouble: Trouble;
  #followed: Resource | undefined;
  #current: Detour | undefined;
  #takenAt = 0;

  constructor(options: DetoursOptions) {
    this.#options = options;
    this.versions = versionsOf(options.resource);
    this.#followed = options.resource;
    this.#trouble = new Trouble({
      ...options,
      begins: 'the API server cannot convert all objects; they are read as they are stored, and converted here',
      ends: 'the API server can convert all objects again',
    });
  }

  /** The version that was listed, and is followed; undefined when no version could be listed as a whole. */
  get followed(): Resource | undefined {
    return this.#followed;
  }

  /** Undefined while the API server can convert all objects. */
  get current(): Detour | undefined {
    return this.#current;
  }

  /**
   * What `list` lists: as one version if the API server has one of all objects, else, without a version, piece by piece as
   * they are stored. Rejects as `list` does.
   */
  async list<Listed>(list: (version: Resource | undefined) => Promise<Listed>): Promise<Listed> {
    let failure: StatusError | undefined;
    for (const version of [...this.versions, undefined]) {
      try {
        const listed = await list(version);
        this.#take(version, failure);
        return listed;
      } catch (error) {
        const isOther = failure !== undefined && error instanceof StatusError && error.code === 404;
        if (!isOther && !isConversionFailure(error)) throw error;
        failure ??= error as StatusError;
        if (this.versions.length === 1) break;
      }
    }
    throw failure;
  }

  /** A watch has ended well; true when the own version is to be tried again. */
  watched(): boolean {
    if (this.#current !== undefined) return this.#options.monotonic() - this.#takenAt >= this.#options.returnMs;
    this.#trouble.end();
    return false;
  }

  #take(version: Resource | undefined, failure: StatusError | undefined): void {
    this.#takenAt = this.#options.monotonic();
    this.#followed = version;
    if (failure === undefined) {
      this.#current = undefined;
      this.#trouble.end();
      return;
    }
    const reason = failure.message.slice(failure.message.indexOf(CONVERSION_FAILED));
    this.#current = { reason, version: version?.version };
    this.#trouble.begin(reason, { version: version?.version ?? 'several' });
  }
}
