// The kind UnitedDeployment, described once: names, versions, columns, and every member with its documentation. The spec is
// the same in both versions; the status is not (uniteddeployment 1). What the subsets' templates hold is in templates.ts.
import { LabelSelector, objectHead } from '../../core/meta.ts';
import { NodeSelectorTerm, Toleration } from '../../core/pod.ts';
import {
  always,
  anyJson,
  boolean,
  choice,
  int32,
  int64,
  intOrString,
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
import { AGE, SCALE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';
import { subsetTemplate } from './templates.ts';

export const UPDATE_TYPES = ['Manual', ''] as const;
const SCHEDULE_TYPES = ['Adaptive', 'Fixed', ''] as const;

const amount = (doc: string) => pointer(intOrString(), doc);

const subset = (version: string) =>
  struct(`${version}.Subset`, {
    name: required(text(), 'Name of the subset, a DNS label; no two are equal.'),
    nodeSelectorTerm: always(
      NodeSelectorTerm,
      'Nodes of the subset: only its matchExpressions count. Cannot be changed.',
    ),
    tolerations: optional(list(Toleration), 'Tolerations that the pods of the subset get besides. Cannot be changed.'),
    replicas: amount('Number or percentage of the pods that the subset gets; excludes minReplicas and maxReplicas.'),
    minReplicas: amount('Number or percentage of pods that the subset gets before later ones get more; 0 if absent.'),
    maxReplicas: amount('Number or percentage of pods that the subset gets at most; no limit if absent.'),
    patch: always(anyJson(), "Strategic merge patch on the pod template of the subset's workload."),
  });

const scheduleStrategy = (version: string) =>
  struct(`${version}.UnitedDeploymentScheduleStrategy`, {
    type: optional(
      choice(`${version}.UnitedDeploymentScheduleStrategyType`, ...SCHEDULE_TYPES),
      'Fixed keeps what the subsets say; Adaptive moves pods that cannot be scheduled. Fixed if absent.',
    ),
    adaptive: pointer(
      struct(`${version}.AdaptiveUnitedDeploymentStrategy`, {
        rescheduleCriticalSeconds: pointer(
          int32(),
          'Seconds that a pod may stay unscheduled before it is moved; 30 if absent.',
        ),
        unschedulableDuration: pointer(
          int32(),
          'Seconds that a subset counts as unschedulable after pods were moved away; 300 if absent.',
        ),
        reserveUnschedulablePods: optional(
          boolean(),
          'Whether pods that cannot be scheduled are kept, and replaced elsewhere until they can.',
        ),
      }),
      'How type Adaptive decides.',
    ),
  });

const spec = (version: string) =>
  struct(`${version}.UnitedDeploymentSpec`, {
    replicas: pointer(int32(), 'How many pods are wanted in all subsets together; 1 if absent.'),
    selector: nullable(LabelSelector, 'The pods, by labels that the template has.'),
    template: always(subsetTemplate(version), 'Template of the workloads of the subsets: exactly one of its members.'),
    topology: always(
      struct(`${version}.Topology`, {
        subsets: optional(list(subset(version)), 'The subsets, each with a workload of its own.'),
        scheduleStrategy: always(scheduleStrategy(version), 'What happens with pods that cannot be scheduled.'),
      }),
      'How the pods are spread over subsets.',
    ),
    updateStrategy: always(
      struct(`${version}.UnitedDeploymentUpdateStrategy`, {
        type: optional(choice(`${version}.UpdateStrategyType`, ...UPDATE_TYPES), 'Manual, also if absent.'),
        manualUpdate: pointer(
          struct(`${version}.ManualUpdate`, {
            partitions: optional(map(int32()), 'How many pods of a subset keep the old version, by its name; else 0.'),
          }),
          'How pods are updated with type Manual.',
        ),
      }),
      'How pods are updated.',
    ),
    revisionHistoryLimit: pointer(int32(), 'How many old revisions are kept; 10 if absent.'),
  });
export type UnitedDeploymentSpec = Static<ReturnType<typeof spec>>;

const change = {
  lastTransitionTime: always(time(), 'When the status last changed.'),
  reason: optional(text(), 'Why, in one word.'),
  message: optional(text(), 'Why, in a sentence.'),
};

const subsetStatus = (version: string) =>
  struct(`${version}.UnitedDeploymentSubsetStatus`, {
    name: optional(text(), 'Name of the subset.'),
    replicas: optional(int32(), 'Pods that the subset is to have.'),
    readyReplicas: optional(int32(), 'Pods that are ready.'),
    partition: optional(int32(), 'Pods that keep the old version.'),
    reservedPods: optional(int32(), 'Pods that are kept though they could not be scheduled.'),
    conditions: optional(
      list(
        struct(`${version}.UnitedDeploymentSubsetCondition`, {
          type: required(text(`${version}.UnitedDeploymentSubsetConditionType`), 'Schedulable.'),
          status: required(text('v1.ConditionStatus'), 'True, False or Unknown.'),
          ...change,
        }),
      ),
      'Whether pods can be scheduled in the subset.',
    ),
  });

const counters = {
  observedGeneration: optional(int64(), 'Generation that this status is about.'),
  readyReplicas: optional(int32(), 'Pods that are ready.'),
  replicas: required(int32(), 'Pods that exist, reserved ones not counted.'),
  updatedReplicas: required(int32(), 'Pods that have the latest version.'),
  reservedPods: optional(int32(), 'Pods that are kept though they could not be scheduled.'),
  updatedReadyReplicas: optional(int32(), 'Pods that have the latest version and are ready.'),
  collisionCount: pointer(int32(), 'How often a name for a ControllerRevision was already taken.'),
  currentRevision: required(text(), 'Name of the ControllerRevision that was rolled out last.'),
};
const details = (version: string) => ({
  subsetStatuses: optional(list(subsetStatus(version)), 'What has been observed of each subset.'),
  conditions: optional(
    list(
      struct(`${version}.UnitedDeploymentCondition`, {
        type: optional(text(`${version}.UnitedDeploymentConditionType`), 'What the condition is about.'),
        status: optional(text('v1.ConditionStatus'), 'True, False or Unknown.'),
        ...change,
      }),
    ),
    'Whether the subsets are there, and up to date.',
  ),
});
const labelSelector = optional(text(), 'The selector as text, for the scale sub-resource.');

const Status = struct('v1beta1.UnitedDeploymentStatus', {
  ...counters,
  updatedRevision: optional(text(), 'Name of the latest ControllerRevision.'),
  ...details('v1beta1'),
  labelSelector,
});
export type UnitedDeploymentStatus = Static<typeof Status>;

const StatusV1alpha1 = struct('v1alpha1.UnitedDeploymentStatus', {
  ...counters,
  subsetReplicas: optional(map(int32()), 'Pods that each subset is to have, by its name.'),
  ...details('v1alpha1'),
  updateStatus: pointer(
    struct('v1alpha1.UpdateStatus', {
      updatedRevision: optional(text(), 'Name of the latest ControllerRevision.'),
      currentPartitions: optional(map(int32()), 'Pods of each subset that keep the old version, by its name.'),
    }),
    'How far an update is.',
  ),
  labelSelector,
});
export type UnitedDeploymentStatusV1alpha1 = Static<typeof StatusV1alpha1>;

const specDoc = 'What is wanted.';
const statusDoc = 'What has been observed.';

export const UnitedDeployment = struct('v1beta1.UnitedDeployment', {
  ...objectHead,
  spec: always(spec('v1beta1'), specDoc),
  status: always(Status, statusDoc),
});
export type UnitedDeployment = Static<typeof UnitedDeployment>;

export const UnitedDeploymentV1alpha1 = struct('v1alpha1.UnitedDeployment', {
  ...objectHead,
  spec: always(spec('v1alpha1'), specDoc),
  status: always(StatusV1alpha1, statusDoc),
});
export type UnitedDeploymentV1alpha1 = Static<typeof UnitedDeploymentV1alpha1>;

const columns: readonly Column[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas', doc: 'Pods that are wanted.' },
  { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas', doc: 'Pods that exist.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas', doc: 'Pods with the latest version.' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas', doc: 'Pods that are ready.' },
  AGE,
];
const EMBEDDED_SPECS = ['cloneSetTemplate', 'advancedStatefulSetTemplate'].map((name) => `spec.template.${name}.spec`);
export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'UnitedDeployment',
  plural: 'uniteddeployments',
  shortNames: ['ud'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/uniteddeployment/schema.ts',
  doc: 'UnitedDeployment spreads pods over subsets of the nodes, with one workload in each.',
  versions: [
    { name: 'v1alpha1', schema: UnitedDeploymentV1alpha1, columns, scale: SCALE, embeds: EMBEDDED_SPECS },
    { name: 'v1beta1', schema: UnitedDeployment, columns, scale: SCALE },
  ],
};
