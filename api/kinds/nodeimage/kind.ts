// NodeImage for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { applyNodeImageDefaults } from './defaults.ts';
import { description, type NodeImage, type NodeImageV1alpha1 } from './schema.ts';
import { validateNodeImage } from './validation.ts';

export const nodeImage = defineKind(description, {
  gates: ['KruiseDaemon'],
  errorCode: 400,
  applyDefaults: (object, _version, { now }) => applyNodeImageDefaults(object as NodeImage, now) as JsonObject,
  validate: validateNodeImage,
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as NodeImageV1alpha1) as JsonObject)
      : (toV1alpha1(object as NodeImage) as JsonObject),
});
