// What a source of policy objects hands on: differences of files as a whole, changes of a cluster one by one.

import { applyClusterChange, type ClusterChange } from './cluster/change.ts';
import type { Evaluator } from './evaluation.ts';
import { applyChange, type ObjectChange } from './objects/change.ts';

/** Can be sent to another thread. */
export type SourceChange = ObjectChange | ClusterChange;

/** Takes a change over that was tried before and is known to be good. Throws otherwise. */
export function takeOver(evaluator: Evaluator, change: SourceChange): void {
  if ('remove' in change) applyChange(evaluator, change, new Map());
  else applyClusterChange(evaluator, change);
}
