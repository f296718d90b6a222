// The kinds of workloads that can be spread without being listed by the operator, and their pod templates as far as a
// subset's patch is tried on them (workloadspread 2.1, 2.3).
import {
  type CustomWorkload,
  customWorkloadFields,
  customWorkloadList,
  customWorkloads,
} from '../../core/custom-workloads.ts';
import type { JsonObject } from '../../core/json.ts';
import { groupOf, type TargetReference } from '../../core/references.ts';
import { list, optional, struct, text } from '../../core/schema.ts';
import { APPS_GROUP, WORKLOADSPREAD_WORKLOADS_KEY } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';

const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['CloneSet', [APPS_GROUP]],
  ['Deployment', ['apps']],
  ['ReplicaSet', ['apps']],
  ['Job', ['batch']],
  ['StatefulSet', ['apps', APPS_GROUP]],
]);

/** The groups in which a kind is well known; undefined for kinds that are not. */
export function groupsOf(kind: string): readonly string[] | undefined {
  return GROUPS.get(kind);
}

/** The workload as it is stored, if it is of a well-known kind and exists. */
export function findWorkload(
  { apiVersion = '', kind = '', name = '' }: TargetReference,
  namespace: string,
  context: ValidationContext,
): JsonObject | undefined {
  const group = groupOf(apiVersion);
  return groupsOf(kind)?.includes(group) ? context.object(group, kind, namespace, name) : undefined;
}

const WorkloadList = customWorkloadList(
  'configuration.WSCustomWorkloadWhiteList',
  struct('configuration.CustomWorkload', {
    ...customWorkloadFields,
    subResources: optional(list(struct('schema.GroupVersionKind', customWorkloadFields))),
    replicasPath: optional(text()),
  }),
);

/** A kind that the operator lists; its path leads to the number of replicas. */
export type ListedWorkload = CustomWorkload & { replicasPath?: string };

/** The kinds that ConfigMap kruise-configuration lists; a text says why the list cannot be read (workloadspread 6). */
export function listedWorkloads(configMap: JsonObject | undefined): readonly ListedWorkload[] | string {
  return customWorkloads(configMap, WORKLOADSPREAD_WORKLOADS_KEY, WorkloadList);
}
