// The kind PodUnavailableBudget, described once: names, versions, columns, and every member with its documentation
// (podunavailablebudget 1). In v1alpha1 two members of v1beta1 are annotations; see conversion.ts.
import { ExactLabelSelector, LabelSelector, objectHead } from '../../core/meta.ts';
import {
  always,
  choice,
  int32,
  int64,
  intOrString,
  list,
  map,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../core/schema.ts';
import { POLICY_GROUP } from '../../names.ts';
import type { Column, KindDescription } from '../kind.ts';

/** What can be protected, in the order in which errors list it. */
export const OPERATIONS = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] as const;

const targetReference = (version: string) =>
  struct(`${version}.TargetReference`, {
    apiVersion: optional(text(), 'API version of the workload; its version part does not count.'),
    kind: optional(text(), 'Kind of the workload.'),
    name: optional(text(), 'Name of the workload, in the namespace of the budget.'),
  });

const shared = (version: string) => ({
  selector: pointer(ExactLabelSelector, 'The pods that the budget is about, by their labels; excludes targetRef.'),
  targetRef: pointer(targetReference(version), 'The workload whose pods the budget is about; excludes selector.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable at once; excludes minAvailable.',
  ),
  minAvailable: pointer(
    intOrString(),
    'Number or percentage of pods that must stay available; excludes maxUnavailable.',
  ),
});

const Spec = struct('v1beta1.PodUnavailableBudgetSpec', {
  ...shared('v1beta1'),
  protectOperations: optional(
    list(choice('v1beta1.PubOperation', ...OPERATIONS)),
    'What the budget protects pods from; DELETE, UPDATE and EVICT if empty.',
  ),
  protectTotalReplicas: pointer(
    int32(),
    'Number of pods that is expected, for pods whose workload does not tell it or that have none.',
    { openApi: { minimum: 1 } },
  ),
  ignoredPodSelector: pointer(LabelSelector, 'Pods that are not protected; they still count as available.'),
});

const SpecV1alpha1 = struct('v1alpha1.PodUnavailableBudgetSpec', shared('v1alpha1'));

const generation = 'Generation that this status is about.';
const counters = {
  disruptedPods: optional(
    map(time()),
    'Pods whose deletion, eviction or resize was admitted and is not over, and when that was.',
  ),
  unavailablePods: optional(map(time()), 'Pods whose update was admitted and is not over, and when that was.'),
  unavailableAllowed: required(int32(), 'How many more pods may become unavailable.'),
  currentAvailable: required(int32(), 'Pods that are available.'),
  desiredAvailable: required(int32(), 'Pods that must stay available.'),
  totalReplicas: required(int32(), 'Pods that are expected.'),
};
const Status = struct('v1beta1.PodUnavailableBudgetStatus', {
  observedGeneration: optional(int64(), generation),
  ...counters,
});
const StatusV1alpha1 = struct('v1alpha1.PodUnavailableBudgetStatus', {
  observedGeneration: required(int64(), generation, { required: false }),
  ...counters,
});

export const PodUnavailableBudget = struct('v1beta1.PodUnavailableBudget', {
  ...objectHead,
  spec: always(Spec),
  status: always(Status),
});
export type PodUnavailableBudget = Static<typeof PodUnavailableBudget>;
export type PodUnavailableBudgetSpec = Static<typeof Spec>;
export type PodUnavailableBudgetStatus = Static<typeof Status>;

export const PodUnavailableBudgetV1alpha1 = struct('v1alpha1.PodUnavailableBudget', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(StatusV1alpha1),
});
export type PodUnavailableBudgetV1alpha1 = Static<typeof PodUnavailableBudgetV1alpha1>;

const columns: readonly Column[] = [
  {
    name: 'Allowed',
    type: 'integer',
    jsonPath: '.status.unavailableAllowed',
    doc: 'Pods that may become unavailable.',
  },
  { name: 'Current', type: 'integer', jsonPath: '.status.currentAvailable', doc: 'Pods that are available.' },
  { name: 'Desired', type: 'integer', jsonPath: '.status.desiredAvailable', doc: 'Pods that must stay available.' },
  { name: 'Total', type: 'integer', jsonPath: '.status.totalReplicas', doc: 'Pods that are expected.' },
];

export const description: KindDescription = {
  group: POLICY_GROUP,
  kind: 'PodUnavailableBudget',
  plural: 'podunavailablebudgets',
  shortNames: ['pub'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/podunavailablebudget/schema.ts',
  doc: 'PodUnavailableBudget limits how many pods of an application are made unavailable at once by voluntary actions.',
  versions: [
    { name: 'v1alpha1', schema: PodUnavailableBudgetV1alpha1, columns },
    { name: 'v1beta1', schema: PodUnavailableBudget, columns },
  ],
};
