// PersistentPodState for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { description, type PersistentPodState, type PersistentPodStateV1alpha1 } from './schema.ts';
import { validatePersistentPodState } from './validation.ts';
import { warnPersistentPodState } from './warnings.ts';

export const persistentPodState = defineKind(description, {
  errorCode: 400,
  applyDefaults: (object) => object,
  validate: validatePersistentPodState,
  warnings: warnPersistentPodState,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as PersistentPodStateV1alpha1) as JsonObject)
      : (toV1alpha1(object as PersistentPodState) as JsonObject),
});
