// `sluice diff`: which live pods changed policies would change, and how. Writes nothing.

import type { JsonObject } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { type Manifest, objectsOf, readDocuments, readManifests } from '../component/manifests.ts';
import { printable } from '../component/printable.ts';
import { type BudgetChange, budgetChanges } from './changes/budget-changes.ts';
import { isChanged } from './changes/changed-policies.ts';
import { asWritten, type PodChange, podChange, replacing } from './changes/pod-changes.ts';
import { liveObjects } from './cluster.ts';
import { exemptionOf } from './exemption.ts';
import { EXIT, type Host } from './host.ts';
import { type Observed, observedCluster } from './observed.ts';
import { type ColorMode, type Colors, colorDiff, colorsFor, showWarning, table } from './output.ts';
import { isActive, isPod } from './pods.ts';
import { renderJson } from './render.ts';
import { namespaceOf } from './resources.ts';
import { readGates, requireOneReader, stateOf } from './state.ts';

export type DiffOptions = {
  objects: readonly string[];
  against: readonly string[];
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  output: 'table' | 'diff' | 'json';
  color: ColorMode;
};

/** Pods of one group that are named in a diff. */
const NAMES_MOST = 5;

/** Exits with 1 if something changes, as `kubectl diff` does. Throws InputError, and what the cluster's client throws. */
export async function runDiff(host: Host, options: DiffOptions): Promise<number> {
  requireOneReader({ filename: options.against, objects: options.objects });
  const colors = colorsFor(host.stderr, options.color, host.environment);
  const changed = (await readManifests(options.objects, { stdin: host.stdin })).map(asWritten);
  if (changed.length === 0) throw new InputError('holds no object', { file: options.objects.join(', ') });
  const live = await readLive(host, options);
  const nowMs = options.now ?? host.now();
  const before = await observedCluster(host, options, live);
  for (const warning of before.state.warnings) showWarning(host, warning, colors);
  // What a user wrote is checked as it is; then it stands where the live object stood.
  const after = await observedCluster(host, options, live);
  stateOf(after.state.admission, changed);
  const stored = changed.map((one) => replacing(one, before.state.find(one.object)));
  const known = stateOf(after.state.admission, stored);
  const find = (object: JsonObject) => known.find(object) ?? before.state.find(object);
  const gates = readGates(options.featureGates);
  const edited = objects(changed).filter((object) => isChanged(object, before.state.find(object), gates));
  const comparing = { before, after: { ...after, state: { ...after.state, find } }, nowMs, changed: edited };
  const pods = live.filter((one) => isOfInterest(one, before, options));
  const changes = pods.flatMap((pod) => podChange(pod, comparing) ?? []);
  const budgets = budgetChanges(objects(stored), objects(live), before.state.find);
  host.stdout.write(textOf(changes, budgets, options.output, colorsFor(host.stdout, options.color, host.environment)));
  const summary = `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'} looked at, ${changes.length} would change`;
  host.stderr.write(`${summary}\n`);
  return changes.length === 0 && budgets.length === 0 ? EXIT.allowed : EXIT.denied;
}

async function readLive(host: Host, options: DiffOptions): Promise<Manifest[]> {
  const { against, kubeconfig, context, namespace, systemNamespace } = options;
  if (against.length > 0) {
    const documents = await readDocuments(against, { stdin: host.stdin });
    // An empty list is a cluster without pods; nothing at all is a slip.
    if (documents.length === 0) throw new InputError('holds no object', { file: against.join(', ') });
    return documents.flatMap(objectsOf);
  }
  return await liveObjects(await host.connect({ kubeconfig, context }), { namespace, systemNamespace });
}

function isOfInterest({ object }: Manifest, { state }: Observed, { namespace, systemNamespace }: DiffOptions): boolean {
  if (!isPod(object) || !isActive(object)) return false;
  const own = namespaceOf(object) || 'default';
  if (namespace !== undefined && own !== namespace) return false;
  const request = { resource: { group: '', resource: 'pods' }, namespace: own };
  return exemptionOf({ request }, state, systemNamespace) === undefined;
}

function objects(manifests: readonly Manifest[]): JsonObject[] {
  return manifests.map(({ object }) => object);
}

function textOf(
  changes: readonly PodChange[],
  budgets: readonly BudgetChange[],
  output: DiffOptions['output'],
  colors: Colors,
): string {
  if (output === 'json') {
    const value = { pods: changes.map(podJson), budgets: budgets.map(budgetJson) };
    return `${renderJson(value, 2)}\n`;
  }
  const tables = `${changesTable(changes)}${budgetsTable(budgets, changes.length > 0)}`;
  return output === 'table' ? tables : `${diffsOf(changes, colors)}${budgetsTable(budgets, changes.length > 0)}`;
}

function podJson({ changes, ...rest }: PodChange): JsonObject {
  return { ...rest, changes: changes.map((change) => ({ ...change })) };
}

function budgetJson({ before, after, ...rest }: BudgetChange): JsonObject {
  return { ...rest, before: before ?? null, after };
}

function changesTable(changes: readonly PodChange[]): string {
  if (changes.length === 0) return '';
  const rows = changes.flatMap(({ namespace, pod, changes: all }) =>
    all.length === 0
      ? [[namespace, pod, '<none>', '<none>', '<none>', 'when recreated']]
      : all.map(({ kind, name, before, after, when }) => [namespace, pod, `${kind} ${name}`, before, after, when]),
  );
  return table(['NAMESPACE', 'POD', 'POLICY', 'NOW', 'CHANGED', 'WHEN'], rows);
}

function budgetsTable(budgets: readonly BudgetChange[], isBelow: boolean): string {
  if (budgets.length === 0) return '';
  const rows = budgets.map(({ name, pods, available, before, after }) => [
    name,
    String(pods),
    String(available),
    `${before?.desired ?? '<none>'} -> ${after.desired}`,
    `${before?.allowed ?? '<none>'} -> ${after.allowed}`,
  ]);
  return `${isBelow ? '\n' : ''}${table(['BUDGET', 'PODS', 'AVAILABLE', 'DESIRED', 'ALLOWED'], rows)}`;
}

// Pods of one workload mostly change alike: each difference is shown once.
function diffsOf(changes: readonly PodChange[], colors: Colors): string {
  const groups = new Map<string, PodChange[]>();
  for (const change of changes.filter(({ diff }) => diff !== '')) {
    const key = JSON.stringify([change.namespace, change.owner, change.diff]);
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  const texts = [...groups.values()].map((group) => `${headOf(group)}\n${colorDiff(group[0]?.diff ?? '', colors)}`);
  return texts.join('\n');
}

function headOf(group: readonly PodChange[]): string {
  const [first] = group;
  if (first === undefined) return '';
  const names = group.slice(0, NAMES_MOST).map(({ pod }) => pod);
  const rest = group.length - names.length;
  const more = rest === 0 ? '' : ` and ${rest} more`;
  const owner = first.owner === '' ? '' : ` of ${first.owner}`;
  const count = `${group.length} ${group.length === 1 ? 'pod' : 'pods'}`;
  return printable(`# ${count}${owner} in ${first.namespace}: ${names.join(', ')}${more}`);
}
