// UnitedDeployment for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applyUnitedDeploymentDefaults } from './defaults.ts';
import { description, type UnitedDeployment, type UnitedDeploymentV1alpha1 } from './schema.ts';
import { validateUnitedDeployment } from './validation.ts';
import { warnUnitedDeployment } from './warnings.ts';

export const unitedDeployment = defineKind(description, {
  isDeletionProtected: true,
  applyDefaults: (object, _version, context) =>
    applyUnitedDeploymentDefaults(object as UnitedDeployment | UnitedDeploymentV1alpha1, context) as JsonObject,
  validate: validateUnitedDeployment,
  warnings: warnUnitedDeployment,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as UnitedDeploymentV1alpha1) as JsonObject)
      : (toV1alpha1(object as UnitedDeployment) as JsonObject),
});
