// Spreads with their workloads and pods, as the controller of WorkloadSpread reads them.
import type { JsonObject } from '../../../api/core/json.ts';
import type { Plan, PlannedEffect } from '../../../kube/plan.ts';
import { workloadSpread } from '../../../reconcilers/workloadspread/controller.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { lookUpIn, snapshot } from '../../support/snapshot.ts';
import { MATCHED, podOf, type SpreadParts, type SpreadPodParts, type Subset, spread } from '../../support/spreading.ts';

export const NOW = Date.parse('2026-07-02T08:00:00Z');
export const COST = 'controller.kubernetes.io/pod-deletion-cost';
export const controller = workloadSpread(SYSTEM_NAMESPACE);

/** The time so many seconds ago. */
export function ago(seconds: number): string {
  return `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** The spread `spread`; its generation is 3. */
export function spreadOf(subsets: Subset[], parts: SpreadParts & { strategy?: JsonObject } = {}): JsonObject {
  const { strategy, ...rest } = parts;
  const made = spread(subsets, { ...rest, metadata: { generation: 3, ...rest.metadata } });
  return strategy === undefined
    ? made
    : { ...made, spec: { ...(made.spec as JsonObject), scheduleStrategy: strategy } };
}

export function cloneSet(replicas: number, metadata: JsonObject = {}): JsonObject {
  const made = { name: 'web', namespace: 'shop', uid: 'uid-CloneSet-web', ...metadata };
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: made, spec: { replicas } };
}

export type RunningParts = SpreadPodParts & { ready?: boolean; phase?: string; node?: string; createdAgo?: number };

/** A pod that runs and is ready, in a subset if one is given. */
export function podIn(subset: string | undefined, name: string, parts: RunningParts = {}): JsonObject {
  const { ready = true, phase = 'Running', node = 'n1', createdAgo = 600, metadata, ...rest } = parts;
  return podOf(name, {
    ...rest,
    ...(subset === undefined ? {} : { subset }),
    metadata: { uid: `uid-${name}`, creationTimestamp: ago(createdAgo), ...metadata },
    spec: { ...(node !== '' && { nodeName: node }), ...rest.spec },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(createdAgo - 5) }],
      ...rest.status,
    },
  });
}

/** Pods `<subset>-<i>` of a subset. */
export function podsIn(subset: string, count: number, parts: RunningParts = {}, prefix = subset): JsonObject[] {
  return Array.from({ length: count }, (_, i) => podIn(subset, `${prefix}-${i}`, parts));
}

/** A Deployment `web` with ReplicaSets of these template hashes; the last one is the latest. */
export function deployment(replicas: number, ...hashes: string[]): JsonObject[] {
  const template = (image: string, labels: JsonObject) => ({
    metadata: { labels: { app: 'web', ...labels } },
    spec: { containers: [{ name: 'app', image }] },
  });
  const selector = { matchLabels: { app: 'web' } };
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-Deployment-web', controller: true };
  const sets = hashes.map((hash) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${hash}`,
      uid: `uid-ReplicaSet-web-${hash}`,
      labels: { app: 'web', 'pod-template-hash': hash },
      ownerReferences: [owner],
    },
    spec: { replicas: 1, selector, template: template(hash, { 'pod-template-hash': hash }) },
  }));
  const spec = { replicas, selector, template: template(hashes.at(-1) ?? '', {}) };
  return [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec }, ...sets];
}

/** Parts of a pod of one of these ReplicaSets. */
export function ofHash(hash: string): RunningParts {
  return { owner: ['ReplicaSet', `web-${hash}`, 'apps/v1'], labels: { app: 'web', 'pod-template-hash': hash } };
}

export function node(name: string, labels: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, namespace: '', labels }, spec };
}

/** What the controller plans for the spread `spread`. */
export function planFor(objects: readonly JsonObject[], now = NOW): Plan {
  const reader = snapshot(controller, objects);
  const state = controller.fetch(reader, { namespace: 'shop', name: 'spread' }, lookUpIn(objects));
  return state === undefined ? { groups: [] } : controller.plan(state, now);
}

export function effectsIn<Type extends PlannedEffect['type']>(plan: Plan, type: Type) {
  return plan.groups.flat().filter((effect): effect is Extract<PlannedEffect, { type: Type }> => effect.type === type);
}

export type StatusIn = {
  observedGeneration?: number;
  subsetStatuses?: SubsetIn[];
  versionedSubsetStatuses?: Record<string, SubsetIn[]>;
};
export type SubsetIn = { name: string; replicas: number; missingReplicas: number; [member: string]: unknown };

/** The status that a plan writes. */
export function statusIn(plan: Plan): StatusIn | undefined {
  return effectsIn(plan, 'update')[0]?.object.status as StatusIn | undefined;
}

/** Of each subset `[name, replicas, missingReplicas]`: over all versions, or of one. */
export function countsIn(plan: Plan, version?: string): unknown[] {
  const status = statusIn(plan);
  const subsets = version === undefined ? status?.subsetStatuses : status?.versionedSubsetStatuses?.[version];
  return (subsets ?? []).map(({ name, replicas, missingReplicas }) => [name, replicas, missingReplicas]);
}

/** The deletion costs that a plan sets, by pod. */
export function costsIn(plan: Plan): Record<string, unknown> {
  return Object.fromEntries(
    effectsIn(plan, 'patch').flatMap(({ reference, patch }) => {
      const { annotations = {} } = patch.metadata as { annotations?: JsonObject };
      return COST in annotations ? [[reference.name, annotations[COST]]] : [];
    }),
  );
}

/** The metadata that a plan gives to adopted pods, without their uid, and the subset that it names. */
export function adoptedIn(plan: Plan): Record<string, { subset: string } & JsonObject> {
  return Object.fromEntries(
    effectsIn(plan, 'patch').flatMap(({ reference, patch }) => {
      const { uid: _uid, annotations = {}, ...more } = patch.metadata as { uid?: string; annotations?: JsonObject };
      const { [MATCHED]: text, ...others } = annotations as Record<string, string>;
      if (text === undefined) return [];
      const kept = Object.keys(others).length > 0 ? { annotations: others } : {};
      return [[reference.name, { subset: JSON.parse(text).subset, ...more, ...kept }]];
    }),
  );
}
