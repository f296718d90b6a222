// The registry of kinds: everything that handles any kind looks it up here.
import { advancedCronJob } from './advancedcronjob/kind.ts';
import { broadcastJob } from './broadcastjob/kind.ts';
import { cloneSet } from './cloneset/kind.ts';
import { containerRecreateRequest } from './containerrecreaterequest/kind.ts';
import { daemonSet } from './daemonset/kind.ts';
import { ephemeralJob } from './ephemeraljob/kind.ts';
import { imageListPullJob } from './imagelistpulljob/kind.ts';
import { imagePullJob } from './imagepulljob/kind.ts';
import type { Kind } from './kind.ts';
import { nodeImage } from './nodeimage/kind.ts';
import { nodePodProbe } from './nodepodprobe/kind.ts';
import { persistentPodState } from './persistentpodstate/kind.ts';
import { podProbeMarker } from './podprobemarker/kind.ts';
import { podUnavailableBudget } from './podunavailablebudget/kind.ts';
import { resourceDistribution } from './resourcedistribution/kind.ts';
import { sidecarSet } from './sidecarset/kind.ts';
import { statefulSet } from './statefulset/kind.ts';
import { unitedDeployment } from './uniteddeployment/kind.ts';
import { workloadSpread } from './workloadspread/kind.ts';

/** All kinds, in the order of the reference pages. */
export const kinds: readonly Kind[] = [
  advancedCronJob,
  broadcastJob,
  cloneSet,
  containerRecreateRequest,
  daemonSet,
  ephemeralJob,
  imageListPullJob,
  imagePullJob,
  nodeImage,
  nodePodProbe,
  persistentPodState,
  podProbeMarker,
  podUnavailableBudget,
  resourceDistribution,
  sidecarSet,
  statefulSet,
  unitedDeployment,
  workloadSpread,
];

const byGroupAndKind: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
const byResource: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [`${kind.group}/${kind.plural}`, kind]));

/** The kind of a group, whatever the version. */
export function findKind(group: string, kind: string): Kind | undefined {
  return byGroupAndKind.get(`${group}/${kind}`);
}

/** The kind of a resource, e.g. `apps.kruise.io`, `sidecarsets`. */
export function findResource(group: string, plural: string): Kind | undefined {
  return byResource.get(`${group}/${plural}`);
}
