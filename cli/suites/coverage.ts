// Which policy objects the cases touched, and by which branch: every policy object has one in which it acts and one in
// which it does not, each for reasons that explanations name.

import type { JsonObject } from '../../api/core/json.ts';
import type { Explanation } from '../admission.ts';
import { table } from '../output.ts';
import { isNamespaced, kindNameOf, nameOf, namespaceOf, textOf } from '../resources.ts';
import type { CaseResult } from './run.ts';

/** A policy object and the reasons of its branches, with the number of cases. */
type Covered = { kind: string; name: string; acts: Map<string, number>; leaves: Map<string, number> };

export type Coverage = {
  objects: readonly Covered[];
  /** Branches that some case took, and all branches. */
  taken: number;
  all: number;
};

/** Kinds that are asked by features of pods, not by objects: they are not what a suite covers. */
const FEATURES: ReadonlySet<string> = new Set(['ContainerLaunchPriority', 'EnhancedLivenessProbe']);

const POLICY_KINDS: ReadonlySet<string> = new Set([
  'SidecarSet',
  'PodUnavailableBudget',
  'WorkloadSpread',
  'PersistentPodState',
  'PodProbeMarker',
]);

/** What the cases covered; those that failed count too. */
export function coverageOf(results: readonly CaseResult[]): Coverage {
  const objects = new Map<string, Covered>();
  for (const { case: one, observation } of results) {
    if (observation === undefined) continue;
    for (const { object } of one.objects) if (isPolicy(object)) entryOf(objects, placeOf(object));
    for (const one of observation.explanations ?? []) if (!FEATURES.has(one.kind)) note(objects, one);
    for (const { kind, name, namespace = '' } of observation.effects) {
      note(objects, { kind, name, namespace, matched: true, reason: 'StatusWritten' });
    }
    const budget = denyingBudget(observation.outcome.answer);
    if (budget !== undefined)
      note(objects, { kind: 'PodUnavailableBudget', ...budget, matched: true, reason: 'Denied' });
  }
  const rows = [...objects.values()];
  const taken = rows.reduce((sum, { acts, leaves }) => sum + (acts.size > 0 ? 1 : 0) + (leaves.size > 0 ? 1 : 0), 0);
  return { objects: rows, taken, all: rows.length * 2 };
}

type Noted = Pick<Explanation, 'kind' | 'name' | 'namespace' | 'matched' | 'reason'>;

function note(objects: Map<string, Covered>, { matched, reason, ...about }: Noted): void {
  const { acts, leaves } = entryOf(objects, about);
  const branch = matched ? acts : leaves;
  branch.set(reason, (branch.get(reason) ?? 0) + 1);
}

type About = { kind: string; name: string; namespace?: string };

function entryOf(objects: Map<string, Covered>, { kind, name, namespace = '' }: About): Covered {
  const fullName = namespace === '' ? name : `${namespace}/${name}`;
  const key = `${kind} ${fullName}`;
  const covered = objects.get(key) ?? { kind, name: fullName, acts: new Map(), leaves: new Map() };
  objects.set(key, covered);
  return covered;
}

function isPolicy(object: JsonObject): boolean {
  const { group, kind } = kindNameOf(object);
  return group.endsWith('.kruise.io') && POLICY_KINDS.has(kind);
}

function placeOf(object: JsonObject): About {
  const kind = kindNameOf(object);
  const namespace = isNamespaced(kind) ? namespaceOf(object) || 'default' : '';
  return { kind: kind.kind, name: nameOf(object), namespace };
}

// A denial by a budget says so to the audit log.
function denyingBudget({ response }: JsonObject): { namespace: string; name: string } | undefined {
  const annotations = (response as JsonObject | undefined)?.auditAnnotations as JsonObject | undefined;
  const [namespace = '', name] = textOf(annotations?.budget).split('/');
  return name === undefined ? undefined : { namespace, name };
}

/** A table, and below it the share of branches. */
export function coverageText({ objects, taken, all }: Coverage): string {
  const rows = objects.map(({ kind, name, acts, leaves }) => [kind, name, reasons(acts), reasons(leaves)]);
  const share = all === 0 ? 100 : Math.floor((100 * taken) / all);
  return `${table(['KIND', 'NAME', 'ACTS', 'LEAVES-ALONE'], rows)}coverage: ${share}% (${taken} of ${all} branches)\n`;
}

function reasons(branch: ReadonlyMap<string, number>): string {
  const texts = [...branch].map(([reason, count]) => (count === 1 ? reason : `${reason} x${count}`));
  return texts.length === 0 ? '<never>' : texts.join(', ');
}

export function coverageJson({ objects, taken, all }: Coverage): JsonObject {
  return {
    branches: { taken, all },
    objects: objects.map(({ kind, name, acts, leaves }) => ({
      kind,
      name,
      acts: Object.fromEntries(acts),
      leavesAlone: Object.fromEntries(leaves),
    })),
  };
}
