// Puts what was added to a pod into the expected order, where the recorded order is one of many.
import type { Json, JsonObject } from '../../../api/core/json.ts';

const LISTS = ['containers', 'initContainers', 'volumes', 'imagePullSecrets'];

/**
 * The pod `got`, with added containers, volumes and pull secrets ordered as in `expected`. Items that `original` has
 * keep their places, and nothing moves from one side of such an item to the other.
 */
export function alignUnordered(expected: JsonObject, got: JsonObject, original: JsonObject): JsonObject {
  const spec = { ...specOf(got) };
  for (const list of LISTS) {
    const [wanted, found, own] = [specOf(expected)[list], spec[list], specOf(original)[list]];
    if (!Array.isArray(wanted) || !Array.isArray(found)) continue;
    spec[list] = align(wanted, found, new Set((Array.isArray(own) ? own : []).map(nameOf)));
  }
  return { ...got, spec };
}

function align(wanted: readonly Json[], found: readonly Json[], own: ReadonlySet<string>): Json[] {
  const [expectedRuns, runs] = [runsBetween(wanted, own), runsBetween(found, own)];
  return runs.flatMap((run, index) => {
    const order = (expectedRuns[index]?.added ?? []).map(nameOf);
    const place = (item: Json) => (order.includes(nameOf(item)) ? order.indexOf(nameOf(item)) : order.length);
    const added = run.added.toSorted((one, other) => place(one) - place(other));
    return run.own === undefined ? added : [...added, run.own];
  });
}

type Run = { added: Json[]; own?: Json };

/** The list cut behind each item that the pod had itself. */
function runsBetween(items: readonly Json[], own: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  let added: Json[] = [];
  for (const item of items) {
    if (own.has(nameOf(item))) {
      runs.push({ added, own: item });
      added = [];
    } else {
      added.push(item);
    }
  }
  return [...runs, { added }];
}

function specOf(pod: JsonObject): JsonObject {
  return (pod.spec ?? {}) as JsonObject;
}

function nameOf(item: Json): string {
  return String((item as JsonObject).name);
}
