// What is said about a PersistentPodState that is admitted although pods will not be created with it
// (persistentpodstate 6).
import type { JsonObject } from '../../core/json.ts';
import type { PersistentPodState } from './schema.ts';
import { wording } from './wording.ts';

const GREATEST_WEIGHT = 100;

/** The warnings about an object in v1beta1 form that validation has nothing against. */
export function warnPersistentPodState(object: JsonObject): string[] {
  const terms = (object as PersistentPodState).spec?.preferredPersistentTopology ?? [];
  return terms.flatMap(({ weight }, index) => {
    return weight >= 1 && weight <= GREATEST_WEIGHT ? [] : [wording.weightUnusable(index, weight)];
  });
}
