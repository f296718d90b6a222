// The kind CloneSet, described once: names, versions, columns, and the members that v1beta1 does not share with others
// (cloneset 1). Its spec is described in api/core/cloneset.ts; what v1alpha1 says in other places see conversion.ts.
import { CloneSetSpec, cloneSetPods, cloneSetRest, cloneSetScaling } from '../../core/cloneset.ts';
import { objectHead } from '../../core/meta.ts';
import {
  always,
  boolean,
  int32,
  int64,
  intOrString,
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
import { InPlaceUpdateStrategy, PriorityStrategy, ScatterStrategy } from '../../core/update-strategies.ts';
import { APPS_GROUP } from '../../names.ts';
import { AGE, POD_TEMPLATE, SCALE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

const UpdateStrategyV1alpha1 = struct('v1alpha1.CloneSetUpdateStrategy', {
  type: optional(
    text('v1alpha1.CloneSetUpdateStrategyType'),
    'ReCreate, InPlaceIfPossible or InPlaceOnly; ReCreate if absent.',
  ),
  partition: pointer(intOrString(), 'Number or percentage of pods that keep the old revision; 0 if absent.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable during the update; 20% if absent.',
  ),
  maxSurge: pointer(
    intOrString(),
    'Number or percentage of pods that may exist beyond replicas during the update; 0 if absent.',
  ),
  paused: optional(boolean(), 'Stops the update.'),
  priorityStrategy: pointer(PriorityStrategy, 'Which pods are updated first.'),
  scatterStrategy: optional(ScatterStrategy, 'Labels whose pods are spread over the whole update.'),
  inPlaceUpdateStrategy: pointer(InPlaceUpdateStrategy, 'How pods are updated in place; only the grace period counts.'),
});

const SpecV1alpha1 = struct('v1alpha1.CloneSetSpec', {
  ...cloneSetPods,
  scaleStrategy: always(
    struct('v1alpha1.CloneSetScaleStrategy', {
      ...cloneSetScaling,
      disablePVCReuse: optional(boolean(), 'Whether a pod that replaces a deleted one gets claims of its own.'),
    }),
    'How pods are added and removed.',
  ),
  updateStrategy: always(UpdateStrategyV1alpha1, 'How pods are updated.'),
  ...cloneSetRest,
});

const Condition = struct('v1beta1.CloneSetCondition', {
  type: required(text('v1beta1.CloneSetConditionType'), 'What the condition is about.'),
  status: required(text('v1.ConditionStatus'), 'True, False or Unknown.'),
  lastUpdateTime: nullable(time(), 'When the condition was last written.', { required: false }),
  lastTransitionTime: nullable(time(), 'When the status last changed.', { required: false }),
  reason: optional(text(), 'A word for the reason of the last change.'),
  message: optional(text(), 'A sentence about the last change.'),
});

const Status = struct('v1beta1.CloneSetStatus', {
  observedGeneration: optional(int64(), 'Generation that this status is about.'),
  replicas: required(int32(), 'Pods that exist.'),
  readyReplicas: required(int32(), 'Of these, pods that are ready.'),
  availableReplicas: required(int32(), 'Of these, pods that have been ready for minReadySeconds.'),
  updatedReplicas: required(int32(), 'Pods of the update revision.'),
  updatedReadyReplicas: required(int32(), 'Of these, pods that are ready.'),
  updatedAvailableReplicas: optional(int32(), 'Of these, pods that have been ready for minReadySeconds.'),
  expectedUpdatedReplicas: optional(int32(), 'Pods that the update is to reach, given the partition.'),
  updateRevision: optional(text(), 'Name of the latest ControllerRevision.'),
  currentRevision: optional(text(), 'Name of the ControllerRevision that pods outside the update have.'),
  collisionCount: pointer(int32(), 'How often a name for a ControllerRevision was already taken.'),
  conditions: optional(list(Condition), 'Conditions of the set.'),
  labelSelector: optional(text(), 'The selector as text, for the scale sub-resource.'),
});

export const CloneSet = struct('v1beta1.CloneSet', {
  ...objectHead,
  spec: always(CloneSetSpec),
  status: always(Status),
});
export type CloneSet = Static<typeof CloneSet>;

export const CloneSetV1alpha1 = struct('v1alpha1.CloneSet', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(Status),
});
export type CloneSetV1alpha1 = Static<typeof CloneSetV1alpha1>;

const columns: readonly Column[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', doc: 'Pods that are wanted.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', doc: 'Pods of the update revision.' },
  {
    name: 'UPDATED_READY',
    type: 'integer',
    jsonPath: '.status.updatedReadyReplicas',
    doc: 'Of these, pods that are ready.',
  },
  {
    name: 'UPDATED_AVAILABLE',
    type: 'integer',
    jsonPath: '.status.updatedAvailableReplicas',
    doc: 'Of these, pods that are available.',
  },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', doc: 'Pods that are ready.' },
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas', doc: 'Pods that exist.' },
  AGE,
  ...POD_TEMPLATE,
  { name: 'SELECTOR', type: 'string', jsonPath: '.status.labelSelector', doc: 'The selector.', priority: 1 },
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'CloneSet',
  plural: 'clonesets',
  shortNames: ['clone'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/cloneset/schema.ts',
  doc: 'CloneSet runs interchangeable pods and updates them by replacing them or in place.',
  versions: [
    { name: 'v1alpha1', schema: CloneSetV1alpha1, columns, scale: SCALE },
    { name: 'v1beta1', schema: CloneSet, columns, scale: SCALE },
  ],
};
