// WorkloadSpread for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { description, type WorkloadSpread, type WorkloadSpreadV1alpha1 } from './schema.ts';
import { validateWorkloadSpread } from './validation.ts';

export const workloadSpread = defineKind(description, {
  gates: ['WorkloadSpread'],
  // Compatibility: a deletion that is posted by hand has no object, and is refused for it.
  decodesAlways: true,
  errorCode: 400,
  applyDefaults: (object) => object,
  validate: validateWorkloadSpread,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as WorkloadSpreadV1alpha1) as JsonObject)
      : (toV1alpha1(object as WorkloadSpread) as JsonObject),
});
