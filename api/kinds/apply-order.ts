// In which order the objects of a cluster are taken in, so that each finds what its admission asks for, wherever it was
// written: a SidecarSet its revision and the list of annotations, a canary its base (sidecarset 4.2, 4.3, 4.6).
import type { JsonObject } from '../core/json.ts';
import { canaryBaseOf } from './sidecarset/canary.ts';
import type { SidecarSet } from './sidecarset/schema.ts';

/** The items sorted by what their objects need of each other; those that need nothing of each other stay in order. */
export function inApplyOrder<T>(items: readonly T[], objectOf: (item: T) => JsonObject): T[] {
  const ranked = items.map((item) => ({ item, rank: rankOf(objectOf(item)) }));
  return ranked.sort((left, right) => left.rank - right.rank).map(({ item }) => item);
}

function rankOf(object: JsonObject): number {
  if (object.kind !== 'SidecarSet') return 0;
  return canaryBaseOf(object as SidecarSet) === undefined ? 1 : 2;
}
