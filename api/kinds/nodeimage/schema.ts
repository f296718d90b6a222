// The kind NodeImage, described once: names, versions, columns, and every member with its documentation (images 1.4).
import { SandboxConfig } from '../../core/image-pull.ts';
import { objectHead } from '../../core/meta.ts';
import {
  always,
  type Fields,
  int32,
  int64,
  list,
  map,
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

const ObjectReference = struct(
  'v1.ObjectReference',
  {
    kind: optional(text()),
    namespace: optional(text()),
    name: optional(text()),
    uid: optional(text('types.UID')),
    apiVersion: optional(text()),
    resourceVersion: optional(text()),
    fieldPath: optional(text()),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const TagPullPolicy = struct('v1beta1.ImageTagPullPolicy', {
  timeoutSeconds: pointer(int32(), 'Seconds that one attempt may take; 600 if absent.'),
  backoffLimit: pointer(int32(), 'How often to try again after the first attempt; 3 if absent.'),
  ttlSecondsAfterFinished: pointer(int32(), 'Seconds after its end at which the task is removed; must be given.'),
  activeDeadlineSeconds: pointer(int64(), 'Seconds after its start at which the task has failed; no limit if absent.'),
});

const TagSpec = struct('v1beta1.ImageTagSpec', {
  tag: required(text(), 'Tag or digest.'),
  createdAt: pointer(time(), 'When the task was made; the time of admission if absent.'),
  pullPolicy: pointer(TagPullPolicy, 'Limits of the task.'),
  ownerReferences: optional(list(ObjectReference), 'Objects that need the image; the task goes with the last of them.'),
  version: optional(int64(), 'Number of the task; a greater one makes the node pull again.'),
  imagePullPolicy: optional(
    text('v1beta1.ImagePullPolicy'),
    'IfNotPresent skips the pull if the node has the image, Always does not.',
  ),
});

const secret = {
  namespace: optional(text(), 'Namespace of the Secret.'),
  name: optional(text(), 'Name of the Secret.'),
};
const SecretReference = struct('v1beta1.ReferenceObject', {
  ...secret,
  mode: optional(text(), 'batch for a copy that several jobs share.'),
});

const specOf = <F extends Fields>(version: string, reference: ReturnType<typeof struct<F>>) =>
  struct(`${version}.NodeImageSpec`, {
    images: optional(
      map(
        struct(`${version}.ImageSpec`, {
          pullSecrets: optional(list(reference), 'Secrets for pulling.'),
          tags: nullable(list(TagSpec), 'What to pull, by tag in ascending order.'),
          sandboxConfig: pointer(SandboxConfig, 'Labels and annotations that the container runtime gets.'),
        }),
      ),
      'Images to pull by name without tag, such as nginx or reg.io/a/b; at most 256.',
    ),
  });
const Spec = specOf('v1beta1', SecretReference);
const SpecV1alpha1 = specOf('v1alpha1', struct('v1alpha1.ReferenceObject', secret));

const TagStatus = struct('v1beta1.ImageTagStatus', {
  tag: required(text(), 'Tag or digest.'),
  phase: required(text('v1beta1.ImagePullPhase'), 'Waiting, Pulling, Succeeded or Failed.'),
  progress: optional(int32(), 'Percentage that is pulled; it may go back when a pull starts anew.'),
  startTime: pointer(time(), 'When the node took the task up.'),
  completionTime: pointer(time(), 'When the task ended.'),
  version: optional(int64(), 'Version of the task that this status is about.'),
  imageID: optional(text(), 'ID of the image on the node.'),
  message: optional(text(), 'Why the task failed.'),
});

const counter = { required: false };
const Status = struct('v1beta1.NodeImageStatus', {
  desired: required(int32(), 'Tasks of this node.'),
  succeeded: required(int32(), 'Of these, tasks that have succeeded.', counter),
  failed: required(int32(), 'Of these, tasks that have failed.', counter),
  pulling: required(int32(), 'Of these, tasks that are at work.', counter),
  waiting: required(int32(), 'Of these, tasks that wait.', counter),
  imageStatuses: optional(
    map(struct('v1beta1.ImageStatus', { tags: nullable(list(TagStatus), 'Tasks by tag in ascending order.') })),
    'The tasks by name of the image.',
  ),
  firstSyncStatus: pointer(
    struct('v1beta1.SyncStatus', {
      syncAt: always(time(), 'When.'),
      status: optional(text('v1beta1.SyncStatusPhase'), 'How it ended.'),
      message: optional(text(), 'Why.'),
    }),
    'How the first tasks of the node ended; not written.',
  ),
});

export const NodeImage = struct('v1beta1.NodeImage', { ...objectHead, spec: always(Spec), status: always(Status) });
export type NodeImage = Static<typeof NodeImage>;

export const NodeImageV1alpha1 = struct('v1alpha1.NodeImage', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(Status),
});
export type NodeImageV1alpha1 = Static<typeof NodeImageV1alpha1>;

const columns: readonly Column[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.status.desired', doc: 'Tasks of this node.' },
  { name: 'PULLING', type: 'integer', jsonPath: '.status.pulling', doc: 'Of these, tasks that are at work.' },
  { name: 'SUCCEED', type: 'integer', jsonPath: '.status.succeeded', doc: 'Of these, tasks that have succeeded.' },
  { name: 'FAILED', type: 'integer', jsonPath: '.status.failed', doc: 'Of these, tasks that have failed.' },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'NodeImage',
  plural: 'nodeimages',
  scope: 'Cluster',
  storage: 'v1beta1',
  source: 'api/kinds/nodeimage/schema.ts',
  doc: 'NodeImage lists the images that one node is to pull, and how far it is; it has the name of the node.',
  versions: [
    { name: 'v1alpha1', schema: NodeImageV1alpha1, columns },
    { name: 'v1beta1', schema: NodeImage, columns },
  ],
};
