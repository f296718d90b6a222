// ImageListPullJob for the registry of kinds.
import { defaultPullTemplate, dropEmptyMembers } from '../../core/image-pull.ts';
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { description, type ImageListPullJob } from './schema.ts';
import { validateImageListPullJob } from './validation.ts';

export const imageListPullJob = defineKind(description, {
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  errorCode: 400,
  applyDefaults: (object) => {
    const job = object as ImageListPullJob;
    job.spec ??= { completionPolicy: {} };
    defaultPullTemplate(job.spec);
    return job as JsonObject;
  },
  validate: validateImageListPullJob,
  // Conversion does not keep what validation tells apart.
  validatesAsSent: true,
  // The versions have the same members; an entry of the status that says nothing is left out.
  convert: (object) => {
    const job = object as ImageListPullJob;
    if (job.spec !== undefined) dropEmptyMembers(job.spec);
    const failed = job.status?.failedImageStatuses?.filter((entry) => Object.keys(entry).length > 0);
    if (job.status === undefined || failed === undefined) return object;
    const { failedImageStatuses: _replaced, ...status } = job.status;
    return { ...job, status: { ...status, ...(failed.length > 0 && { failedImageStatuses: failed }) } } as JsonObject;
  },
});
