// The kind EphemeralJob, described once: names, columns, and every member with its documentation (ephemeraljob 1). It has
// one version.
import { EphemeralContainer as Container, ResourceRequirements } from '../../core/containers.ts';
import { LabelSelector, objectHead } from '../../core/meta.ts';
import {
  always,
  boolean,
  type FieldOptions,
  int32,
  int64,
  list,
  nullable,
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

// Of the members that an ephemeral container may not have, an empty one counts as given.
const keepEmpty: FieldOptions = { keepEmpty: true };
const { ports, resizePolicy } = Container.fields;
const { limits, requests, claims } = ResourceRequirements.fields;
const EphemeralContainer = struct(Container.goType, {
  ...Container.fields,
  ports: { ...ports, options: keepEmpty },
  resources: always(
    struct(ResourceRequirements.goType, {
      limits: { ...limits, options: keepEmpty },
      requests: { ...requests, options: keepEmpty },
      claims: { ...claims, options: keepEmpty },
    }),
  ),
  resizePolicy: { ...resizePolicy, options: keepEmpty },
});

const Template = struct('v1alpha1.EphemeralContainerTemplateSpec', {
  ephemeralContainers: nullable(
    list(EphemeralContainer),
    'Ephemeral containers to add; imagePullPolicy and terminationMessagePolicy must be given.',
    { schemaless: true },
  ),
});

const Spec = struct('v1alpha1.EphemeralJobSpec', {
  selector: nullable(LabelSelector, 'The pods, in the namespace of the job.'),
  replicas: pointer(int32(), 'How many pods at most get the containers; all that match if absent.'),
  parallelism: pointer(int32(), 'In how many pods the containers run at once; 1 if absent.'),
  template: required(Template, 'What is added to each pod.'),
  paused: optional(boolean(), 'Adds to no more pods.'),
  activeDeadlineSeconds: pointer(int64(), 'Seconds after its start at which an unfinished job has failed.'),
  ttlSecondsAfterFinished: pointer(int32(), 'Seconds after its end at which the job is deleted; 1800 if absent.'),
});

const EphemeralJobCondition = struct('v1alpha1.EphemeralJobCondition', {
  type: required(
    text('v1alpha1.EphemeralJobConditionType'),
    'Initialized, JobSucceeded, JobFailed, JobError or MatchedEmpty.',
  ),
  status: required(text('v1.ConditionStatus'), 'Whether it holds.'),
  lastProbeTime: always(time(), 'When the condition was last looked at.'),
  lastTransitionTime: always(time(), 'When the condition last changed.'),
  reason: optional(text(), 'A word for the reason of the last change.'),
  message: optional(text(), 'A sentence about the last change.'),
});

const Status = struct('v1alpha1.EphemeralJobStatus', {
  conditions: optional(list(EphemeralJobCondition), 'What has happened to the job.'),
  startTime: pointer(time(), 'When the job was first seen.'),
  completionTime: pointer(time(), 'When the job succeeded or failed.'),
  phase: optional(text('v1alpha1.EphemeralJobPhase'), 'Waiting, Running, Succeeded, Failed, Paused, Error or Unknown.'),
  match: optional(int32(), 'Pods that get the containers.'),
  succeeded: optional(int32(), 'Of these, pods in which all containers have succeeded.'),
  failed: optional(int32(), 'Of these, pods in which a container has failed.'),
  running: optional(int32(), 'Of these, pods in which containers run.'),
  waiting: optional(int32(), 'Of these, pods in which containers wait.'),
});

export const EphemeralJob = struct('v1alpha1.EphemeralJob', {
  ...objectHead,
  spec: always(Spec),
  status: always(Status),
});
export type EphemeralJob = Static<typeof EphemeralJob>;

const columns: readonly Column[] = [
  { name: 'STATUS', type: 'string', jsonPath: '.status.phase', doc: 'Waiting, Running, Succeeded, Failed or Paused.' },
  { name: 'MATCH', type: 'integer', jsonPath: '.status.match', doc: 'Pods that get the containers.' },
  { name: 'SUCCEED', type: 'integer', jsonPath: '.status.succeeded', doc: 'Of these, pods that have succeeded.' },
  { name: 'FAILED', type: 'integer', jsonPath: '.status.failed', doc: 'Of these, pods that have failed.' },
  { name: 'RUNNING', type: 'integer', jsonPath: '.status.running', doc: 'Of these, pods in which containers run.' },
  { name: 'WAITING', type: 'integer', jsonPath: '.status.waiting', doc: 'Of these, pods in which containers wait.' },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'EphemeralJob',
  plural: 'ephemeraljobs',
  shortNames: ['ejob'],
  scope: 'Namespaced',
  storage: 'v1alpha1',
  source: 'api/kinds/ephemeraljob/schema.ts',
  doc: 'EphemeralJob adds ephemeral containers to running pods and follows them to their end.',
  versions: [{ name: 'v1alpha1', schema: EphemeralJob, columns }],
};
