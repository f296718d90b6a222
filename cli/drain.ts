// `sluice explain drain NODE`: which pods a drain of the node evicts, and which budgets hold others.

import { InputError } from '../component/errors.ts';
import { type Manifest, readManifests } from '../component/manifests.ts';
import { liveObjects } from './cluster.ts';
import { drainPreview, type Fate, type PodFate } from './drain/preview.ts';
import { EXIT, type Host } from './host.ts';
import { observedCluster } from './observed.ts';
import { type ColorMode, table } from './output.ts';
import { renderJson, renderYaml } from './render.ts';

export type DrainOptions = {
  objects: readonly string[];
  kubeconfig?: string;
  context?: string;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  output: 'table' | 'wide' | 'json' | 'yaml';
  color: ColorMode;
};

const FATES: readonly Fate[] = ['passes', 'waits', 'blocked', 'stays'];

/** Exits with 1 if a pod is blocked. Throws InputError, and what the cluster's client throws. */
export async function runDrain(host: Host, node: string, options: DrainOptions): Promise<number> {
  const live = await readLive(host, node, options);
  const nowMs = options.now ?? host.now();
  const together = await observedCluster(host, options, live);
  const alone = await observedCluster(host, options, live);
  const fates = drainPreview(live, { node, nowMs, together, alone });
  if (fates.length === 0 && options.objects.length > 0) {
    throw new InputError(`no pod has spec.nodeName ${JSON.stringify(node)}`, { file: options.objects.join(', ') });
  }
  host.stdout.write(textOf(node, fates, options.output));
  const counts = FATES.map((fate) => `${fate}: ${fates.filter((one) => one.fate === fate).length}`);
  host.stderr.write(`${counts.join(', ')}\n`);
  return fates.some(({ fate }) => fate === 'blocked') ? EXIT.denied : EXIT.allowed;
}

async function readLive(host: Host, node: string, options: DrainOptions): Promise<Manifest[]> {
  const { objects, kubeconfig, context, systemNamespace } = options;
  if (objects.length > 0) return await readManifests(objects, { stdin: host.stdin });
  const cluster = await host.connect({ kubeconfig, context });
  const nodes = await cluster.list('v1', 'Node', { fieldSelector: `metadata.name=${node}` });
  if (nodes.length === 0) throw new InputError(`the cluster has no node ${JSON.stringify(node)}`);
  return await liveObjects(cluster, {
    namespace: undefined,
    systemNamespace,
    podSelector: `spec.nodeName=${node}`,
    also: [{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }],
  });
}

function textOf(node: string, fates: readonly PodFate[], output: DrainOptions['output']): string {
  const value = { node, pods: fates.map((fate) => ({ ...fate })) };
  if (output === 'json') return `${renderJson(value, 2)}\n`;
  if (output === 'yaml') return renderYaml(value);
  const rows = fates.map(({ namespace, pod, fate, budget, message }) => [namespace, pod, fate, budget, message]);
  return fates.length === 0 ? '' : table(['NAMESPACE', 'POD', 'RESULT', 'BUDGET', 'MESSAGE'], rows);
}
