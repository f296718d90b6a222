// The kinds of workloads that the operator lists besides StatefulSets (persistentpodstate 1.4).
import {
  type CustomWorkload,
  customWorkloadFields,
  customWorkloadList,
  customWorkloads,
} from '../../core/custom-workloads.ts';
import type { JsonObject } from '../../core/json.ts';
import { struct } from '../../core/schema.ts';
import { PERSISTENTPODSTATE_WORKLOADS_KEY } from '../../names.ts';

const WorkloadList = customWorkloadList(
  'configuration.PPSWatchCustomWorkloadWhiteList',
  struct('schema.GroupVersionKind', customWorkloadFields),
);

/** What ConfigMap kruise-configuration lists; a text says why the list cannot be read. */
export function listedWorkloads(configMap: JsonObject | undefined): readonly CustomWorkload[] | string {
  return customWorkloads(configMap, PERSISTENTPODSTATE_WORKLOADS_KEY, WorkloadList);
}
