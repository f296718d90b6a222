// Whether a node suits a pod: node selector terms and taints, as the scheduler reads them.

import type { DeepReadonly } from '../../api/core/json.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm, Toleration } from '../../api/core/pod.ts';
import { meets } from '../../api/core/selector.ts';
import type { KubeObject } from '../../kube/objects.ts';

export type Taint = { readonly key: string; readonly value?: string; readonly effect: string };

export type Node = KubeObject & {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly [member: string]: unknown };
};

/** Is every taint of the node tolerated, also those that the scheduler would only rather avoid? */
export function toleratesNode(tolerations: readonly DeepReadonly<Toleration>[], { spec }: Node): boolean {
  return (spec?.taints ?? []).every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

function tolerates({ key = '', operator = '', value = '', effect = '' }: DeepReadonly<Toleration>, taint: Taint) {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

/** Terms are alternatives; one that says nothing matches no node. */
export function matchesNode(term: DeepReadonly<NodeSelectorTerm>, { metadata }: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((requirement) => meetsOfNode(requirement, metadata.labels ?? {})) &&
    matchFields.every((requirement) => meetsOfNode(requirement, { 'metadata.name': metadata.name }))
  );
}

function meetsOfNode(
  requirement: DeepReadonly<NodeSelectorRequirement>,
  fields: Readonly<Record<string, string>>,
): boolean {
  const { key, operator, values = [] } = requirement;
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (operator === 'Gt') return integerOf(value) > integerOf(values[0]);
  if (operator === 'Lt') return integerOf(value) < integerOf(values[0]);
  return meets(requirement, fields);
}

/** NaN, which is neither greater nor less than anything, for what is no integer. */
function integerOf(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
}
