// Workloads with pods, and a budget, as the controller of PodUnavailableBudget reads them.
import type { JsonObject } from '../../../api/core/json.ts';
import type { Plan, PlannedEffect } from '../../../kube/plan.ts';
import { podUnavailableBudget } from '../../../reconcilers/podunavailablebudget/controller.ts';
import { holdPolicies } from '../../support/policy-module.ts';
import { protecting, type RunningParts, running } from '../../support/protection.ts';
import { lookUpIn, snapshot } from '../../support/snapshot.ts';

export const NOW = Date.parse('2026-07-02T08:00:00Z');
export const controller = podUnavailableBudget(await holdPolicies());

/** The time so many seconds ago. */
export function ago(seconds: number): string {
  return `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** A budget that no controller has seen; its generation is 3. */
export function budget(spec: JsonObject, status?: JsonObject, metadata: JsonObject = {}): JsonObject {
  const object = protecting();
  return {
    ...object,
    metadata: { ...(object.metadata as JsonObject), generation: 3, ...metadata },
    spec,
    ...(status === undefined ? { status: {} } : { status }),
  };
}

export function target(kind: string, name = 'web', apiVersion = 'apps/v1'): JsonObject {
  return { targetRef: { apiVersion, kind, name } };
}

export const SELECTOR = { selector: { matchLabels: { app: 'web' } } };

export function reference(kind: string, name: string, apiVersion: string): JsonObject {
  return { apiVersion, kind, name, uid: `uid-${kind}-${name}`, controller: true };
}

export type Parts = { replicas?: number | null; metadata?: JsonObject; apiVersion?: string; name?: string };

/** A workload `web` whose template has label `app: web`. */
export function workload(kind: string, { replicas = 1, metadata, apiVersion = 'apps/v1', name = 'web' }: Parts = {}) {
  const selector = { matchLabels: { app: 'web' } };
  return {
    apiVersion,
    kind,
    metadata: { name, labels: { app: 'web' }, ...metadata },
    spec: { ...(replicas !== null && { replicas }), selector, template: { metadata: { labels: { app: 'web' } } } },
  } satisfies JsonObject;
}

/** Pods `<prefix>-<i>` of an owner. */
export function pods(
  count: number,
  owner: JsonObject | undefined,
  parts: RunningParts = {},
  prefix = 'web',
): JsonObject[] {
  return Array.from({ length: count }, (_, i) => {
    const { metadata, ...rest } = parts;
    const owners = owner === undefined ? {} : { ownerReferences: [owner] };
    return running({ ...rest, name: `${prefix}-${i}`, metadata: { ...owners, ...metadata } });
  });
}

/** A Deployment `web` with the ReplicaSet `web-1`, and its pods. */
export function deployment(replicas: number | null, count: number, parts: RunningParts = {}): JsonObject[] {
  const set = workload('ReplicaSet', {
    name: 'web-1',
    replicas,
    metadata: { ownerReferences: [reference('Deployment', 'web', 'apps/v1')] },
  });
  return [
    workload('Deployment', { replicas }),
    set,
    ...pods(count, reference('ReplicaSet', 'web-1', 'apps/v1'), parts),
  ];
}

/** What the controller plans for the budget `web-pub`. */
export function planFor(objects: readonly JsonObject[], now = NOW): Plan {
  const state = controller.fetch(
    snapshot(controller, objects),
    { namespace: 'shop', name: 'web-pub' },
    lookUpIn(objects),
  );
  return state === undefined ? { groups: [] } : controller.plan(state, now);
}

/** The status that a plan writes. */
export function statusIn({ status }: Plan): JsonObject | undefined {
  return status?.type === 'update' ? (status.object.status as JsonObject) : undefined;
}

/** `[totalReplicas, desiredAvailable, currentAvailable, unavailableAllowed]` that a plan writes. */
export function countersIn(plan: Plan): unknown[] {
  const status = statusIn(plan) ?? {};
  return [status.totalReplicas, status.desiredAvailable, status.currentAvailable, status.unavailableAllowed];
}

export function effectsIn<Type extends PlannedEffect['type']>(plan: Plan, type: Type) {
  return plan.groups.flat().filter((effect): effect is Extract<PlannedEffect, { type: Type }> => effect.type === type);
}
