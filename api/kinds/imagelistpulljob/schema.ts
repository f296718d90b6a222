// The kind ImageListPullJob, described once: names, versions, columns, and every member with its documentation
// (images 1.3). Its spec stands in core/image-pull.ts, since templates embed it.
import { ImageListPullJobSpec } from '../../core/image-pull.ts';
import { objectHead } from '../../core/meta.ts';
import {
  always,
  int32,
  list,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../core/schema.ts';
import { APPS_GROUP } from '../../names.ts';
import { AGE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

const FailedImageStatus = struct('v1beta1.FailedImageStatus', {
  imagePullJob: optional(text(), 'Name of the ImagePullJob.'),
  name: optional(text(), 'The image.'),
  message: optional(text(), 'Why it could not be pulled.'),
});

const counter = { required: false };
const Status = struct('v1beta1.ImageListPullJobStatus', {
  startTime: pointer(time(), 'When the job was first seen.'),
  completionTime: pointer(time(), 'When the last of its ImagePullJobs ended.'),
  desired: required(int32(), 'ImagePullJobs of this job, one for each image.'),
  active: required(int32(), 'Of these, jobs that are at work.', counter),
  completed: required(int32(), 'Of these, jobs that have ended.', counter),
  succeeded: required(int32(), 'Of these, jobs that have ended without a failed node.', counter),
  failedImageStatuses: optional(list(FailedImageStatus), 'The images that some node could not pull.'),
});

/** The same in both versions. */
export const ImageListPullJob = struct('v1beta1.ImageListPullJob', {
  ...objectHead,
  spec: always(ImageListPullJobSpec),
  status: always(Status),
});
export type ImageListPullJob = Static<typeof ImageListPullJob>;

const columns: readonly Column[] = [
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.desired', doc: 'ImagePullJobs, one for each image.' },
  { name: 'SUCCEEDED', type: 'integer', jsonPath: '.status.succeeded', doc: 'Of these, jobs without a failed node.' },
  { name: 'COMPLETED', type: 'integer', jsonPath: '.status.completed', doc: 'Of these, jobs that have ended.' },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'ImageListPullJob',
  plural: 'imagelistpulljobs',
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/imagelistpulljob/schema.ts',
  doc: 'ImageListPullJob pulls several images on a set of nodes, each by an ImagePullJob of its own.',
  versions: [
    { name: 'v1alpha1', schema: ImageListPullJob, columns },
    { name: 'v1beta1', schema: ImageListPullJob, columns },
  ],
};
