// Node and pod affinity of a pod.
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
} from '../pod.ts';
import type { Field } from './field.ts';
import { validateLabelSelector } from './label-selector.ts';
import { validateLabelKey } from './metadata.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from './names.ts';
import { wording } from './wording.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const GREATEST_WEIGHT = 100;

/** All of a pod's affinity. */
export function validateAffinity(affinity: Field<Affinity | undefined>): void {
  const node = affinity.at('nodeAffinity');
  if (node.at(REQUIRED).isSet) validateRequiredTerms(node.at(REQUIRED).at('nodeSelectorTerms'));
  validatePreferredTerms(node.at(PREFERRED));
  validatePodAffinity(affinity.at('podAffinity'));
  validatePodAffinity(affinity.at('podAntiAffinity'));
}

/** Terms of which a node must meet one: at least one. */
function validateRequiredTerms(terms: Field<NodeSelectorTerm[] | null | undefined>): void {
  if (!terms.require(wording.nodeTermRequired)) return;
  for (const term of terms.items()) validateNodeSelectorTerm(term);
}

/** Weighted terms. */
export function validatePreferredTerms(terms: Field<PreferredSchedulingTerm[] | undefined>): void {
  for (const term of terms.items()) {
    validateWeight(term.at('weight'));
    validateNodeSelectorTerm(term.at('preference'), { anyValues: true });
  }
}

/** One term. `anyValues` lets values pass that are no label values, as Kubernetes does in preferred terms. */
export function validateNodeSelectorTerm(term: Field<NodeSelectorTerm>, { anyValues = false } = {}): void {
  for (const requirement of term.at('matchExpressions').items()) {
    validateNodeOperator(requirement);
    requirement.at('key').follow(qualifiedName);
    if (!anyValues) for (const value of requirement.at('values').items()) value.follow(labelValue);
  }
  for (const requirement of term.at('matchFields').items()) validateFieldRequirement(requirement);
}

function validateNodeOperator(requirement: Field<NodeSelectorRequirement>): void {
  const operator = requirement.at('operator');
  const values = requirement.at('values');
  switch (operator.value) {
    case 'In':
    case 'NotIn':
      values.require(wording.valuesRequired);
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.isSet) values.forbidden(wording.valuesForbidden);
      break;
    case 'Gt':
    case 'Lt':
      if (values.value?.length !== 1) values.required(wording.oneValueRequired);
      break;
    default:
      operator.invalid(wording.badOperator, operator.value ?? '');
  }
}

// The only field of a node that terms may name is its name.
function validateFieldRequirement(requirement: Field<NodeSelectorRequirement>): void {
  const operator = requirement.at('operator');
  const values = requirement.at('values');
  const key = requirement.at('key');
  if (operator.value !== 'In' && operator.value !== 'NotIn') {
    operator.invalid(wording.badOperator, operator.value ?? '');
  } else if (values.value?.length !== 1) {
    values.required(wording.oneFieldValueRequired);
  }
  if (key.value !== 'metadata.name') key.invalid(wording.badFieldKey, key.value ?? '');
  else for (const value of values.items()) value.follow(dnsSubdomain);
}

function validatePodAffinity(affinity: Field<PodAffinity | undefined>): void {
  for (const term of affinity.at(REQUIRED).items()) validatePodTerm(term);
  for (const term of affinity.at(PREFERRED).items()) {
    validateWeight(term.at('weight'));
    validatePodTerm(term.at('podAffinityTerm'));
  }
}

function validatePodTerm(term: Field<PodAffinityTerm>): void {
  validateLabelSelector(term.at('labelSelector'), { anyValues: true });
  validateLabelSelector(term.at('namespaceSelector'), { anyValues: true });
  for (const name of term.value?.namespaces ?? []) {
    for (const detail of dnsLabel(name)) term.place('namespace').invalid(detail, name);
  }
  validateMatchLabelKeys(term);
  term.at('topologyKey').require(wording.topologyKeyRequired);
  term.at('topologyKey').follow(qualifiedName);
}

function validateMatchLabelKeys(term: Field<PodAffinityTerm>): void {
  const selected = term.value?.labelSelector !== undefined;
  for (const keys of [term.at('matchLabelKeys'), term.at('mismatchLabelKeys')]) validateLabelKeys(keys, selected);
  const mismatched = new Set(term.value?.mismatchLabelKeys ?? []);
  for (const key of term.at('matchLabelKeys').items()) {
    if (mismatched.has(key.value ?? '')) key.invalid(wording.keyInBoth);
  }
}

/** Keys whose values a pod adds to a selector: label keys, and only beside a selector. False if there is none. */
export function validateLabelKeys(keys: Field<string[] | undefined>, selected: boolean): boolean {
  if (keys.isSet && !selected) {
    keys.forbidden(wording.keysNeedSelector);
    return false;
  }
  for (const key of keys.items()) validateLabelKey(key, key.value ?? '');
  return true;
}

function validateWeight(weight: Field<number>): void {
  const number = weight.value ?? 0;
  if (number <= 0 || number > GREATEST_WEIGHT) weight.invalid(wording.weight, number);
}
