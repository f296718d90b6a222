// `sluice uninstall-check`: whether Sluice may be taken out of a cluster, asked by the chart before it is uninstalled.

import { kinds } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { ConnectionError, StatusError } from '../component/errors.ts';
import type { ObjectReference } from '../kube/objects.ts';
import type { Cluster } from './cluster.ts';
import { EXIT, type Host } from './host.ts';

export type UninstallCheckOptions = { kubeconfig?: string; allKinds?: boolean };

/** Their pods would run on with nobody to look after them. */
const WORKLOADS = ['CloneSet', 'StatefulSet', 'DaemonSet', 'UnitedDeployment', 'BroadcastJob', 'AdvancedCronJob'];
/** Made by the controllers themselves, one for each node. */
const MACHINE_MADE = ['NodeImage', 'NodePodProbe'];
const NAMES_SHOWN = 5;

/**
 * Exits with 0 if nothing is in the way, with 1 if objects are, whose names it prints. With `allKinds` objects of every
 * kind are, else only workloads, and the rest is warned about.
 */
export async function runUninstallCheck(host: Host, { kubeconfig, allKinds }: UninstallCheckOptions): Promise<number> {
  const cluster = await host.connect({ kubeconfig });
  let isInTheWay = false;
  for (const kind of inOrder()) {
    const found = await objectsOf(cluster, kind);
    if (typeof found === 'string') {
      host.stderr.write(`error: ${kind.kind}: ${found}\n`);
      return EXIT.internal;
    }
    if (found.length === 0) continue;
    const isOfThis = allKinds === true || WORKLOADS.includes(kind.kind);
    isInTheWay ||= isOfThis;
    host.stdout.write(`${isOfThis ? 'in the way' : 'left behind'}: ${kind.plural}.${kind.group}: ${namesOf(found)}\n`);
  }
  if (!isInTheWay) return EXIT.allowed;
  host.stderr.write(
    'error: not uninstalled: delete these objects first, or let go of them with "helm uninstall --no-hooks"\n',
  );
  return EXIT.denied;
}

function inOrder(): Kind[] {
  const workloads = WORKLOADS.flatMap((name) => kinds.filter(({ kind }) => kind === name));
  return [...workloads, ...kinds.filter(({ kind }) => ![...WORKLOADS, ...MACHINE_MADE].includes(kind))];
}

/** The objects, one more than are shown, or why they could not be listed. */
async function objectsOf(cluster: Cluster, kind: Kind): Promise<readonly ObjectReference[] | string> {
  try {
    const { group, storage: version } = kind;
    const found = await cluster.list(`${group}/${version}`, kind.kind, { limit: NAMES_SHOWN + 1, metadataOnly: true });
    return found.map(({ metadata }) => metadata);
  } catch (error) {
    // Where the API server does not know the kind there is nothing of it.
    if (error instanceof StatusError && error.code === 404) return [];
    if (error instanceof StatusError || error instanceof ConnectionError) return error.message;
    throw error;
  }
}

function namesOf(found: readonly ObjectReference[]): string {
  const names = found.map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`));
  return [...names.slice(0, NAMES_SHOWN), ...(names.length > NAMES_SHOWN ? ['and more'] : [])].join(', ');
}
