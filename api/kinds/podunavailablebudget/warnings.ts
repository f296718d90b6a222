// What is said about a PodUnavailableBudget that is admitted although it may protect less than it says
// (podunavailablebudget 1.6).
import type { JsonObject } from '../../core/json.ts';
import { PUB_PROTECT_OPERATIONS } from '../../names.ts';
import { unknownOperations } from './conversion.ts';
import type { PodUnavailableBudget } from './schema.ts';
import { wording } from './wording.ts';

/** The warnings about a budget in v1beta1 form that validation has nothing against. */
export function warnPodUnavailableBudget(object: JsonObject): string[] {
  const { metadata, spec } = object as PodUnavailableBudget;
  // Beside the member, the annotation does not count.
  if ((spec?.protectOperations ?? []).length > 0) return [];
  return unknownOperations(metadata?.annotations?.[PUB_PROTECT_OPERATIONS]).map(wording.operationUnknown);
}
