// The spec of a CloneSet (apps.kruise.io/v1beta1), which UnitedDeployment embeds; members in Go's order (cloneset 1.2).
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
  type Static,
  struct,
  text,
} from './schema.ts';
import { InPlaceUpdateStrategy, PodLifecycle, PriorityStrategy, ScatterStrategy } from './update-strategies.ts';
import { PersistentVolumeClaim } from './volumes.ts';

/** Members that v1alpha1 has in the same way, up to scaleStrategy. */
export const cloneSetPods = {
  replicas: pointer(int32(), 'How many pods are wanted; 1 if absent.'),
  selector: nullable(LabelSelector, 'The pods of the set, by labels that the template has; cannot be changed.'),
  template: always(PodTemplateSpec, 'Template of the pods.', { schemaless: true, required: true, keepUnknown: true }),
  volumeClaimTemplates: optional(list(PersistentVolumeClaim), 'Claims that every pod gets for itself.', {
    schemaless: true,
    keepUnknown: true,
  }),
};

/** Members of scaleStrategy that v1alpha1 has in the same way. */
export const cloneSetScaling = {
  podsToDelete: optional(list(text()), 'Names of pods that are deleted first.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable while pods are added; no limit if absent.',
  ),
};

/** Members that v1alpha1 has in the same way, from revisionHistoryLimit on. */
export const cloneSetRest = {
  revisionHistoryLimit: pointer(int32(), 'How many old revisions are kept; 10 if absent.'),
  minReadySeconds: optional(int32(), 'Seconds that a pod must be ready before it counts as available.'),
  lifecycle: pointer(PodLifecycle, 'Hooks that hold pods back before changes.'),
  progressDeadlineSeconds: pointer(int32(), 'Seconds after which an update without progress is reported as failed.'),
};

const RollingUpdate = struct('v1beta1.RollingUpdateCloneSetStrategy', {
  partition: pointer(intOrString(), 'Number or percentage of pods that keep the old revision; 0 if absent.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable during the update; 20% if absent.',
  ),
  maxSurge: pointer(
    intOrString(),
    'Number or percentage of pods that may exist beyond replicas during the update; 0 if absent.',
  ),
  podUpdatePolicy: optional(
    text('v1beta1.CloneSetPodUpdateStrategyType'),
    'ReCreate, InPlaceIfPossible or InPlaceOnly; ReCreate if absent.',
  ),
  paused: optional(boolean(), 'Stops the update.'),
  priorityStrategy: pointer(PriorityStrategy, 'Which pods are updated first.'),
  scatterStrategy: optional(ScatterStrategy, 'Labels whose pods are spread over the whole update.'),
  inPlaceUpdateStrategy: pointer(InPlaceUpdateStrategy, 'How pods are updated in place.'),
});
export type CloneSetRollingUpdate = Static<typeof RollingUpdate>;

export const CloneSetSpec = struct('v1beta1.CloneSetSpec', {
  ...cloneSetPods,
  scaleStrategy: always(
    struct('v1beta1.CloneSetScaleStrategy', {
      ...cloneSetScaling,
      enablePVCReuse: optional(boolean(), 'Whether a pod that replaces a deleted one takes over its claims.', {
        default: false,
      }),
      excludePreparingDelete: optional(
        boolean(),
        'Whether pods that are held back before deletion do not count as replicas.',
      ),
    }),
    'How pods are added and removed.',
    // The API server fills in defaults below it.
    { filled: true },
  ),
  updateStrategy: always(
    struct('v1beta1.CloneSetUpdateStrategy', {
      type: optional(text('v1beta1.CloneSetUpdateStrategyType'), 'RollingUpdate or OnDelete; RollingUpdate if absent.'),
      rollingUpdate: pointer(RollingUpdate, 'How pods are updated with type RollingUpdate.'),
    }),
    'How pods are updated.',
  ),
  ...cloneSetRest,
});
export type CloneSetSpec = Static<typeof CloneSetSpec>;
