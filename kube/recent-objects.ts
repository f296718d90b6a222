// Decoded objects that were read lately, for those who read the same again and again. What nobody asks for any more is let
// go of, so that a cluster at rest costs no memory.

import type { KubeObject } from './objects.ts';

type Kept = { readonly object: KubeObject; readonly characters: number };

/** An object that is not read for this long goes, and is gone after twice as long. */
const REST_MS = 20_000;

export class RecentObjects<Key extends object> {
  readonly #mostCharacters: number;
  /** Two generations: what is read moves into the younger one, and the older one is dropped as a whole. */
  #young = new Map<Key, Kept>();
  #old = new Map<Key, Kept>();
  #youngCharacters = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `mostCharacters` of text are kept at most; decoded, they take about four times as many bytes. */
  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  get(key: Key): KubeObject | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.object;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.put(key, old);
    return old.object;
  }

  put(key: Key, kept: Kept): void {
    if (this.#youngCharacters + kept.characters > this.#mostCharacters / 2) this.#age();
    this.#young.set(key, kept);
    this.#youngCharacters += kept.characters;
    this.#timer ??= setTimeout(() => this.#rest(), REST_MS).unref();
  }

  /** Takes it out and gives it back. */
  take(key: Key): KubeObject | undefined {
    const kept = this.#young.get(key) ?? this.#old.get(key);
    if (this.#young.delete(key)) this.#youngCharacters -= kept?.characters ?? 0;
    this.#old.delete(key);
    return kept?.object;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngCharacters = 0;
  }

  #rest(): void {
    this.#age();
    this.#timer = this.#old.size === 0 ? undefined : setTimeout(() => this.#rest(), REST_MS).unref();
  }
}
