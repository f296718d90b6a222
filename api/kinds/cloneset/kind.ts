// CloneSet for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applyDefaults, applyDefaultsV1alpha1 } from './defaults.ts';
import { type CloneSet, type CloneSetV1alpha1, description } from './schema.ts';
import { validateCloneSet } from './validation.ts';
import { warnCloneSet } from './warnings.ts';

export const cloneSet = defineKind(description, {
  applyDefaults: (object, version, context) =>
    version === 'v1alpha1'
      ? (applyDefaultsV1alpha1(object as CloneSetV1alpha1, context) as JsonObject)
      : (applyDefaults(object as CloneSet, context) as JsonObject),
  validate: validateCloneSet,
  warnings: warnCloneSet,
  validatesAsSent: true,
  isDeletionProtected: true,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as CloneSetV1alpha1) as JsonObject)
      : (toV1alpha1(object as CloneSet) as JsonObject),
});
