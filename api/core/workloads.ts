// Specs of the platform's own workloads (apps/v1 of Kubernetes 1.32), members in Go's order.
import { LabelSelector } from './meta.ts';
import { PodTemplateSpec } from './pod.ts';
import {
  always,
  boolean,
  int32,
  intOrString,
  list,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from './schema.ts';
import { PersistentVolumeClaim } from './volumes.ts';

export const StatefulSetSpec = struct('v1.StatefulSetSpec', {
  replicas: pointer(int32()),
  selector: nullable(LabelSelector),
  template: always(PodTemplateSpec),
  volumeClaimTemplates: optional(list(PersistentVolumeClaim)),
  serviceName: required(text()),
  podManagementPolicy: optional(text('v1.PodManagementPolicyType')),
  updateStrategy: always(
    struct('v1.StatefulSetUpdateStrategy', {
      type: optional(text('v1.StatefulSetUpdateStrategyType')),
      rollingUpdate: pointer(
        struct('v1.RollingUpdateStatefulSetStrategy', {
          partition: pointer(int32()),
          maxUnavailable: pointer(intOrString()),
        }),
      ),
    }),
  ),
  revisionHistoryLimit: pointer(int32()),
  minReadySeconds: optional(int32()),
  persistentVolumeClaimRetentionPolicy: pointer(
    struct('v1.StatefulSetPersistentVolumeClaimRetentionPolicy', {
      whenDeleted: optional(text('v1.PersistentVolumeClaimRetentionPolicyType')),
      whenScaled: optional(text('v1.PersistentVolumeClaimRetentionPolicyType')),
    }),
  ),
  ordinals: pointer(struct('v1.StatefulSetOrdinals', { start: required(int32()) })),
});
export type StatefulSetSpec = Static<typeof StatefulSetSpec>;

export const DeploymentSpec = struct('v1.DeploymentSpec', {
  replicas: pointer(int32()),
  selector: nullable(LabelSelector),
  template: always(PodTemplateSpec),
  strategy: always(
    struct('v1.DeploymentStrategy', {
      type: optional(text('v1.DeploymentStrategyType')),
      rollingUpdate: pointer(
        struct('v1.RollingUpdateDeployment', {
          maxUnavailable: pointer(intOrString()),
          maxSurge: pointer(intOrString()),
        }),
      ),
    }),
  ),
  minReadySeconds: optional(int32()),
  revisionHistoryLimit: pointer(int32()),
  paused: optional(boolean()),
  progressDeadlineSeconds: pointer(int32()),
});
export type DeploymentSpec = Static<typeof DeploymentSpec>;
