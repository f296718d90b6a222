// AdvancedCronJob for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { applyAdvancedCronJobDefaults } from './defaults.ts';
import { type AdvancedCronJob, description } from './schema.ts';
import { validateAdvancedCronJob } from './validation.ts';
import { warnAdvancedCronJob } from './warnings.ts';
import { wording } from './wording.ts';

export const advancedCronJob = defineKind(description, {
  applyDefaults: (object, version, context) =>
    applyAdvancedCronJobDefaults(object as AdvancedCronJob, version, context) as JsonObject,
  validate: validateAdvancedCronJob,
  warnings: warnAdvancedCronJob,
  inexpressible: (object, toVersion) => {
    const template = (object as AdvancedCronJob).spec?.template?.imageListPullJobTemplate;
    return toVersion === 'v1alpha1' && template !== undefined ? wording.onlyV1beta1 : undefined;
  },
  // The rest is the same in both versions.
  convert: (object) => object,
});
