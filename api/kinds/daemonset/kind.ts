// Advanced DaemonSet for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applyDefaults } from './defaults.ts';
import { type DaemonSet, type DaemonSetV1alpha1, description } from './schema.ts';
import { validateDaemonSet } from './validation.ts';
import { warnDaemonSet } from './warnings.ts';

export const daemonSet = defineKind(description, {
  applyDefaults: (object, version) => applyDefaults(object as DaemonSet, version) as JsonObject,
  validate: validateDaemonSet,
  warnings: warnDaemonSet,
  validatesAsSent: true,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as DaemonSetV1alpha1) as JsonObject)
      : (toV1alpha1(object as DaemonSet) as JsonObject),
});
