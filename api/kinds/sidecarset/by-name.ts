// SidecarSets by the names of what they bring into a pod: who brings something that is in conflict with what a set brings,
// should both match a pod. (sidecarset 4.5)
import { writing } from './conflicts.ts';
import type { SidecarSetSpec } from './schema.ts';
import { type Entry, type Found, Shelves } from './shelves.ts';

export class ByName {
  readonly #names = new Shelves();
  /** By the name of the volume, under its definition. */
  readonly #volumes = new Map<string, Shelves>();

  add(spec: SidecarSetSpec, entry: Entry): void {
    for (const name of namesOf(spec)) this.#names.add(name, entry);
    for (const [name, definition] of volumesOf(spec)) {
      const volumes = this.#volumes.get(name) ?? new Shelves();
      this.#volumes.set(name, volumes);
      volumes.add(definition, entry);
    }
  }

  /** Takes an entry out that was added with this spec. */
  remove(spec: SidecarSetSpec, entry: Entry): void {
    for (const name of namesOf(spec)) this.#names.remove(name, entry);
    for (const [name, definition] of volumesOf(spec)) {
      const volumes = this.#volumes.get(name);
      volumes?.remove(definition, entry);
      if (volumes?.total === 0) this.#volumes.delete(name);
    }
  }

  /** Those who bring something that must not meet what the set brings. */
  rivals(spec: SidecarSetSpec): Found {
    const names = new Set(rivalNames(spec));
    const volumes = volumesOf(spec).map(([name, definition]) => ({ definition, others: this.#volumes.get(name) }));
    let count = 0;
    for (const name of names) count += this.#names.count(name);
    for (const { definition, others } of volumes) if (others) count += others.total - others.count(definition);
    const shelves = this.#names;
    return {
      count,
      *entries() {
        for (const name of names) yield* shelves.at(name);
        for (const { definition, others } of volumes) yield* others?.besides(definition) ?? [];
      },
    };
  }
}

/** What a set is found by. */
function* namesOf(spec: SidecarSetSpec): Generator<string> {
  yield* containerNames(spec);
  for (const { annotations = {}, patchPolicy } of writing(spec)) {
    for (const key of Object.keys(annotations)) {
      yield `annotation ${key}`;
      if (patchPolicy === 'Overwrite') yield `overwritten annotation ${key}`;
    }
  }
}

/** By what its rivals are found: values that are only merged may meet. */
function* rivalNames(spec: SidecarSetSpec): Generator<string> {
  yield* containerNames(spec);
  for (const { annotations = {}, patchPolicy } of writing(spec)) {
    const by = patchPolicy === 'Overwrite' ? 'annotation' : 'overwritten annotation';
    for (const key of Object.keys(annotations)) yield `${by} ${key}`;
  }
}

function* containerNames(spec: SidecarSetSpec): Generator<string> {
  for (const { name } of spec.initContainers ?? []) yield `init container ${name}`;
  for (const { name } of spec.containers ?? []) yield `container ${name}`;
}

/** Names with definitions. Equal texts are equal definitions, so only others can be in conflict. */
function volumesOf(spec: SidecarSetSpec): [string, string][] {
  return (spec.volumes ?? []).map((volume) => [volume.name, JSON.stringify(volume)]);
}
