// What a reconcile of ResourceDistribution does: make the copies right, delete those that are in no target any more, and
// tell in which namespaces that did not work (resourcedistribution 3.3 to 3.5).

import { equalJson, type Json } from '../../api/core/json.ts';
import type { FailedEffect, Plan, PlannedEffect } from '../../kube/plan.ts';
import { statusUpdate } from '../shared/status.ts';
import { copyFor, isFixed, isOwnCopy, isUpToDate } from './copy.ts';
import { type Failure, statusAfter } from './report.ts';
import { DISTRIBUTIONS, type State } from './state.ts';

/** What is to be done in a namespace, or why nothing can be done there. */
type Step = { readonly namespace: string; readonly effect?: PlannedEffect; readonly failure?: Failure['type'] };

export function plan(state: State, now: number): Plan {
  const targets = new Set(state.targets);
  const steps = [
    ...state.targets.map((namespace) => distribute(state, namespace)),
    ...[...state.namespaces]
      .filter((namespace) => !targets.has(namespace))
      .sort()
      .map((namespace) => clean(state, namespace)),
  ];
  const effects = steps.flatMap(({ effect }) => effect ?? []);
  return {
    groups: effects.length > 0 ? [effects] : [],
    report: (failures) => {
      const failed = steps.flatMap((step) => failureOf(step, failures) ?? []);
      const status = statusAfter(state, failed, now);
      const isSame = equalJson(status as Json, (state.distribution.status ?? {}) as Json);
      return isSame ? undefined : statusUpdate(DISTRIBUTIONS, state.distribution, status);
    },
  };
}

function distribute({ distribution, distributed, namespaces, copies }: State, namespace: string): Step {
  if (!namespaces.has(namespace)) return { namespace, failure: 'NamespaceNotExists' };
  const copy = copies.get(namespace);
  const { resource } = distributed;
  const object = copyFor(namespace, distributed, distribution, copy);
  if (copy === undefined) return { namespace, effect: { type: 'create', resource, object } };
  if (!isOwnCopy(copy, distribution)) return { namespace, failure: 'ConflictOccurred' };
  if (isUpToDate(copy, object)) return { namespace };
  // One that cannot be changed is created again once it is gone.
  return isFixed(copy, object)
    ? { namespace, effect: { type: 'delete', resource, reference: copy.metadata, uid: copy.metadata.uid } }
    : { namespace, effect: { type: 'update', resource, object } };
}

function clean({ distribution, distributed: { resource }, copies }: State, namespace: string): Step {
  const copy = copies.get(namespace);
  if (copy === undefined || !isOwnCopy(copy, distribution)) return { namespace };
  return { namespace, effect: { type: 'delete', resource, reference: copy.metadata, uid: copy.metadata.uid } };
}

const FAILURES = {
  create: 'CreateResourceFailed',
  update: 'UpdateResourceFailed',
  delete: 'DeleteResourceFailed',
} as const;

function failureOf({ namespace, effect, failure }: Step, failures: readonly FailedEffect[]): Failure | undefined {
  if (failure !== undefined) return { namespace, type: failure };
  const failed = failures.find((one) => one.effect === effect);
  if (effect === undefined || failed === undefined || !Object.hasOwn(FAILURES, effect.type)) return undefined;
  const type = FAILURES[effect.type as keyof typeof FAILURES];
  return { namespace, type, reason: failed.error instanceof Error ? failed.error.message : String(failed.error) };
}
