// The list of kinds that PersistentPodStates and budgets have in common (persistentpodstate 1.4, podunavailablebudget 6.1).

import type { JsonObject } from '../../api/core/json.ts';
import { listedWorkloads } from '../../api/kinds/persistentpodstate/listed-workloads.ts';
import { PERSISTENTPODSTATE_WORKLOADS_KEY } from '../../api/names.ts';
import type { KindList } from '../loop/controller.ts';

/** The kinds of workloads that the operator lists, each watched by `watch`. */
export function listedWorkloadKinds(watch: KindList['watch']): KindList {
  return {
    key: PERSISTENTPODSTATE_WORKLOADS_KEY,
    read: (configMap) => listedWorkloads(configMap as JsonObject | undefined),
    watch,
  };
}
