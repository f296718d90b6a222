// Tolerations, spread constraints, and the gates of scheduling and readiness.
import { toNumber } from '../json.ts';
import type { PodSpec, Toleration, TopologySpreadConstraint } from '../pod.ts';
import { validateLabelKeys } from './affinity.ts';
import type { Field } from './field.ts';
import { labelValue, qualifiedName } from './names.ts';
import { wording } from './wording.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION_POLICIES = ['Honor', 'Ignore'];

/** Tolerations of a pod, as several kinds of ours have them too. */
export function validateTolerations(tolerations: Field<Toleration[] | undefined>): void {
  for (const toleration of tolerations.items()) {
    const { key = '', operator = '', effect = '', tolerationSeconds } = toleration.value ?? {};
    toleration.at('key').followIfSet(qualifiedName);
    if (key === '' && operator !== 'Exists') toleration.at('operator').invalid(wording.emptyKeyNeedsExists, operator);
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      toleration.at('effect').invalid(wording.secondsNeedNoExecute, effect);
    }
    validateTolerationValue(toleration);
    if (effect !== '') toleration.at('effect').among(EFFECTS);
  }
}

/** How pods spread over topologies. The selectors of constraints are not looked at. */
export function validateSpreadConstraints(constraints: Field<TopologySpreadConstraint[] | undefined>): void {
  const all = constraints.items();
  const last = new Map(all.map(({ value }, index) => [identityOf(value), index]));
  all.forEach((constraint, index) => {
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' } = constraint.value ?? {};
    if (toNumber(maxSkew) <= 0) constraint.at('maxSkew').invalid(wording.positive, maxSkew);
    constraint.at('topologyKey').require(wording.topologyKeyRequired);
    constraint.at('topologyKey').followIfSet(qualifiedName);
    constraint.at('whenUnsatisfiable').among(ACTIONS);
    const isRepeated = last.get(identityOf(constraint.value)) !== index;
    if (isRepeated) {
      constraint.place('{topologyKey, whenUnsatisfiable}').duplicate(`{${topologyKey}, ${whenUnsatisfiable}}`);
    }
    validateMinDomains(constraint.at('minDomains'), whenUnsatisfiable);
    for (const policy of [constraint.at('nodeAffinityPolicy'), constraint.at('nodeTaintsPolicy')]) {
      if (policy.value !== undefined) policy.among(INCLUSION_POLICIES);
    }
    validateConstraintKeys(constraint);
  });
}

/** What no two constraints may have in common. */
function identityOf({ topologyKey, whenUnsatisfiable }: Partial<TopologySpreadConstraint> = {}): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

/** Names of readiness and scheduling gates. */
export function validateGates(spec: Field<PodSpec | undefined>): void {
  for (const gate of spec.at('readinessGates').items()) gate.at('conditionType').follow(qualifiedName);
  const names = new Set<string>();
  for (const gate of spec.at('schedulingGates').items()) {
    const name = gate.value?.name ?? '';
    // Compatibility: reported at the gate, not at its name.
    for (const detail of qualifiedName(name)) gate.invalid(detail, name);
    if (names.has(name)) gate.duplicate(name);
    names.add(name);
  }
}

// Compatibility: a malformed value is reported at the operator.
function validateTolerationValue(toleration: Field<Toleration>): void {
  const { operator = '', value = '' } = toleration.value ?? {};
  const place = toleration.at('operator');
  if (operator === '' || operator === 'Equal') {
    const details = labelValue(value);
    if (details.length > 0) place.invalid(details.join(';'), value);
  } else if (operator === 'Exists') {
    if (value !== '') place.invalid(wording.existsHasNoValue, value);
  } else {
    place.unsupported(OPERATORS);
  }
}

function validateMinDomains(minDomains: Field<number | undefined>, action: string): void {
  if (minDomains.value === undefined) return;
  if (minDomains.value <= 0) minDomains.invalid(wording.positive);
  if (action !== 'DoNotSchedule') minDomains.invalid(wording.minDomains(action));
}

function validateConstraintKeys(constraint: Field<TopologySpreadConstraint>): void {
  const selector = constraint.value?.labelSelector;
  const keys = constraint.at('matchLabelKeys');
  if (!validateLabelKeys(keys, selector !== undefined)) return;
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map((requirement) => requirement.key),
  ]);
  for (const key of keys.items()) if (selected.has(key.value ?? '')) key.invalid(wording.keyInSelector);
}
