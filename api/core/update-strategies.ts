// Parts of the workloads' specs that say how pods are updated: order, in-place updates, hooks of the pods' lifecycle.
// Members stand in Go's order.
import { LabelSelector } from './meta.ts';
import {
  boolean,
  int32,
  intOrString,
  list,
  map,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from './schema.ts';

/** Which pods are updated first. */
export const PriorityStrategy = struct('pub.UpdatePriorityStrategy', {
  orderPriority: optional(
    list(
      struct('pub.UpdatePriorityOrderTerm', {
        orderedKey: required(text(), 'Label whose value ends in the number that pods are ordered by.'),
      }),
    ),
    'Labels to order by, the first that a pod has counts.',
  ),
  weightPriority: optional(
    list(
      struct('pub.UpdatePriorityWeightTerm', {
        weight: required(int32(), 'Weight from 0 to 100 of pods that match.'),
        matchSelector: required(LabelSelector, 'Which pods have the weight.'),
      }),
    ),
    'Weights to order by: the greatest sum first.',
  ),
});

/** Labels whose pods are spread over the whole update. */
export const ScatterStrategy = list(
  struct('v1beta1.CloneSetUpdateScatterTerm', {
    key: required(text(), 'Label key.'),
    value: required(text(), 'Label value.'),
  }),
);

export const InPlaceUpdateStrategy = struct('pub.InPlaceUpdateStrategy', {
  gracePeriodSeconds: optional(int32(), 'Seconds between a pod becoming not ready and the change of its spec.'),
  imagePreDownloadParallelism: pointer(intOrString(), 'How many nodes pull new images beforehand at once.'),
  imagePreDownloadTimeoutSeconds: pointer(int32(), 'Seconds that pulling an image beforehand may take.'),
  imagePreDownloadMinUpdatedReadyPods: pointer(
    int32(),
    'How many updated pods must be ready before new images are pulled beforehand.',
  ),
});
export type InPlaceUpdateStrategy = Static<typeof InPlaceUpdateStrategy>;

const LifecycleHook = struct('pub.LifecycleHook', {
  labelsHandler: optional(map(text()), 'Labels that hold a pod back while it has them.'),
  finalizersHandler: optional(list(text()), 'Finalizers that hold a pod back while it has them.'),
  markPodNotReady: optional(boolean(), 'Whether a pod that is held back is marked as not ready.'),
});

export const PodLifecycle = struct('pub.Lifecycle', {
  preDelete: pointer(LifecycleHook, 'What holds a pod back before it is deleted.'),
  inPlaceUpdate: pointer(LifecycleHook, 'What holds a pod back before it is updated in place.'),
  preNormal: pointer(LifecycleHook, 'What a new pod must have before it counts as available.'),
});
export type PodLifecycle = Static<typeof PodLifecycle>;
