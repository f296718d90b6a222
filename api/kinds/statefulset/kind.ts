// Advanced StatefulSet for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applyDefaults } from './defaults.ts';
import { description, type StatefulSet, type StatefulSetV1alpha1 } from './schema.ts';
import { validateStatefulSet } from './validation.ts';
import { warnStatefulSet } from './warnings.ts';

export const statefulSet = defineKind(description, {
  // What only v1beta1 has is lost again in v1alpha1.
  applyDefaults: (object, version, context) =>
    version === 'v1alpha1'
      ? (toV1alpha1(applyDefaults(toV1beta1(object as StatefulSetV1alpha1), context)) as JsonObject)
      : (applyDefaults(object as StatefulSet, context) as JsonObject),
  validate: validateStatefulSet,
  warnings: warnStatefulSet,
  isDeletionProtected: true,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as StatefulSetV1alpha1) as JsonObject)
      : (toV1alpha1(object as StatefulSet) as JsonObject),
});
