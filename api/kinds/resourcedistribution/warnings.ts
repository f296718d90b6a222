// What is said about a ResourceDistribution that is admitted although not all of it has an effect (resourcedistribution 6).
import type { JsonObject } from '../../core/json.ts';
import type { ResourceDistribution } from './schema.ts';
import { wording } from './wording.ts';

/** Namespaces that never get a copy, whatever the targets say. */
const SYSTEM_NAMESPACES = ['kube-system', 'kube-public'];

/** The warnings about an object in v1beta1 form that validation has nothing against. */
export function warnResourceDistribution(object: JsonObject): string[] {
  const included = (object as ResourceDistribution).spec?.targets.includedNamespaces?.list ?? [];
  const names = SYSTEM_NAMESPACES.filter((name) => included.some((namespace) => namespace.name === name));
  return names.map(wording.neverTarget);
}
