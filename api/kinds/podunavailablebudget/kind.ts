// PodUnavailableBudget for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { annotationFault, toV1alpha1, toV1beta1 } from './conversion.ts';
import { description, type PodUnavailableBudget, type PodUnavailableBudgetV1alpha1 } from './schema.ts';
import { validatePodUnavailableBudget } from './validation.ts';
import { warnPodUnavailableBudget } from './warnings.ts';
import { wording } from './wording.ts';

export const podUnavailableBudget = defineKind(description, {
  anyGate: ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'],
  errorCode: 400,
  applyDefaults: (object) => object,
  conversionFault: (object, version) => {
    const fault = version === 'v1alpha1' ? annotationFault(object as PodUnavailableBudgetV1alpha1) : undefined;
    return fault === undefined ? undefined : wording.unconverted(version, fault);
  },
  validate: validatePodUnavailableBudget,
  warnings: warnPodUnavailableBudget,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as PodUnavailableBudgetV1alpha1) as JsonObject)
      : (toV1alpha1(object as PodUnavailableBudget) as JsonObject),
});
