// The status of a ResourceDistribution: how many namespaces have the resource, and what went wrong in which
// (resourcedistribution 3.5).

import { timestamp } from '../shared/pod.ts';
import type { State, Status } from './state.ts';

/** In the order in which the conditions stand. */
const TYPES = [
  'GetResourceFailed',
  'CreateResourceFailed',
  'UpdateResourceFailed',
  'DeleteResourceFailed',
  'ConflictOccurred',
  'NamespaceNotExists',
] as const;

export type Failure = { readonly namespace: string; readonly type: (typeof TYPES)[number]; readonly reason?: string };

const REASONS: { readonly [type: string]: string } = {
  ConflictOccurred:
    'a resource with the same namespace, group, version, kind and name exists and belongs to somebody else',
  NamespaceNotExists: 'namespace not found or is terminating',
};

export function statusAfter({ distribution, targets }: State, failures: readonly Failure[], now: number): Status {
  const { generation: observedGeneration } = distribution.metadata;
  const wrong = new Set(failures.map(({ namespace }) => namespace));
  const failed = targets.filter((namespace) => wrong.has(namespace)).length;
  return {
    ...(targets.length > 0 && { desired: targets.length }),
    ...(targets.length > failed && { succeeded: targets.length - failed }),
    ...(failed > 0 && { failed }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    conditions: TYPES.map((type) => {
      const own = failures.filter((failure) => failure.type === type);
      return conditionOf(type, own, distribution.status?.conditions ?? [], now);
    }),
  };
}

type Conditions = NonNullable<Status['conditions']>;

function conditionOf(type: string, failures: readonly Failure[], old: Conditions, now: number): Conditions[number] {
  const before = old.find((condition) => condition.type === type);
  const isTrue = failures.length > 0;
  const status = isTrue ? 'True' : 'False';
  const isKept = before?.status === status && (before.lastTransitionTime ?? null) !== null;
  return {
    type,
    status,
    lastTransitionTime: isKept ? (before.lastTransitionTime ?? null) : timestamp(now),
    reason: isTrue ? (failures.at(-1)?.reason ?? REASONS[type] ?? '') : 'Succeeded',
    ...(isTrue && { failedNamespaces: failures.map(({ namespace }) => namespace) }),
  };
}
