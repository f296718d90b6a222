// Which namespaces a ResourceDistribution is about (resourcedistribution 3.2).

import type { DeepReadonly } from '../../api/core/json.ts';
import { isEmptySelector, matchesSelector } from '../../api/core/selector.ts';
import type { ResourceDistribution } from '../../api/kinds/resourcedistribution/schema.ts';

/** Never targets, whatever names them. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public']);

export type Targets = DeepReadonly<NonNullable<NonNullable<ResourceDistribution['spec']>['targets']>>;

type Labels = { readonly [key: string]: string } | undefined;

/** Is an existing namespace with these labels a target? */
export function isTarget(targets: Targets, name: string, labels: Labels): boolean {
  if (SYSTEM_NAMESPACES.has(name) || namesIn(targets.excludedNamespaces).includes(name)) return false;
  const { allNamespaces, namespaceSelector } = targets;
  if (allNamespaces === true) return true;
  const isSelected =
    namespaceSelector !== undefined &&
    !isEmptySelector(namespaceSelector) &&
    matchesSelector(namespaceSelector, labels);
  return isSelected || namesIn(targets.includedNamespaces).includes(name);
}

/** All targets, by name: namespaces that exist, by their labels, and those that are named and do not. */
export function targetsOf(targets: Targets, namespaces: ReadonlyMap<string, Labels>): readonly string[] {
  const missing = targets.allNamespaces === true ? [] : namesIn(targets.includedNamespaces);
  const names = new Set([...namespaces.keys(), ...missing]);
  return [...names].filter((name) => isTarget(targets, name, namespaces.get(name))).sort();
}

function namesIn(list: Targets['includedNamespaces']): readonly string[] {
  return (list?.list ?? []).flatMap(({ name = '' }) => (name === '' ? [] : [name]));
}
