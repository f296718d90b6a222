// What is said about a PodProbeMarker that is admitted although it gets in the way of the platform (podprobemarker 9).
import type { JsonObject } from '../../core/json.ts';
import type { PodProbeMarker } from './schema.ts';
import { wording } from './wording.ts';

/** Conditions that others write: names that no probe may have, and types that none should write. */
export const NATIVE_CONDITIONS = [
  'PodScheduled',
  'Initialized',
  'Ready',
  'ContainersReady',
  'KruisePodReady',
  'InPlaceUpdateReady',
];

/** The warnings about an object that validation has nothing against. */
export function warnPodProbeMarker(object: JsonObject): string[] {
  const types = ((object as PodProbeMarker).spec?.probes ?? []).map(({ podConditionType = '' }) => podConditionType);
  return types.filter((type) => NATIVE_CONDITIONS.includes(type)).map(wording.conditionTaken);
}
