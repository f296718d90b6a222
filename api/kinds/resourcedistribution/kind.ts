// ResourceDistribution for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { description, type ResourceDistribution, type ResourceDistributionV1alpha1 } from './schema.ts';
import { validateResourceDistribution } from './validation.ts';
import { warnResourceDistribution } from './warnings.ts';

export const resourceDistribution = defineKind(description, {
  gates: ['ResourceDistributionGate'],
  applyDefaults: (object) => object,
  validate: validateResourceDistribution,
  warnings: warnResourceDistribution,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as ResourceDistributionV1alpha1) as JsonObject)
      : (toV1alpha1(object as ResourceDistribution) as JsonObject),
});
