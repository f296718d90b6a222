// Sets under texts, as the index of SidecarSets files them (rivals.ts): most texts have one, some have thousands.

/** A SidecarSet in the index. Of two the one with the lower place came first. */
export type Entry = { readonly name: string; readonly place: number };

/** So many entries, of which some may be the same, and those themselves. */
export type Found = { readonly count: number; entries(): Iterable<Entry> };

/** One entry stands alone: a collection for each would take ten times the memory. */
type Few = Entry | Set<Entry>;

export class Shelves {
  readonly #under = new Map<string, Few>();
  #total = 0;

  /** Number of entries under all texts together. */
  get total(): number {
    return this.#total;
  }

  /** Puts an entry under a text, once. */
  add(text: string, entry: Entry): void {
    const few = this.#under.get(text);
    const before = size(few);
    if (few === undefined) this.#under.set(text, entry);
    else if (few instanceof Set) few.add(entry);
    else if (few !== entry) this.#under.set(text, new Set([few, entry]));
    this.#total += this.count(text) - before;
  }

  /** Takes it away, if it is there. */
  remove(text: string, entry: Entry): void {
    const few = this.#under.get(text);
    if (few === entry) this.#under.delete(text);
    else if (!(few instanceof Set && few.delete(entry))) return;
    if (few instanceof Set && few.size === 0) this.#under.delete(text);
    this.#total--;
  }

  /** Number of entries under a text. */
  count(text: string): number {
    return size(this.#under.get(text));
  }

  /** The entries under a text. */
  at(text: string): Iterable<Entry> {
    return all(this.#under.get(text));
  }

  /** The entries under all texts but one; whoever stands under several comes several times. */
  *besides(text: string | undefined): Generator<Entry> {
    for (const [other, few] of this.#under) if (other !== text) yield* all(few);
  }
}

function size(few: Few | undefined): number {
  if (few === undefined) return 0;
  return few instanceof Set ? few.size : 1;
}

function all(few: Few | undefined): Iterable<Entry> {
  if (few === undefined) return [];
  return few instanceof Set ? few : [few];
}
