// Gives memory that is not used any more back to the system: of dropped module instances, which V8 frees with the instance
// but does not count, and of what was read once. A program that makes little other garbage would keep it for long.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (how?: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

let collector: Collect | undefined;

/** Frees what nothing refers to any more. Takes some milliseconds. */
export function reclaim(): void {
  collector ??= collectorOfV8();
  collector();
}

/** As `reclaim`, and gives back what V8 keeps for later: also that of threads that have ended. Takes a tenth of a second. */
export function reclaimAll(): void {
  collector ??= collectorOfV8();
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** The collector is handed out to new contexts while a flag is set. */
function collectorOfV8(): Collect {
  setFlagsFromString('--expose-gc');
  const gc: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return gc;
}
