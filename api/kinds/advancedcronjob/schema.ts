// The kind AdvancedCronJob, described once: names, versions, columns, and every member with its documentation. Only
// v1beta1 has the template of an ImageListPullJob (advancedcronjob 1).
import { broadcastJobSpec } from '../../core/broadcast-job.ts';
import { ImageListPullJobSpec } from '../../core/image-pull.ts';
import { JobTemplateSpec } from '../../core/job.ts';
import { ObjectMeta, objectHead } from '../../core/meta.ts';
import {
  always,
  boolean,
  choice,
  hidden,
  int32,
  int64,
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

// The API server prunes what is inside, since the CRD does not tell it.
const TemplateMeta = struct('v1.ObjectMeta', hidden(ObjectMeta.fields));
const templateMetadata = always(TemplateMeta, 'Labels and annotations of the jobs; nothing of it is stored.');

const jobTemplates = (version: string) => ({
  jobTemplate: pointer(JobTemplateSpec, 'Starts Jobs; excludes the other templates.', {
    schemaless: true,
    keepUnknown: true,
  }),
  broadcastJobTemplate: pointer(
    struct(`${version}.BroadcastJobTemplateSpec`, {
      metadata: templateMetadata,
      spec: always(broadcastJobSpec(version), 'The spec of the BroadcastJobs.'),
    }),
    'Starts BroadcastJobs; excludes the other templates.',
  ),
});

export const CronJobTemplate = struct('v1beta1.CronJobTemplate', {
  ...jobTemplates('v1beta1'),
  imageListPullJobTemplate: pointer(
    struct('v1beta1.ImageListPullJobTemplateSpec', {
      metadata: templateMetadata,
      spec: always(ImageListPullJobSpec, 'The spec of the ImageListPullJobs.'),
    }),
    'Starts ImageListPullJobs; excludes the other templates.',
  ),
});
export type CronJobTemplate = Static<typeof CronJobTemplate>;

export const CronJobTemplateV1alpha1 = struct('v1alpha1.CronJobTemplate', jobTemplates('v1alpha1'));

const schedule = (version: string) => ({
  schedule: required(
    text(),
    'When jobs are started: five fields of cron, a descriptor such as @daily, or @every 90s.',
    {
      openApi: { minLength: 0 },
    },
  ),
  timeZone: pointer(
    text(),
    'Name of the time zone of the schedule, e.g. Asia/Tokyo; that of the controller if absent. Excludes TZ= in schedule.',
  ),
  startingDeadlineSeconds: pointer(int64(), 'How many seconds late a job may still be started; no limit if absent.'),
  concurrencyPolicy: optional(
    choice(`${version}.ConcurrencyPolicy`, 'Allow', 'Forbid', 'Replace'),
    'What happens while a job still runs: Allow starts another, Forbid skips it, Replace ends the old one first. ' +
      'Allow if absent, Replace for image lists.',
  ),
  paused: pointer(boolean(), 'While true no jobs are started.'),
  successfulJobsHistoryLimit: pointer(int32(), 'How many successful jobs are kept; 3 if absent.'),
  failedJobsHistoryLimit: pointer(int32(), 'How many failed jobs are kept; 1 if absent.'),
});
const templateDoc = 'What is started: exactly one of the templates.';

export const AdvancedCronJobSpec = struct('v1beta1.AdvancedCronJobSpec', {
  ...schedule('v1beta1'),
  template: always(CronJobTemplate, templateDoc, { required: true }),
});
const SpecV1alpha1 = struct('v1alpha1.AdvancedCronJobSpec', {
  ...schedule('v1alpha1'),
  template: always(CronJobTemplateV1alpha1, templateDoc, { required: true }),
});

const ObjectReference = struct(
  'v1.ObjectReference',
  {
    kind: optional(text(), 'Kind of the job.'),
    namespace: optional(text(), 'Namespace of the job.'),
    name: optional(text(), 'Name of the job.'),
    uid: optional(text('types.UID'), 'UID of the job.'),
    apiVersion: optional(text(), 'API version of the job.'),
    resourceVersion: optional(text(), 'Version at which the job was seen.'),
    fieldPath: optional(text(), 'Not used.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const status = (version: string) =>
  struct(`${version}.AdvancedCronJobStatus`, {
    type: optional(text(`${version}.TemplateKind`), 'Kind of what is started: Job, BroadcastJob or ImageListPullJob.'),
    active: optional(list(ObjectReference), 'Jobs that still run.'),
    lastScheduleTime: pointer(time(), 'Latest scheduled time among the jobs that exist.'),
  });

const specDoc = 'What to start, and when.';
const statusDoc = 'What has been observed.';

export const AdvancedCronJob = struct('v1beta1.AdvancedCronJob', {
  ...objectHead,
  spec: always(AdvancedCronJobSpec, specDoc),
  status: always(status('v1beta1'), statusDoc),
});
export type AdvancedCronJob = Static<typeof AdvancedCronJob>;
export type AdvancedCronJobSpec = Static<typeof AdvancedCronJobSpec>;

export const AdvancedCronJobV1alpha1 = struct('v1alpha1.AdvancedCronJob', {
  ...objectHead,
  spec: always(SpecV1alpha1, specDoc),
  status: always(status('v1alpha1'), statusDoc),
});

const columns: readonly Column[] = [
  { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule', doc: 'When jobs are started.' },
  { name: 'Type', type: 'string', jsonPath: '.status.type', doc: 'Kind of what is started.' },
  {
    name: 'LastScheduleTime',
    type: 'date',
    jsonPath: '.status.lastScheduleTime',
    doc: 'Latest scheduled time among the jobs that exist.',
  },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'AdvancedCronJob',
  plural: 'advancedcronjobs',
  shortNames: ['acj'],
  scope: 'Namespaced',
  conversion: 'None',
  storage: 'v1beta1',
  source: 'api/kinds/advancedcronjob/schema.ts',
  doc: 'AdvancedCronJob starts Jobs, BroadcastJobs or ImageListPullJobs on a schedule.',
  versions: [
    { name: 'v1alpha1', schema: AdvancedCronJobV1alpha1, columns },
    { name: 'v1beta1', schema: AdvancedCronJob, columns },
  ],
};
