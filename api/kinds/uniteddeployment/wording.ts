// The words of UnitedDeployment's field errors, those of OpenKruise, since users match on them.
import type { SubsetTemplate } from './templates.ts';

type TemplateName = keyof SubsetTemplate;

const members = 'statefulSetTemplate, advancedStatefulSetTemplate, cloneSetTemplate, or deploymentTemplate';

export const wording = {
  // Selector and templates.
  selectorChanged:
    'spec.selector: the workloads of the subsets keep the selector that they were made with and cannot follow',
  selectorEmpty: 'empty selector is invalid for statefulset',
  noTemplate: `should provide one of ${members}`,
  manyTemplates: `should provide only one of ${members}`,
  labelsUnselected: '`selector` does not match template `labels`',
  replicasUnused: (template: TemplateName) => `replicas in ${template} will not be used`,
  partitionUnused: (template: TemplateName) => `partition in ${template} will not be used`,
  statefulSetImmutable:
    "updates to statefulsetTemplate spec for fields other than 'template', 'updateStrategy', " +
    "'persistentVolumeClaimRetentionPolicy', 'minReadySeconds' and 'ordinals' are forbidden",
  advancedStatefulSetImmutable:
    "updates to advancedStatefulSetTemplate spec for fields other than 'template' and 'updateStrategy' are forbidden",

  // Rules of StatefulSets.
  oneOf: (first: string, second: string) => `must be '${first}' or '${second}'`,
  onlyFor: (type: string) => `only allowed for updateStrategy '${type}'`,
  not0: 'cannot be 0',
  deadlineOfStatefulSet: 'activeDeadlineSeconds in StatefulSet is not Supported',
  deadlineOfReplicaSet: 'activeDeadlineSeconds in ReplicaSet is not Supported',
  deadlineOfCloneSet: 'activeDeadlineSeconds in CloneSet is not Supported',

  // Amounts of subsets.
  negative: (amount: number) => `subset replicas (${amount}) should not be less than 0`,
  percentOfUnknown: (amount: string) =>
    `subsetReplicas (${amount}) should not be string when unitedDeployment replicas is empty`,
  notPercent: (amount: string) =>
    `subset replicas (${amount}) only support integer value or percentage value with a suffix '%'`,
  notInteger: (amount: string) => `subset replicas (${amount}) should be correct percentage integer`,
  percentRange: (amount: string) => `subset replicas (${amount}) should be in range [0, 100]`,
  leastAboveMost: (index: number) => `subset[${index}].minReplicas must be less than or equal to maxReplicas`,
  twoStyles: 'subset.Replicas and subset.MinReplicas/subset.MaxReplicas are mutually exclusive in a UnitedDeployment',
  totalUnknown: 'replicas must be provided if subsets have minReplicas or maxReplicas',
  nothingUnlimited: 'at least one subset.maxReplicas must be empty',
  leastSumAboveMost: (least: number, most: number) =>
    `sum of minReplicas ${least} should not be greater than sum of maxReplicas ${most}`,
  sumAboveTotal: (sum: number, total: number) =>
    `sum of indicated subset replicas ${sum} should not be greater than UnitedDeployment replicas ${total}`,
  sumNotTotal: (sum: number, total: number) =>
    `if replicas of all subsets are provided, the sum of indicated subset replicas ${sum} should equal UnitedDeployment replicas ${total}`,
  replicasMissing: 'if UnitedDeployment replicas is not provided, replicas of all subsets should be provided',

  // Subsets.
  statefulReservation: 'only stateless workloads (Deployment and CloneSet) are supported by reserved rescheduling',
  replicasOfAdaptive: 'specify replicas use minReplicas/maxReplicas to enable adaptive strategy',
  nameTwice: (name: string) => `duplicated subset name ${name}`,
  name: (reason: string) => `invalid subset name ${reason}`,
  noSuchSubset: (name: string) => `subset ${name} does not exist`,
  immutable: 'may not be changed in an update',
} as const;
