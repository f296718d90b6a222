// Gives the memory of dropped module instances back to the system. V8 frees it with the instance, but does not count
// it: a program that makes little other garbage would keep one dead instance after the other.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees what nothing refers to any more. Takes some milliseconds. */
export function reclaim(): void {
  collect ??= collector();
  collect();
}

/** The collector is handed out to new contexts while a flag is set. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return gc;
}
