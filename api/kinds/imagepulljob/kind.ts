// ImagePullJob for the registry of kinds.
import { dropEmptyMembers } from '../../core/image-pull.ts';
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { addFinalizer, applyImagePullJobDefaults } from './defaults.ts';
import { description, type ImagePullJob } from './schema.ts';
import { validateImagePullJob } from './validation.ts';

export const imagePullJob = defineKind(description, {
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  errorCode: 400,
  applyDefaults: (object, version, { old }) => {
    const job = applyImagePullJobDefaults(object as ImagePullJob);
    return (version === 'v1alpha1' && old === undefined ? addFinalizer(job) : job) as JsonObject;
  },
  validate: validateImagePullJob,
  // Conversion does not keep what validation tells apart.
  validatesAsSent: true,
  // The versions have the same members.
  convert: (object) => {
    const { spec } = object as ImagePullJob;
    if (spec !== undefined) dropEmptyMembers(spec);
    return object;
  },
});
