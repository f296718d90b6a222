// Objects on their way into a mirror: brought into its version and into the form that its readers want. One for which that
// cannot be done is left out, as if it were not there, and told of.

import type { MirrorOptions } from './mirror-options.ts';
import { type KubeObject, keyOf } from './objects.ts';
import { inVersion } from './stored-versions.ts';

/** Why an object is left out: it cannot be converted into the version of the mirror, or is refused by its reader. */
type LeftOut = { readonly reason: string; readonly isUnconverted: boolean };

/** The objects of one mirror; each that is left out is told of once for each reason, and once when it can be read again. */
export class Intake {
  readonly #options: Pick<MirrorOptions, 'resource' | 'read' | 'onLeftOut' | 'logger'>;
  #leftOut = new Map<string, LeftOut>();

  constructor(options: Pick<MirrorOptions, 'resource' | 'read' | 'onLeftOut' | 'logger'>) {
    this.#options = options;
  }

  /** How many objects are left out. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** True if one of them has no form in the version of the mirror. */
  get hasUnconverted(): boolean {
    return [...this.#leftOut.values()].some(({ isUnconverted }) => isUnconverted);
  }

  /** The object as it is kept; undefined for one that is left out. */
  take(object: KubeObject): KubeObject | undefined {
    return this.#take(object, this.#leftOut);
  }

  /** The last form of an object that is gone; undefined if it had none. */
  takeLast(object: KubeObject): KubeObject | undefined {
    this.#leftOut.delete(keyOf(object.metadata));
    const last = inVersion(object, this.#options.resource.version);
    return typeof last === 'string' ? undefined : last;
  }

  /** Takes a new set of objects; after `finish` those that were left out are those of this set. */
  replace(): { take(object: KubeObject): KubeObject | undefined; finish(): void } {
    const leftOut = new Map<string, LeftOut>();
    return {
      take: (object) => this.#take(object, leftOut),
      finish: () => {
        this.#leftOut = leftOut;
      },
    };
  }

  #take(object: KubeObject, leftOut: Map<string, LeftOut>): KubeObject | undefined {
    const { resource, read = (one: KubeObject) => one, onLeftOut, logger } = this.#options;
    const key = keyOf(object.metadata);
    const told = { resource: resource.plural, object: key };
    const before = this.#leftOut.get(key);
    const converted = inVersion(object, resource.version);
    const result = typeof converted === 'string' ? converted : read(converted);
    if (typeof result !== 'string') {
      leftOut.delete(key);
      if (before !== undefined) logger.info(told, 'an object can be read again');
      return result;
    }
    leftOut.set(key, { reason: result, isUnconverted: typeof converted === 'string' });
    if (before?.reason === result) return undefined;
    logger.error({ ...told, reason: result }, 'an object cannot be read, and is left out');
    onLeftOut?.(object, result);
    return undefined;
  }
}
