// The kind Advanced DaemonSet (DaemonSet of apps.kruise.io), described once: names, versions, columns, and every member
// with its documentation, in Go's order (advanced-daemonset 1).
import { LabelSelector, objectHead } from '../../core/meta.ts';
import { PodTemplateSpec } from '../../core/pod.ts';
import {
  always,
  boolean,
  int32,
  int64,
  intOrString,
  list,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../core/schema.ts';
import { PodLifecycle } from '../../core/update-strategies.ts';
import { APPS_GROUP } from '../../names.ts';
import { AGE, POD_TEMPLATE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

const rollingUpdate = (version: string, types: string) =>
  struct(`${version}.RollingUpdateDaemonSet`, {
    rollingUpdateType: optional(text(`${version}.RollingUpdateType`), `${types}; Standard if absent.`),
    maxUnavailable: pointer(
      intOrString(),
      'Number or percentage of nodes whose pod may be unavailable during the update; 1 if maxSurge is absent too.',
    ),
    maxSurge: pointer(
      intOrString(),
      'Number or percentage of nodes that may run the old and the new pod at once; excludes maxUnavailable.',
    ),
    selector: pointer(LabelSelector, 'Nodes whose pods are updated, by labels; all if absent.'),
    partition: pointer(intOrString(), 'Number or percentage of nodes that keep the old revision; 0 if absent.'),
    paused: pointer(boolean(), 'Stops the update.'),
  });

const updateStrategy = (version: string, types: string) =>
  always(
    struct(`${version}.DaemonSetUpdateStrategy`, {
      type: optional(
        text(`${version}.DaemonSetUpdateStrategyType`),
        'RollingUpdate or OnDelete; RollingUpdate if absent.',
      ),
      rollingUpdate: pointer(rollingUpdate(version, types), 'How pods are updated with type RollingUpdate.'),
    }),
    'How pods are updated.',
  );

const pods = {
  selector: nullable(LabelSelector, 'The pods of the set, by labels that the template has; cannot be changed.'),
  template: always(PodTemplateSpec, 'Template of the pods, one on every node that fits.', {
    schemaless: true,
    required: true,
    keepUnknown: true,
  }),
};
const rest = {
  minReadySeconds: optional(int32(), 'Seconds that a pod must be ready before it counts as available.'),
  burstReplicas: pointer(
    intOrString(),
    'Number or percentage of pods that are created or deleted at once; 250 if absent.',
  ),
  revisionHistoryLimit: pointer(int32(), 'How many old revisions are kept; 10 if absent.'),
  lifecycle: pointer(PodLifecycle, 'Hooks that hold pods back before changes; inPlaceUpdate is not supported.'),
};

const Spec = struct('v1beta1.DaemonSetSpec', {
  ...pods,
  updateStrategy: updateStrategy('v1beta1', 'Standard or InPlaceIfPossible'),
  ...rest,
  scaleStrategy: pointer(
    struct('v1beta1.DaemonSetScaleStrategy', {
      partitionedScaling: pointer(boolean(), 'Whether the partition also limits how many pods are created.'),
    }),
    'How pods are created.',
  ),
});
const SpecV1alpha1 = struct('v1alpha1.DaemonSetSpec', {
  ...pods,
  updateStrategy: updateStrategy('v1alpha1', 'Standard, Surging or InPlaceIfPossible'),
  ...rest,
});

const Condition = struct('v1.DaemonSetCondition', {
  type: required(text('v1.DaemonSetConditionType'), 'What the condition is about.'),
  status: required(text('v1.ConditionStatus'), 'True, False or Unknown.'),
  lastTransitionTime: nullable(time(), 'When the status last changed.', { required: false }),
  reason: optional(text(), 'A word for the reason of the last change.'),
  message: optional(text(), 'A sentence about the last change.'),
});

const counters = {
  currentNumberScheduled: required(int32(), 'Nodes that run a pod and should.'),
  numberMisscheduled: required(int32(), 'Nodes that run a pod and should not.'),
  desiredNumberScheduled: required(int32(), 'Nodes that should run a pod.'),
  numberReady: required(int32(), 'Of these, nodes whose pod is ready.'),
  observedGeneration: optional(int64(), 'Generation that this status is about.'),
  updatedNumberScheduled: required(int32(), 'Nodes whose pod has the latest revision.'),
  numberAvailable: optional(int32(), 'Nodes whose pod has been ready for minReadySeconds.'),
  numberUnavailable: optional(int32(), 'Nodes that should have such a pod and have none.'),
  collisionCount: pointer(int32(), 'How often a name for a ControllerRevision was already taken.'),
  conditions: optional(list(Condition), 'Conditions of the set.'),
};
const hash = optional(text(), 'Hash of the latest ControllerRevision.');

export const DaemonSet = struct('v1beta1.DaemonSet', {
  ...objectHead,
  spec: always(Spec),
  status: always(struct('v1beta1.DaemonSetStatus', { ...counters, updateRevision: hash })),
});
export type DaemonSet = Static<typeof DaemonSet>;

export const DaemonSetV1alpha1 = struct('v1alpha1.DaemonSet', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(struct('v1alpha1.DaemonSetStatus', { ...counters, daemonSetHash: hash })),
});
export type DaemonSetV1alpha1 = Static<typeof DaemonSetV1alpha1>;

const columns: readonly Column[] = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.status.desiredNumberScheduled', doc: 'Nodes that should run a pod.' },
  {
    name: 'CURRENT',
    type: 'integer',
    jsonPath: '.status.currentNumberScheduled',
    doc: 'Nodes that run a pod and should.',
  },
  { name: 'READY', type: 'integer', jsonPath: '.status.numberReady', doc: 'Nodes whose pod is ready.' },
  {
    name: 'UP-TO-DATE',
    type: 'integer',
    jsonPath: '.status.updatedNumberScheduled',
    doc: 'Nodes whose pod has the latest revision.',
  },
  { name: 'AVAILABLE', type: 'integer', jsonPath: '.status.numberAvailable', doc: 'Nodes whose pod is available.' },
  AGE,
  ...POD_TEMPLATE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['daemon', 'ads'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/daemonset/schema.ts',
  doc: 'DaemonSet runs one pod on every node that fits, and updates them in steps, by surge or in place.',
  versions: [
    { name: 'v1alpha1', schema: DaemonSetV1alpha1, columns },
    { name: 'v1beta1', schema: DaemonSet, columns },
  ],
};
