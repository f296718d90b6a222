// An index of SidecarSets: with which of them a set may be in conflict, without looking at all (sidecarset 4.5). Found are
// those that bring something of the same name, or those that may match the same pod, whichever are fewer; conflicts.ts
// decides.
import { ByLabels } from './by-labels.ts';
import { ByName } from './by-name.ts';
import type { SidecarSet } from './schema.ts';
import type { Entry } from './shelves.ts';

/** When no more than so many bring something of the same name, nothing else is asked. */
const FEW = 8;

export class Rivals {
  readonly #entries = new Map<string, Entry>();
  readonly #byName = new ByName();
  readonly #byLabels = new ByLabels();
  #places = 0;

  /**
   * Adds a set in v1beta1 form, decoded, or replaces the one of its name, which keeps its place and must be given as it
   * was added.
   */
  put(set: SidecarSet, before?: SidecarSet): void {
    const name = nameOf(set);
    const known = this.#entries.get(name);
    if (known !== undefined && before !== undefined) this.#unfile(before, known);
    const entry = known ?? { name, place: this.#places++ };
    this.#entries.set(name, entry);
    this.#byName.add(set.spec ?? {}, entry);
    this.#byLabels.add(set.spec ?? {}, entry);
  }

  /** Forgets a set, given as it was added. */
  delete(set: SidecarSet): void {
    const entry = this.#entries.get(nameOf(set));
    if (entry === undefined) return;
    this.#entries.delete(entry.name);
    this.#unfile(set, entry);
  }

  /** Names of sets, in the order in which they came: with no others can this one be in conflict. It may be among them. */
  of({ spec = {} }: SidecarSet): string[] {
    const byName = this.#byName.rivals(spec);
    const byLabels = byName.count <= FEW ? byName : this.#byLabels.rivals(spec);
    const found = new Set((byName.count <= byLabels.count ? byName : byLabels).entries());
    return [...found].sort((a, b) => a.place - b.place).map(({ name }) => name);
  }

  #unfile({ spec = {} }: SidecarSet, entry: Entry): void {
    this.#byName.remove(spec, entry);
    this.#byLabels.remove(spec, entry);
  }
}

function nameOf({ metadata }: SidecarSet): string {
  return metadata?.name ?? '';
}
