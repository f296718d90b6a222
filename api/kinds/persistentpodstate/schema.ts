// The kind PersistentPodState, described once: names, versions, and every member with its documentation
// (persistentpodstate 1). The versions differ in the name of the list of keys and in what their schemas check.
import { objectHead } from '../../core/meta.ts';
import {
  always,
  choice,
  type Field,
  type Fields,
  int32,
  int64,
  list,
  map,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from '../../core/schema.ts';
import { APPS_GROUP } from '../../names.ts';
import type { KindDescription } from '../kind.ts';

const targetReference = (version: string) =>
  struct(`${version}.TargetReference`, {
    apiVersion: required(text(), 'API version of the workload; it cannot be changed.'),
    kind: required(text(), 'Kind of the workload: StatefulSet, or one that the operator has listed.'),
    name: required(text(), 'Name of the workload, in the namespace of this object.'),
  });

const annotations = (version: string) =>
  optional(
    list(struct(`${version}.PersistentPodAnnotation`, { key: required(text(), 'Key of an annotation of the pods.') })),
    'Annotations of the pods whose values are recorded.',
  );

const requiredDoc = 'Node labels whose recorded values a pod must find again where it is created anew.';
const preferredDoc = 'Node labels whose recorded values a pod should find again, each group with a weight.';
const keys = nullable(list(text()), 'Keys of node labels.');
const preferred = <T extends Fields, W extends Field>(version: string, term: T, weight: W) =>
  optional(
    list(
      struct(`${version}.PreferredTopologyTerm`, {
        weight,
        preference: required(struct(`${version}.NodeTopologyTerm`, term), 'The labels of this group.'),
      }),
    ),
    preferredDoc,
  );
const weightDoc = 'Weight of the group, from 1 to 100.';
const retentionDoc =
  'When the record of a pod is dropped: WhenScaled, once its ordinal is out of range and the pod is gone; ' +
  'WhenDeleted, with the workload. WhenScaled if absent.';
const retentionType = 'PersistentPodStateRetentionPolicyType';

const Spec = struct('v1beta1.PersistentPodStateSpec', {
  targetRef: required(targetReference('v1beta1'), 'The workload whose pods are recorded.'),
  persistentPodAnnotations: annotations('v1beta1'),
  requiredPersistentTopology: pointer(struct('v1beta1.NodeTopologyTerm', { keys }), requiredDoc),
  preferredPersistentTopology: preferred(
    'v1beta1',
    { keys },
    required(int32(), weightDoc, { openApi: { minimum: 0 } }),
  ),
  persistentPodStateRetentionPolicy: optional(
    choice(`v1beta1.${retentionType}`, 'WhenScaled', 'WhenDeleted'),
    retentionDoc,
  ),
});

const SpecV1alpha1 = struct('v1alpha1.PersistentPodStateSpec', {
  targetRef: required(targetReference('v1alpha1'), 'The workload whose pods are recorded.'),
  persistentPodAnnotations: annotations('v1alpha1'),
  requiredPersistentTopology: pointer(struct('v1alpha1.NodeTopologyTerm', { nodeTopologyKeys: keys }), requiredDoc),
  preferredPersistentTopology: preferred('v1alpha1', { nodeTopologyKeys: keys }, required(int32(), weightDoc)),
  persistentPodStateRetentionPolicy: optional(text(`v1alpha1.${retentionType}`), retentionDoc),
});

const status = (version: string) =>
  struct(`${version}.PersistentPodStateStatus`, {
    observedGeneration: required(int64(), 'Generation that this status is about.'),
    podStates: optional(
      map(
        struct(`${version}.PodState`, {
          nodeName: optional(text(), 'Node on which the pod last became ready.'),
          nodeTopologyLabels: optional(map(text()), 'The labels of this node that the spec names.'),
          annotations: optional(map(text()), 'The annotations of the pod that the spec names.'),
        }),
      ),
      'What is recorded of each pod, by its name.',
    ),
  });

export const PersistentPodState = struct('v1beta1.PersistentPodState', {
  ...objectHead,
  spec: always(Spec),
  status: always(status('v1beta1')),
});
export type PersistentPodState = Static<typeof PersistentPodState>;
export type PersistentPodStateSpec = Static<typeof Spec>;

export const PersistentPodStateV1alpha1 = struct('v1alpha1.PersistentPodState', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(status('v1alpha1')),
});
export type PersistentPodStateV1alpha1 = Static<typeof PersistentPodStateV1alpha1>;

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'PersistentPodState',
  plural: 'persistentpodstates',
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/persistentpodstate/schema.ts',
  doc: 'PersistentPodState records where the pods of a workload ran and steers pods that are created anew back there.',
  versions: [
    { name: 'v1alpha1', schema: PersistentPodStateV1alpha1, columns: [] },
    { name: 'v1beta1', schema: PersistentPodState, columns: [] },
  ],
};
