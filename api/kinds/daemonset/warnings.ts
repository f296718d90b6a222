// What is said about an Advanced DaemonSet that is admitted, since OpenKruise has no rule against it, though nothing will come
// of it (advanced-daemonset 8.17).
import type { JsonObject } from '../../core/json.ts';
import { selectorFault } from '../../core/selector.ts';
import type { DaemonSet } from './schema.ts';
import { wording } from './wording.ts';

/** The warnings about a set of either version that validation has nothing against. */
export function warnDaemonSet(object: JsonObject): string[] {
  const { burstReplicas = 1, updateStrategy } = (object as DaemonSet).spec ?? {};
  const warnings: string[] = [];
  const isSomething = typeof burstReplicas === 'number' ? burstReplicas > 0 : /^0*[1-9]\d*%$/.test(burstReplicas);
  if (!isSomething) warnings.push(wording.nothingBursts(burstReplicas));
  const { selector } = updateStrategy?.rollingUpdate ?? {};
  const fault = selector === undefined ? undefined : selectorFault(selector);
  if (fault !== undefined) warnings.push(wording.selectorUnusable(fault));
  return warnings;
}
