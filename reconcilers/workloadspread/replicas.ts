// How many replicas the workload of a spread has, where the spread or the operator says by which paths to find that
// (workloadspread 1.2 and 5.3).

import { isObject, type Json } from '../../api/core/json.ts';
import { StatusError } from '../../component/errors.ts';

/** The integers at these paths, together. Throws StatusError (Invalid) naming a path that leads to none. */
export function replicasAt(workload: Json, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + numberAt(workload, path), 0);
}

/** The integer at a path: names of members, and indexes of arrays, between dots. An empty path leads to 0. */
function numberAt(workload: Json, path: string): number {
  if (path === '') return 0;
  const found = valueAt(workload, path);
  if (typeof found === 'number' && Number.isSafeInteger(found)) return found;
  throw new StatusError(422, 'Invalid', `the workload has no integer at the path ${JSON.stringify(path)}`);
}

/** What is at a path; undefined if it leads to nothing. */
export function valueAt(workload: Json, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(step, workload);
}

function step(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}
