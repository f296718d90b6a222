// The kind NodePodProbe, described once: names, version, and every member with its documentation (podprobemarker 1.2).
// The manager writes its spec, the daemon of the node its status; users only read it.
import { objectHead } from '../../core/meta.ts';
import { ContainerProbe } from '../../core/pod-probe.ts';
import { always, list, optional, required, struct, text, time } from '../../core/schema.ts';
import { APPS_GROUP } from '../../names.ts';
import type { KindDescription } from '../kind.ts';

const podName = required(text(), 'Name of the pod.');
const podNamespace = required(text(), 'Namespace of the pod.');
const podUid = required(text(), 'UID of the pod.');
const probeName = required(text(), 'Names of the PodProbeMarker and of the probe, with # between them.');

const PodProbe = struct('v1alpha1.PodProbe', {
  name: podName,
  namespace: podNamespace,
  uid: podUid,
  IP: required(text(), 'Address of the pod.'),
  probes: optional(
    list(
      struct('v1alpha1.ContainerProbe', {
        name: probeName,
        containerName: required(text(), 'Container in which the probe runs.'),
        probe: required(ContainerProbe, 'What is run, and how often.'),
      }),
    ),
    'The probes to run in the pod.',
  ),
});

const PodProbeStatus = struct('v1alpha1.PodProbeStatus', {
  name: podName,
  namespace: podNamespace,
  uid: podUid,
  probeStates: optional(
    list(
      struct('v1alpha1.ContainerProbeState', {
        name: probeName,
        state: required(text('v1alpha1.ProbeState'), 'The result: Succeeded, Failed or Unknown.'),
        lastProbeTime: always(time(), 'When the result was last seen.'),
        lastTransitionTime: always(time(), 'When the result last changed.'),
        message: optional(text(), 'What the probe printed or why it failed, cut to 1024 bytes.'),
      }),
    ),
    'The results of its probes.',
  ),
});

const NodePodProbe = struct('v1alpha1.NodePodProbe', {
  ...objectHead,
  spec: always(
    struct('v1alpha1.NodePodProbeSpec', {
      podProbes: optional(list(PodProbe), 'Pods of the node that are probed.'),
    }),
  ),
  status: always(
    struct('v1alpha1.NodePodProbeStatus', {
      podProbeStatuses: optional(list(PodProbeStatus), 'What came out, pod by pod.'),
    }),
  ),
});

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'NodePodProbe',
  plural: 'nodepodprobes',
  scope: 'Cluster',
  storage: 'v1alpha1',
  source: 'api/kinds/nodepodprobe/schema.ts',
  doc: 'NodePodProbe lists the probes that the daemon of a node runs, and their results.',
  versions: [{ name: 'v1alpha1', schema: NodePodProbe, columns: [] }],
};
