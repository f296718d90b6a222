// The spec of an Advanced StatefulSet (apps.kruise.io/v1beta1), which UnitedDeployment embeds; members in Go's order
// (advanced-statefulset 1.1, 1.5).
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
import { InPlaceUpdateStrategy, PodLifecycle, PriorityStrategy } from './update-strategies.ts';
import { PersistentVolumeClaim } from './volumes.ts';

const RollingUpdate = struct('v1beta1.RollingUpdateStatefulSetStrategy', {
  partition: pointer(int32(), 'How many pods keep the old revision; 0 if absent.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable during the update; 1 if absent. More needs policy Parallel.',
  ),
  podUpdatePolicy: optional(
    text('v1beta1.PodUpdateStrategyType'),
    'ReCreate, InPlaceIfPossible or InPlaceOnly; ReCreate if absent.',
  ),
  paused: optional(boolean(), 'Stops the update.'),
  unorderedUpdate: pointer(
    struct('v1beta1.UnorderedUpdateStrategy', {
      priorityStrategy: pointer(PriorityStrategy, 'Which pods are updated first.'),
    }),
    'Updates pods in another order than that of their ordinals; needs policy Parallel.',
  ),
  inPlaceUpdateStrategy: pointer(InPlaceUpdateStrategy, 'How pods are updated in place.'),
  minReadySeconds: pointer(int32(), 'Seconds, up to 300, that a pod must be ready before it counts as available.'),
});
export type StatefulSetRollingUpdate = Static<typeof RollingUpdate>;

/** The members up to volumeClaimTemplates, which v1alpha1 has in the same way. */
export const statefulSetPods = {
  replicas: pointer(int32(), 'How many pods are wanted, reserved ordinals not counted; 1 if absent.'),
  selector: nullable(LabelSelector, 'The pods of the set, by labels that the template has; cannot be changed.'),
  template: always(PodTemplateSpec, 'Template of the pods.', { schemaless: true, required: true, keepUnknown: true }),
  volumeClaimTemplates: optional(list(PersistentVolumeClaim), 'Claims that every pod gets for itself.', {
    schemaless: true,
    keepUnknown: true,
  }),
};

/** The members from serviceName to revisionHistoryLimit, which v1alpha1 has in the same way. */
export const statefulSetUpdates = {
  serviceName: optional(text(), "Service that governs the pods' names in the network; cannot be changed."),
  podManagementPolicy: optional(
    text('v1.PodManagementPolicyType'),
    'OrderedReady or Parallel; OrderedReady if absent. Cannot be changed.',
  ),
  updateStrategy: always(
    struct('v1beta1.StatefulSetUpdateStrategy', {
      type: optional(text('v1.StatefulSetUpdateStrategyType'), 'RollingUpdate or OnDelete; RollingUpdate if absent.'),
      rollingUpdate: pointer(RollingUpdate, 'How pods are updated with type RollingUpdate.'),
    }),
    'How pods are updated.',
  ),
  revisionHistoryLimit: pointer(int32(), 'How many old revisions are kept; 10 if absent.'),
};

const claimPolicy = text('v1beta1.PersistentVolumeClaimRetentionPolicyType');

export const AdvancedStatefulSetSpec = struct('v1beta1.StatefulSetSpec', {
  ...statefulSetPods,
  volumeClaimUpdateStrategy: always(
    struct('v1beta1.VolumeClaimUpdateStrategy', {
      type: optional(
        text('v1beta1.VolumeClaimUpdateStrategyType'),
        'OnDelete or OnPodRollingUpdate, which expands the claims of a pod before its update; OnDelete if absent.',
      ),
    }),
    'How claims follow changes of their templates.',
    { filled: true },
  ),
  ...statefulSetUpdates,
  reserveOrdinals: optional(list(intOrString()), 'Ordinals that get no pod: numbers, or ranges such as 3-5.'),
  lifecycle: pointer(PodLifecycle, 'Hooks that hold pods back before changes.'),
  scaleStrategy: pointer(
    struct('v1beta1.StatefulSetScaleStrategy', {
      maxUnavailable: pointer(
        intOrString(),
        'Number or percentage of pods that may be unavailable while pods are added; needs policy Parallel.',
      ),
    }),
    'How pods are added.',
  ),
  persistentVolumeClaimRetentionPolicy: pointer(
    struct('v1beta1.StatefulSetPersistentVolumeClaimRetentionPolicy', {
      whenDeleted: optional(claimPolicy, 'Whether claims go with the set: Retain or Delete; Retain if absent.'),
      whenScaled: optional(claimPolicy, 'Whether claims go with their pods: Retain or Delete; Retain if absent.'),
    }),
    'What becomes of claims that are no longer needed.',
  ),
  ordinals: pointer(
    struct('v1beta1.StatefulSetOrdinals', {
      start: required(int32(), 'Ordinal of the first pod.', { required: false }),
    }),
    'Where ordinals start.',
  ),
});
export type AdvancedStatefulSetSpec = Static<typeof AdvancedStatefulSetSpec>;
