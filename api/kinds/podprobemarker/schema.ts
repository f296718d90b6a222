// The kind PodProbeMarker, described once: names, version, and every member with its documentation (podprobemarker 1.1).
import { ExactLabelSelector, objectHead } from '../../core/meta.ts';
import { ContainerProbe } from '../../core/pod-probe.ts';
import {
  always,
  int64,
  list,
  map,
  nullable,
  optional,
  required,
  type Static,
  struct,
  text,
} from '../../core/schema.ts';
import { APPS_GROUP } from '../../names.ts';
import type { KindDescription } from '../kind.ts';

const MarkerPolicy = struct('v1alpha1.ProbeMarkerPolicy', {
  state: required(text('v1alpha1.ProbeState'), 'The result that this is for: Succeeded or Failed.'),
  labels: optional(map(text()), 'Labels that a pod with this result gets; another result takes them away.'),
  annotations: optional(map(text()), 'Annotations that a pod with this result gets; another result takes them away.'),
});

const PodContainerProbe = struct('v1alpha1.PodContainerProbe', {
  name: required(text(), 'Name of the probe, unique in this object.'),
  containerName: required(text(), 'Container in which the probe runs.'),
  probe: required(ContainerProbe, 'What is run, and how often. Nothing is filled in; grpc is not supported.'),
  markerPolicy: optional(list(MarkerPolicy), 'How pods are marked by the result.'),
  podConditionType: optional(text(), 'Type of the condition of the pod that tells the result.'),
});
export type PodContainerProbe = Static<typeof PodContainerProbe>;

const Spec = struct('v1alpha1.PodProbeMarkerSpec', {
  selector: nullable(ExactLabelSelector, 'The pods, by their labels; it cannot be changed.'),
  probes: nullable(list(PodContainerProbe), 'The probes to run.'),
});

const Status = struct('v1alpha1.PodProbeMarkerStatus', {
  observedGeneration: required(int64(), 'Generation that this status is about.'),
  matchedPods: optional(int64(), 'Pods that are probed.'),
});

const PodProbeMarker = struct('v1alpha1.PodProbeMarker', {
  ...objectHead,
  spec: always(Spec),
  status: always(Status),
});
export type PodProbeMarker = Static<typeof PodProbeMarker>;

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'PodProbeMarker',
  plural: 'podprobemarkers',
  scope: 'Namespaced',
  storage: 'v1alpha1',
  source: 'api/kinds/podprobemarker/schema.ts',
  doc: 'PodProbeMarker runs probes in containers of pods and marks the pods by the results.',
  versions: [{ name: 'v1alpha1', schema: PodProbeMarker, columns: [] }],
};
