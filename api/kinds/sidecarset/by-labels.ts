// SidecarSets by the values that their selectors pin labels to: who may match a pod that a set matches. Two selectors that
// pin a label of pods, or of namespaces, to different values never meet. (sidecarset 4.7)
import { type Pinned, pinnedValues } from '../../core/selector.ts';
import type { SidecarSetSpec } from './schema.ts';
import { type Entry, type Found, Shelves } from './shelves.ts';

/** A label with more values than this tells little, and is not filed. */
const VALUES_MOST = 16;

/** Sets that pin the same labels, each under its values of every one of them. */
type Group = { readonly byLabel: ReadonlyMap<string, Shelves>; readonly all: Set<Entry> };

type Pins = ReadonlyMap<string, ReadonlySet<string>>;

export class ByLabels {
  readonly #groups = new Map<string, Group>();

  add(spec: SidecarSetSpec, entry: Entry): void {
    const pins = filed(pinsOf(spec));
    const key = keyOf(pins);
    const group = this.#groups.get(key) ?? groupOf(pins);
    this.#groups.set(key, group);
    group.all.add(entry);
    for (const [label, values] of pins) for (const value of values) group.byLabel.get(label)?.add(value, entry);
  }

  /** Takes an entry out that was added with this spec. */
  remove(spec: SidecarSetSpec, entry: Entry): void {
    const pins = filed(pinsOf(spec));
    const key = keyOf(pins);
    const group = this.#groups.get(key);
    if (group === undefined) return;
    group.all.delete(entry);
    for (const [label, values] of pins) for (const value of values) group.byLabel.get(label)?.remove(value, entry);
    if (group.all.size === 0) this.#groups.delete(key);
  }

  /** Those who may match a pod that the set matches. */
  rivals(spec: SidecarSetSpec): Found {
    const pins = pinsOf(spec);
    const parts = [...this.#groups.values()].map((group) => fewest(group, pins));
    return {
      count: parts.reduce((count, part) => count + part.count, 0),
      *entries() {
        for (const part of parts) yield* part.entries();
      },
    };
  }
}

/** Of a group the entries that share a value of the label that tells most. */
function fewest({ byLabel, all }: Group, pins: Pins): Found {
  let found: Found = { count: all.size, entries: () => all };
  for (const [label, shelves] of byLabel) {
    const values = pins.get(label);
    if (values === undefined) continue;
    let count = 0;
    for (const value of values) count += shelves.count(value);
    if (count < found.count) found = { count, entries: () => [...values].flatMap((value) => [...shelves.at(value)]) };
  }
  return found;
}

/** Labels that a set pins, those of pods and those of namespaces. */
function pinsOf({ selector = {}, namespaceSelector = {} }: SidecarSetSpec): Map<string, ReadonlySet<string>> {
  const pins = new Map<string, ReadonlySet<string>>();
  const take = (of: string, pinned: Pinned) => {
    for (const [key, values] of pinned) if (values !== 'any') pins.set(`${of} ${key}`, values);
  };
  take('pod', pinnedValues(selector));
  take('namespace', pinnedValues(namespaceSelector));
  return pins;
}

function filed(pins: Pins): Pins {
  return new Map([...pins].filter(([, values]) => values.size <= VALUES_MOST));
}

function keyOf(pins: Pins): string {
  return JSON.stringify([...pins.keys()].sort());
}

function groupOf(pins: Pins): Group {
  return { byLabel: new Map([...pins.keys()].map((label) => [label, new Shelves()])), all: new Set() };
}
