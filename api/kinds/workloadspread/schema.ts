// The kind WorkloadSpread, described once: names, versions, columns, and every member with its documentation
// (workloadspread 1). The versions differ in the names of the node selectors and in the conditions.
import { Condition, conditionList } from '../../core/conditions.ts';
import { LabelSelector, objectHead } from '../../core/meta.ts';
import { NodeSelectorTerm, PreferredSchedulingTerm, Toleration } from '../../core/pod.ts';
import {
  always,
  anyJson,
  boolean,
  choice,
  type Field,
  type Fields,
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
import type { Column, KindDescription } from '../kind.ts';

const mandatory = pointer(NodeSelectorTerm, 'What a node must have for pods of the subset.');
const preferred = optional(list(PreferredSchedulingTerm), 'What a node should have for pods of the subset.');

const spec = <F extends Fields>(version: string, selectors: F) =>
  struct(`${version}.WorkloadSpreadSpec`, {
    targetRef: pointer(
      struct(`${version}.TargetReference`, {
        apiVersion: required(text(), 'API version of the workload; its version part does not count.'),
        kind: required(text(), 'Kind of the workload.'),
        name: required(text(), 'Name of the workload, in the namespace of this object.'),
      }),
      'The workload whose pods are spread; it cannot be changed.',
      { required: true },
    ),
    targetFilter: pointer(
      struct(`${version}.TargetFilter`, {
        selector: pointer(LabelSelector, 'Only pods with these labels are spread and counted.'),
        replicasPathList: optional(
          list(text()),
          'Paths in the workload whose numbers together are its number of pods, e.g. spec.replicas.',
        ),
      }),
      'Narrows the pods of the workload down.',
    ),
    subsets: nullable(
      list(
        struct(`${version}.WorkloadSpreadSubset`, {
          name: required(text(), 'Name of the subset, unique in this object.'),
          ...selectors,
          tolerations: optional(list(Toleration), 'Tolerations that pods of the subset get.'),
          maxReplicas: pointer(
            intOrString(),
            'Number or percentage of pods that the subset takes; no limit if absent.',
          ),
          patch: nullable(anyJson(), 'Strategic merge patch for pods of the subset.', { required: false }),
        }),
      ),
      'The subsets; earlier ones are filled first and emptied last.',
    ),
    scheduleStrategy: always(
      struct(`${version}.WorkloadSpreadScheduleStrategy`, {
        type: optional(
          choice(`${version}.WorkloadSpreadScheduleStrategyType`, 'Adaptive', 'Fixed', ''),
          'Whether pods that cannot be scheduled go to another subset. Fixed if absent.',
        ),
        adaptive: pointer(
          struct(`${version}.AdaptiveWorkloadSpreadStrategy`, {
            disableSimulationSchedule: optional(boolean(), 'Has no effect.'),
            rescheduleCriticalSeconds: pointer(
              int32(),
              'Seconds after which a pod that cannot be scheduled is created anew in another subset.',
            ),
          }),
          'More about the type Adaptive.',
        ),
      }),
      'What happens to pods that cannot be scheduled.',
    ),
  });

const status = <C extends Field>(version: string, conditions: C) => {
  const subset = struct(`${version}.WorkloadSpreadSubsetStatus`, {
    name: required(text(), 'Name of the subset.'),
    replicas: required(int32(), 'Active pods of the subset.'),
    conditions,
    missingReplicas: required(int32(), 'How many more pods fit; -1 if there is no limit.'),
    creatingPods: optional(map(time()), 'Pods whose creation was admitted and that are not seen yet.'),
    deletingPods: optional(map(time()), 'Pods whose deletion was admitted and that are still seen.'),
  });
  return struct(`${version}.WorkloadSpreadStatus`, {
    observedGeneration: optional(int64(), 'Generation that this status is about.'),
    subsetStatuses: optional(list(subset), 'The subsets, all versions of the pods together.'),
    versionedSubsetStatuses: optional(map(list(subset)), 'The subsets, by version of the pods.'),
  });
};

const conditionsDoc = 'What is known about the subset, such as Schedulable.';
const OldCondition = struct('v1alpha1.WorkloadSpreadSubsetCondition', {
  type: required(text('v1alpha1.WorkloadSpreadSubsetConditionType'), 'What the condition is about.'),
  status: required(text('v1.ConditionStatus'), 'Whether it holds.'),
  lastTransitionTime: always(time(), 'When the status last changed.'),
  reason: optional(text(), 'A word for the reason of the last change.'),
  message: optional(text(), 'A sentence about the last change.'),
});

export const WorkloadSpread = struct('v1beta1.WorkloadSpread', {
  ...objectHead,
  spec: always(spec('v1beta1', { requiredNodeSelector: mandatory, preferredNodeSelector: preferred })),
  status: always(status('v1beta1', optional(list(Condition, conditionList), conditionsDoc))),
});
export type WorkloadSpread = Static<typeof WorkloadSpread>;
export type WorkloadSpreadSpec = NonNullable<WorkloadSpread['spec']>;
export type Subset = NonNullable<WorkloadSpreadSpec['subsets']>[number];

export const WorkloadSpreadV1alpha1 = struct('v1alpha1.WorkloadSpread', {
  ...objectHead,
  spec: always(spec('v1alpha1', { requiredNodeSelectorTerm: mandatory, preferredNodeSelectorTerms: preferred })),
  status: always(status('v1alpha1', optional(list(OldCondition), conditionsDoc))),
});
export type WorkloadSpreadV1alpha1 = Static<typeof WorkloadSpreadV1alpha1>;

const columns: readonly Column[] = [
  { name: 'WorkloadName', type: 'string', jsonPath: '.spec.targetRef.name' },
  { name: 'WorkloadKind', type: 'string', jsonPath: '.spec.targetRef.kind' },
  {
    name: 'Adaptive',
    type: 'boolean',
    jsonPath: '.spec.scheduleStrategy.type[?(@ == "Adaptive")]',
    doc: 'Whether pods that cannot be scheduled go to another subset.',
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'WorkloadSpread',
  plural: 'workloadspreads',
  shortNames: ['ws'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/workloadspread/schema.ts',
  doc: 'WorkloadSpread spreads the pods of a workload over an ordered list of subsets.',
  versions: [
    { name: 'v1alpha1', schema: WorkloadSpreadV1alpha1, columns },
    { name: 'v1beta1', schema: WorkloadSpread, columns },
  ],
};
