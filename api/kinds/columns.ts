// What `kubectl get` and the scale sub-resource show alike of several kinds.
import type { Column, VersionDescription } from './kind.ts';

export const AGE: Column = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Of kinds with a pod template; shown with `-o wide`. */
export const POD_TEMPLATE: readonly Column[] = [
  {
    name: 'CONTAINERS',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].name',
    doc: 'Names of the containers.',
    priority: 1,
  },
  {
    name: 'IMAGES',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].image',
    doc: 'Images of the containers.',
    priority: 1,
  },
];

/** Of workloads with `spec.replicas`, `status.replicas` and the selector as text. */
export const SCALE: NonNullable<VersionDescription['scale']> = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
};
