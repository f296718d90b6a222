// SidecarSet for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applySidecarSetDefaults } from './defaults.ts';
import { description, type SidecarSet, type SidecarSetV1alpha1 } from './schema.ts';
import { validateSidecarSet } from './validation.ts';

export const sidecarSet = defineKind(description, {
  applyDefaults: (object) => applySidecarSetDefaults(object as SidecarSet) as JsonObject,
  validate: validateSidecarSet,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as SidecarSetV1alpha1) as JsonObject)
      : (toV1alpha1(object as SidecarSet) as JsonObject),
});
