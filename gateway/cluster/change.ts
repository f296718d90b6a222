// A change of a policy object in the cluster, as it is handed to evaluators, in this thread or another.

import type { JsonObject } from '../../api/core/json.ts';
import type { Evaluator, ObjectReference } from '../evaluation.ts';

export type ClusterChange =
  | { readonly set: JsonObject }
  /** `resourceVersion`: as of which it is gone. */
  | { readonly gone: ObjectReference; readonly resourceVersion: string }
  /** The API server's data were put back to an earlier state: its versions begin anew. */
  | { readonly restored: true };

/** Hands the change on. Throws InputError when an object cannot be used; then the one before does not count either. */
export function applyClusterChange(evaluator: Evaluator, change: ClusterChange): void {
  if ('set' in change) evaluator.apply(change.set);
  else if ('restored' in change) evaluator.restored?.();
  else evaluator.remove(change.gone, change.resourceVersion);
}
