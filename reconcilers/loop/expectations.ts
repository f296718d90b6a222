// What a controller wrote for an object and has not seen in its mirrors yet. Until it has, the object is left alone: a plan
// made from a state without the last writes would do them twice (admission-overview 10.3).

import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Resource } from '../../kube/resource.ts';

/** Something that a mirror will show: a version of a resource, or that an object is gone or going. */
export type Expectation =
  | { readonly type: 'seen'; readonly resource: Resource; readonly resourceVersion: string }
  | { readonly type: 'gone'; readonly resource: Resource; readonly reference: ObjectReference; readonly uid: string };

/** What the mirrors have. */
export type View = {
  /** False for a resource that is not followed: nothing can be expected of it. */
  follows(resource: Resource): boolean;
  hasSeen(resource: Resource, resourceVersion: string): boolean;
  get(resource: Resource, reference: ObjectReference): KubeObject | undefined;
  /** True if the mirror does not follow now: what it has not shown may yet come. */
  isBehind(resource: Resource): boolean;
};

/** What is waited for, and since when by the clock that was given. */
export type Unmet = { readonly expectation: Expectation; readonly sinceMs: number };

export class Expectations {
  readonly #view: View;
  readonly #byKey = new Map<string, { readonly expectations: Expectation[]; readonly sinceMs: number }>();

  constructor(view: View) {
    this.#view = view;
  }

  /** Adds what the writes for a key lead to. */
  expect(key: string, expectations: readonly Expectation[], nowMs: number): void {
    const followed = expectations.filter(({ resource }) => this.#view.follows(resource));
    if (followed.length === 0) return;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, { expectations: followed, sinceMs: nowMs });
    else known.expectations.push(...followed);
  }

  /** The first expectation of a key that is not met yet; those that are met are forgotten. */
  unmet(key: string): Unmet | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    for (let next = known.expectations[0]; next !== undefined; next = known.expectations[0]) {
      if (!this.#isMet(next)) return { expectation: next, sinceMs: known.sinceMs };
      known.expectations.shift();
    }
    this.#byKey.delete(key);
    return undefined;
  }

  /** Nothing is expected of a key any more. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #isMet(expectation: Expectation): boolean {
    const { resource } = expectation;
    if (expectation.type === 'seen') return this.#view.hasSeen(resource, expectation.resourceVersion);
    const present = this.#view.get(resource, expectation.reference);
    if (present === undefined || present.metadata.uid !== expectation.uid) return true;
    return present.metadata.deletionTimestamp !== undefined;
  }
}
