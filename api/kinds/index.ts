// The registry of kinds: everything that handles any kind looks it up here.
import type { Kind } from './kind.ts';
import { sidecarSet } from './sidecarset/kind.ts';

/** All kinds, in the order of the reference pages. */
export const kinds: readonly Kind[] = [sidecarSet];

const byGroupAndKind: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
const byResource: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [`${kind.group}/${kind.plural}`, kind]));

/** The kind of a group, whatever the version. */
export function findKind(group: string, kind: string): Kind | undefined {
  return byGroupAndKind.get(`${group}/${kind}`);
}

/** The kind of a resource, e.g. `apps.kruise.io`, `sidecarsets`. */
export function findResource(group: string, plural: string): Kind | undefined {
  return byResource.get(`${group}/${plural}`);
}
