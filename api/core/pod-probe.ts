// A probe that the daemon runs, with the members of a container's own probes (podprobemarker 1). PodProbeMarker and
// NodePodProbe both hold it.
import { Probe } from './containers.ts';
import { type Static, struct } from './schema.ts';

export const ContainerProbe = struct('v1alpha1.ContainerProbeSpec', Probe.fields);
export type ContainerProbe = Static<typeof ContainerProbe>;
