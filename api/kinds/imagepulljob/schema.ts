// The kind ImagePullJob, described once: names, versions, columns, and every member with its documentation (images 1.2).
import { pullTemplate } from '../../core/image-pull.ts';
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

const Spec = struct('v1beta1.ImagePullJobSpec', {
  image: required(text(), 'The image to pull.'),
  ...pullTemplate,
});

const counter = { required: false };
const Status = struct('v1beta1.ImagePullJobStatus', {
  startTime: pointer(time(), 'When the job was first seen.'),
  completionTime: pointer(time(), 'When the job ended.'),
  desired: required(int32(), 'Nodes to pull on.'),
  active: required(int32(), 'Of these, nodes that are pulling.', counter),
  succeeded: required(int32(), 'Of these, nodes that have pulled.', counter),
  failed: required(int32(), 'Of these, nodes that have given up.', counter),
  message: optional(text(), 'How far the job is, or how it ended.'),
  failedNodes: optional(list(text()), 'Names of the nodes that have given up.'),
});

/** The same in both versions. */
export const ImagePullJob = struct('v1beta1.ImagePullJob', {
  ...objectHead,
  spec: always(Spec),
  status: always(Status),
});
export type ImagePullJob = Static<typeof ImagePullJob>;

const columns: readonly Column[] = [
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.desired', doc: 'Nodes to pull on.' },
  { name: 'ACTIVE', type: 'integer', jsonPath: '.status.active', doc: 'Of these, nodes that are pulling.' },
  { name: 'SUCCEED', type: 'integer', jsonPath: '.status.succeeded', doc: 'Of these, nodes that have pulled.' },
  { name: 'FAILED', type: 'integer', jsonPath: '.status.failed', doc: 'Of these, nodes that have given up.' },
  AGE,
];
const message: Column = {
  name: 'MESSAGE',
  type: 'string',
  jsonPath: '.status.message',
  doc: 'How far the job is, or how it ended.',
};

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'ImagePullJob',
  plural: 'imagepulljobs',
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/imagepulljob/schema.ts',
  doc: 'ImagePullJob pulls one image on a set of nodes.',
  versions: [
    { name: 'v1alpha1', schema: ImagePullJob, columns: [...columns, message] },
    { name: 'v1beta1', schema: ImagePullJob, columns },
  ],
};
