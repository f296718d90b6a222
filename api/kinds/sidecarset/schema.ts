// The kind SidecarSet, described once: names, versions, columns, and every member with its documentation. Types, CRD and
// reference page come from here; members stand in the order in which others serialise them (sidecarset 1 and 2).
import { Container, LocalObjectReference, ObjectFieldSelector } from '../../core/containers.ts';
import { LabelSelector, objectHead } from '../../core/meta.ts';
import {
  always,
  boolean,
  choice,
  hidden,
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
} from '../../core/schema.ts';
import { Volume } from '../../core/volumes.ts';
import { APPS_GROUP } from '../../names.ts';
import { AGE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

export const TransferEnv = struct('v1beta1.TransferEnvVar', {
  sourceContainerName: optional(text(), 'Container of the pod to copy from.'),
  sourceContainerNameFrom: pointer(
    struct('v1beta1.SourceContainerNameSource', {
      fieldRef: pointer(
        ObjectFieldSelector,
        "Label or annotation of the pod, `metadata.labels['K']` or `metadata.annotations['K']`, that names it.",
      ),
    }),
    'Where the name of the container to copy from is read, instead of sourceContainerName.',
  ),
  envName: optional(text(), 'Name of one variable to copy.'),
  envNames: optional(list(text()), 'Names of more variables to copy.'),
});
export type TransferEnv = Static<typeof TransferEnv>;

const resourceExpressions = (what: string) =>
  struct('v1beta1.ResourceExpr', {
    cpu: optional(text(), `Expression for the CPU ${what}; the variable is cpu.`),
    memory: optional(text(), `Expression for the memory ${what}; the variable is memory.`),
  });

const ResourcesPolicy = struct('v1beta1.ResourcesPolicy', {
  targetContainersMode: required(
    choice('v1beta1.TargetContainersModeType', 'sum', 'max'),
    'Whether the variable of an expression is the sum or the greatest of the target containers.',
  ),
  targetContainersNameRegex: optional(
    text(),
    'Which containers of the pod are looked at, by name; a pod without any is refused.',
    { default: '.*' },
  ),
  resourcesExpr: required(
    struct('v1beta1.ResourcesExpr', {
      limits: pointer(resourceExpressions('limit'), 'Expressions for limits.'),
      requests: pointer(resourceExpressions('request'), 'Expressions for requests.'),
    }),
    'Expressions with + - * / max() min() and percentages, from which the resources of the sidecar are computed.',
  ),
});

const UpgradeStrategy = struct('v1beta1.SidecarContainerUpgradeStrategy', {
  upgradeType: optional(
    text('v1beta1.SidecarContainerUpgradeType'),
    'ColdUpgrade replaces the image in place; HotUpgrade switches between two containers. ColdUpgrade if absent.',
  ),
  hotUpgradeEmptyImage: optional(text(), 'Image of the idle container of a hot upgrade.'),
});

const shareVolumePolicy = {
  type: optional(text('v1beta1.ShareVolumePolicyType'), 'enabled or disabled.'),
};

export const SidecarContainer = struct(
  'v1beta1.SidecarContainer',
  {
    ...hidden(Container.fields),
    podInjectPolicy: optional(
      text('v1beta1.PodInjectPolicyType'),
      'Whether the container goes before or behind those of the pod: BeforeAppContainer or AfterAppContainer.',
    ),
    upgradeStrategy: always(UpgradeStrategy, 'How the container is upgraded in running pods.'),
    shareVolumePolicy: always(
      struct('v1beta1.ShareVolumePolicy', shareVolumePolicy),
      "Whether the container also gets the volume mounts of the pod's containers.",
    ),
    shareVolumeDevicePolicy: pointer(
      struct('v1beta1.ShareVolumePolicy', shareVolumePolicy),
      "Whether the container also gets the volume devices of the pod's containers.",
    ),
    transferEnv: optional(list(TransferEnv), "Environment variables copied from the pod's containers."),
    resourcesPolicy: pointer(ResourcesPolicy, 'Resources computed from those of the pod; excludes resources.'),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
);
export type SidecarContainer = Static<typeof SidecarContainer>;

const PriorityStrategy = struct('v1beta1.UpdatePriorityStrategy', {
  orderPriority: optional(
    list(
      struct('v1beta1.UpdatePriorityOrderTerm', {
        orderedKey: required(text(), 'Label whose value ends in the number that pods are ordered by.'),
      }),
    ),
    'Labels to order by, the first that a pod has counts.',
  ),
  weightPriority: optional(
    list(
      struct('v1beta1.UpdatePriorityWeightTerm', {
        weight: required(int32(), 'Weight from 1 to 100 of pods that match.'),
        matchSelector: required(LabelSelector, 'Which pods have the weight.'),
      }),
    ),
    'Weights to order by: the greatest sum first.',
  ),
});

const UpdateStrategy = struct('v1beta1.SidecarSetUpdateStrategy', {
  type: optional(text('v1beta1.SidecarSetUpdateStrategyType'), 'RollingUpdate or NotUpdate; RollingUpdate if absent.'),
  paused: optional(boolean(), 'Stops the upgrade of running pods.'),
  selector: pointer(LabelSelector, 'Upgrades only these pods, and chooses pods for injectionStrategy.revision.'),
  partition: pointer(intOrString(), 'Number or percentage of pods that keep the old version; 0 if absent.'),
  maxUnavailable: pointer(
    intOrString(),
    'Number or percentage of pods that may be unavailable during the upgrade; 1 if absent.',
  ),
  priorityStrategy: pointer(PriorityStrategy, 'Which pods are upgraded first.'),
  scatterStrategy: optional(
    list(
      struct('v1beta1.UpdateScatterTerm', {
        key: required(text(), 'Label key.'),
        value: required(text(), 'Label value.'),
      }),
    ),
    'Labels whose pods are spread over the whole upgrade.',
  ),
});

const InjectionStrategy = struct('v1beta1.SidecarSetInjectionStrategy', {
  paused: optional(boolean(), 'Stops injection into new pods.'),
  revision: pointer(
    struct('v1beta1.SidecarSetInjectRevision', {
      customVersion: pointer(text(), 'Injects the revision with this custom version.'),
      revisionName: pointer(text(), 'Injects the ControllerRevision of this name; wins over customVersion.'),
      policy: optional(
        choice('v1beta1.SidecarSetInjectRevisionPolicy', 'Always', 'Partial'),
        'Always injects this revision; Partial only into pods that the update strategy leaves behind.',
        { default: 'Always' },
      ),
    }),
    'Injects a former revision instead of the latest.',
  ),
});

const PatchPodMetadata = struct('v1beta1.SidecarSetPatchPodMetadata', {
  annotations: optional(map(text()), 'Annotations for the pod.'),
  patchPolicy: optional(
    text('v1beta1.SidecarSetPatchPolicyType'),
    'Retain keeps values that the pod has, Overwrite replaces them, MergePatchJson merges JSON; Retain if absent.',
  ),
});

const selector = pointer(LabelSelector, 'Pods that the sidecars are injected into.');
const namespaceSelector = pointer(LabelSelector, 'Namespaces of these pods; all namespaces if absent.');
const content = {
  initContainers: optional(list(SidecarContainer), 'Init containers to inject, by name in ascending order.'),
  containers: optional(list(SidecarContainer), 'Containers to inject.', { keepEmpty: true }),
  volumes: optional(list(Volume), 'Volumes that the injected containers may mount.', { schemaless: true }),
  updateStrategy: always(UpdateStrategy, 'How running pods are upgraded.'),
  injectionStrategy: always(InjectionStrategy, 'How new pods are injected.'),
  imagePullSecrets: optional(list(LocalObjectReference), 'Secrets for pulling the images.'),
  revisionHistoryLimit: pointer(int32(), 'How many revisions are kept; 10 if absent.'),
  patchPodMetadata: optional(list(PatchPodMetadata), 'Annotations to put on pods.'),
};

const Spec = struct('v1beta1.SidecarSetSpec', {
  selector,
  namespaceSelector,
  ...content,
  customVersion: optional(text(), 'Name for this version of the sidecars, to be used in injectionStrategy.revision.'),
});

const SpecV1alpha1 = struct('v1alpha1.SidecarSetSpec', {
  selector,
  namespace: optional(text(), 'The one namespace of these pods.'),
  namespaceSelector,
  ...content,
});

const Status = struct('v1beta1.SidecarSetStatus', {
  observedGeneration: optional(int64(), 'Generation that this status is about.'),
  matchedPods: required(int32(), 'Pods that carry the sidecars.'),
  updatedPods: required(int32(), 'Of these, pods that have the latest version.'),
  readyPods: required(int32(), 'Of these, pods that are ready.'),
  updatedReadyPods: optional(int32(), 'Pods that have the latest version and are ready.'),
  latestRevision: optional(text(), 'Name of the latest ControllerRevision.'),
  collisionCount: pointer(int32(), 'How often a name for a ControllerRevision was already taken.'),
});

export const SidecarSet = struct('v1beta1.SidecarSet', { ...objectHead, spec: always(Spec), status: always(Status) });
export type SidecarSet = Static<typeof SidecarSet>;
export type SidecarSetSpec = Static<typeof Spec>;

export const SidecarSetV1alpha1 = struct('v1alpha1.SidecarSet', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(Status),
});
export type SidecarSetV1alpha1 = Static<typeof SidecarSetV1alpha1>;

const columns: readonly Column[] = [
  { name: 'MATCHED', type: 'integer', jsonPath: '.status.matchedPods', doc: 'Pods that carry the sidecars.' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedPods', doc: 'Of these, pods with the latest version.' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyPods', doc: 'Of these, pods that are ready.' },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'SidecarSet',
  plural: 'sidecarsets',
  scope: 'Cluster',
  storage: 'v1beta1',
  source: 'api/kinds/sidecarset/schema.ts',
  doc: 'SidecarSet adds containers to pods at their creation and upgrades them in place.',
  versions: [
    { name: 'v1alpha1', schema: SidecarSetV1alpha1, columns },
    { name: 'v1beta1', schema: SidecarSet, columns },
  ],
};
