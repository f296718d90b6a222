// The kind Advanced StatefulSet (StatefulSet of apps.kruise.io), described once: names, versions, columns, status
// (advanced-statefulset 1). Its spec is described in api/core/advanced-statefulset.ts; v1alpha1 has a part of it.
import { AdvancedStatefulSetSpec, statefulSetPods, statefulSetUpdates } from '../../core/advanced-statefulset.ts';
import { objectHead } from '../../core/meta.ts';
import {
  always,
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
import { AGE, POD_TEMPLATE, SCALE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

const Condition = struct('v1.StatefulSetCondition', {
  type: required(text('v1.StatefulSetConditionType'), 'What the condition is about.'),
  status: required(text('v1.ConditionStatus'), 'True, False or Unknown.'),
  lastTransitionTime: nullable(time(), 'When the status last changed.', { required: false }),
  reason: optional(text(), 'A word for the reason of the last change.'),
  message: optional(text(), 'A sentence about the last change.'),
});

const counters = {
  observedGeneration: optional(int64(), 'Generation that this status is about.'),
  replicas: required(int32(), 'Pods that exist.'),
  readyReplicas: required(int32(), 'Of these, pods that are ready.'),
  availableReplicas: required(int32(), 'Of these, pods that have been ready for minReadySeconds.'),
  currentReplicas: required(int32(), 'Pods of the current revision.'),
  updatedReplicas: required(int32(), 'Pods of the update revision.'),
};
const revisions = {
  currentRevision: optional(text(), 'Name of the ControllerRevision that pods outside the update have.'),
  updateRevision: optional(text(), 'Name of the latest ControllerRevision.'),
  collisionCount: pointer(int32(), 'How often a name for a ControllerRevision was already taken.'),
  conditions: optional(list(Condition), 'Conditions of the set.'),
  labelSelector: optional(text(), 'The selector as text, for the scale sub-resource.'),
};

const Status = struct('v1beta1.StatefulSetStatus', {
  ...counters,
  updatedReadyReplicas: optional(int32(), 'Pods of the update revision that are ready.'),
  updatedAvailableReplicas: optional(int32(), 'Of these, pods that have been ready for minReadySeconds.'),
  ...revisions,
  volumeClaims: optional(
    list(
      struct('v1beta1.VolumeClaimStatus', {
        volumeClaimName: required(text(), 'Name of the claim template.'),
        compatibleReplicas: required(int32(), 'Claims that are as the template says.'),
        compatibleReadyReplicas: required(int32(), 'Of these, claims whose volume has that size.'),
      }),
    ),
    'How far the claims follow their templates.',
  ),
});
const StatusV1alpha1 = struct('v1alpha1.StatefulSetStatus', { ...counters, ...revisions });

export const StatefulSet = struct('v1beta1.StatefulSet', {
  ...objectHead,
  spec: always(AdvancedStatefulSetSpec),
  status: always(Status),
});
export type StatefulSet = Static<typeof StatefulSet>;

export const StatefulSetV1alpha1 = struct('v1alpha1.StatefulSet', {
  ...objectHead,
  spec: always(struct('v1alpha1.StatefulSetSpec', { ...statefulSetPods, ...statefulSetUpdates })),
  status: always(StatusV1alpha1),
});
export type StatefulSetV1alpha1 = Static<typeof StatefulSetV1alpha1>;

const columns: readonly Column[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', doc: 'Pods that are wanted.' },
  { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas', doc: 'Pods that exist.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', doc: 'Pods of the update revision.' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', doc: 'Pods that are ready.' },
  AGE,
  ...POD_TEMPLATE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts', 'asts'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/statefulset/schema.ts',
  doc: 'StatefulSet runs pods with lasting names and claims, and updates several at once or in place.',
  versions: [
    { name: 'v1alpha1', schema: StatefulSetV1alpha1, columns, scale: SCALE },
    { name: 'v1beta1', schema: StatefulSet, columns, scale: SCALE },
  ],
};
