// The template of a Job (batch/v1 of Kubernetes 1.32), members in Go's order.
import { LabelSelector, ObjectMeta } from './meta.ts';
import { PodTemplateSpec } from './pod.ts';
import {
  always,
  boolean,
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
} from './schema.ts';

const PodFailurePolicyRule = struct('v1.PodFailurePolicyRule', {
  action: required(text('v1.PodFailurePolicyAction')),
  onExitCodes: pointer(
    struct('v1.PodFailurePolicyOnExitCodesRequirement', {
      containerName: pointer(text()),
      operator: required(text('v1.PodFailurePolicyOnExitCodesOperator')),
      values: nullable(list(int32())),
    }),
  ),
  onPodConditions: optional(
    list(
      struct('v1.PodFailurePolicyOnPodConditionsPattern', {
        type: required(text('v1.PodConditionType')),
        status: required(text('v1.ConditionStatus')),
      }),
    ),
  ),
});

const SuccessPolicyRule = struct('v1.SuccessPolicyRule', {
  succeededIndexes: pointer(text()),
  succeededCount: pointer(int32()),
});

const JobSpec = struct('v1.JobSpec', {
  parallelism: pointer(int32()),
  completions: pointer(int32()),
  activeDeadlineSeconds: pointer(int64()),
  podFailurePolicy: pointer(struct('v1.PodFailurePolicy', { rules: nullable(list(PodFailurePolicyRule)) })),
  successPolicy: pointer(struct('v1.SuccessPolicy', { rules: nullable(list(SuccessPolicyRule)) })),
  backoffLimit: pointer(int32()),
  backoffLimitPerIndex: pointer(int32()),
  maxFailedIndexes: pointer(int32()),
  selector: pointer(LabelSelector),
  manualSelector: pointer(boolean()),
  template: always(PodTemplateSpec),
  ttlSecondsAfterFinished: pointer(int32()),
  completionMode: pointer(text('v1.CompletionMode')),
  suspend: pointer(boolean()),
  podReplacementPolicy: pointer(text('v1.PodReplacementPolicy')),
  managedBy: pointer(text()),
});

export const JobTemplateSpec = struct('v1.JobTemplateSpec', { metadata: always(ObjectMeta), spec: always(JobSpec) });
export type JobTemplateSpec = Static<typeof JobTemplateSpec>;
