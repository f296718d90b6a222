// The kind BroadcastJob, described once: names, versions, columns, and every member with its documentation. Both versions
// have the same members; the spec is in api/core, since AdvancedCronJob embeds it (broadcastjob 1).
import { broadcastJobSpec } from '../../core/broadcast-job.ts';
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

const JobCondition = struct('v1beta1.JobCondition', {
  type: required(text('v1beta1.JobConditionType'), 'Complete or Failed.'),
  status: required(text('v1.ConditionStatus'), 'True, False or Unknown.'),
  lastProbeTime: always(time(), 'When the condition was last looked at.'),
  lastTransitionTime: always(time(), 'When the status last changed.'),
  reason: optional(text(), 'Why, in one word.'),
  message: optional(text(), 'Why, in a sentence.'),
});

const counter = { required: false };
const Status = struct('v1beta1.BroadcastJobStatus', {
  conditions: optional(list(JobCondition), 'How the job ended.'),
  startTime: pointer(time(), 'When the job was first handled.'),
  completionTime: pointer(time(), 'When the job ended.'),
  active: required(int32(), 'Pods that are neither done nor being deleted.', counter),
  succeeded: required(int32(), 'Pods that succeeded.', counter),
  failed: required(int32(), 'Pods that failed.', counter),
  desired: required(int32(), 'Nodes that fit.', counter),
  phase: required(text('v1beta1.BroadcastJobPhase'), 'running, paused, completed or failed.', counter),
});

const ofVersion = (version: string) =>
  struct(`${version}.BroadcastJob`, {
    ...objectHead,
    spec: always(broadcastJobSpec(version), 'What to run, and until when.'),
    status: always(Status, 'What has been observed.'),
  });

export const BroadcastJob = ofVersion('v1beta1');
export type BroadcastJob = Static<typeof BroadcastJob>;
export const BroadcastJobV1alpha1 = ofVersion('v1alpha1');

const columns: readonly Column[] = [
  { name: 'Desired', type: 'integer', jsonPath: '.status.desired', doc: 'Nodes that fit.' },
  { name: 'Active', type: 'integer', jsonPath: '.status.active', doc: 'Pods that are running or about to.' },
  { name: 'Succeeded', type: 'integer', jsonPath: '.status.succeeded', doc: 'Pods that succeeded.' },
  { name: 'Failed', type: 'integer', jsonPath: '.status.failed', doc: 'Pods that failed.' },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'BroadcastJob',
  plural: 'broadcastjobs',
  shortNames: ['bcj'],
  scope: 'Namespaced',
  conversion: 'None',
  storage: 'v1beta1',
  source: 'api/kinds/broadcastjob/schema.ts',
  doc: 'BroadcastJob runs one pod to completion on every node that fits.',
  versions: [
    { name: 'v1alpha1', schema: BroadcastJobV1alpha1, columns },
    { name: 'v1beta1', schema: BroadcastJob, columns },
  ],
};
