// Matching of label selectors, and the two tests whether selectors overlap. (admission-overview 10.7, sidecarset 4.7)
import { MESSAGE_LENGTH_MOST } from './field-error.ts';
import type { DeepReadonly } from './json.ts';
import type { LabelSelector, LabelSelectorRequirement } from './meta.ts';
import { labelValue, qualifiedName } from './validation/names.ts';

type Labels = { readonly [key: string]: string };

/** True if there are neither labels nor expressions. Such a selector matches everything. */
export function isEmptySelector(selector: DeepReadonly<LabelSelector>): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/** Whether the labels match. No selector matches nothing, an empty one everything, an unreadable one nothing. */
export function matchesSelector(selector: DeepReadonly<LabelSelector> | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const hasLabels = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => own(labels, key) === value);
  return hasLabels && (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels));
}

/**
 * Why a selector cannot be used for matching: an unknown operator, values where none may be (or none where they must),
 * a malformed key or value. Undefined if it can. The text is the one of Kubernetes' selector conversion.
 */
export function selectorFault(selector: DeepReadonly<LabelSelector>): string | undefined {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const fault = requirementFault(key, 'in', [value]);
    if (fault !== undefined) return fault;
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const conversion = CONVERSIONS.get(operator);
    if (conversion === undefined) return `${JSON.stringify(operator)} is not a valid label selector operator`;
    const fault = requirementFault(key, conversion, values ?? []);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Whether some labels may match both selectors, by the rules of SidecarSet conflicts.
 * Compatibility: `Exists` on a key that the other selector does not pin counts as disjoint.
 */
export function overlaps(a: LabelSelector, b: LabelSelector): boolean {
  return !isDisjoint(a, b) && !isDisjoint(b, a);
}

/** The second overlap test: both must name the same keys, and their requirements on every key must have a value in common. */
export function overlapsLoosely(a: LabelSelector, b: LabelSelector): boolean {
  const left = requirementsByKey(a);
  const right = requirementsByKey(b);
  if (left.size !== right.size) return false;
  for (const [key, requirement] of left) {
    const other = right.get(key);
    if (other === undefined || !intersects(requirement, other)) return false;
  }
  return true;
}

const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function requirementFault(key: string, operator: string, values: readonly string[]): string | undefined {
  const faults = qualifiedName(key).map((detail) => `key: Invalid value: ${JSON.stringify(key)}: ${detail}`);
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    faults.push("values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty");
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    const printed = `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
    faults.push(`values: Invalid value: ${printed}: values set must be empty for exists and does not exist`);
  }
  let length = 0;
  for (const [index, value] of values.entries()) {
    for (const detail of labelValue(value)) {
      const fault = `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${detail}`;
      faults.push(fault);
      length += fault.length;
    }
    // More than this is not told in any case.
    if (length > MESSAGE_LENGTH_MOST) break;
  }
  return faults.length > 1 ? `[${faults.join(', ')}]` : faults[0];
}

/** Whether labels meet one requirement; one of an unknown operator is never met. */
export function meets({ key, operator, values = [] }: DeepReadonly<LabelSelectorRequirement>, labels: Labels): boolean {
  const value = own(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** The values that a selector pins a key to; 'any' after an `Exists`. */
export type Pinned = Map<string, Set<string> | 'any'>;

function isDisjoint(x: LabelSelector, y: LabelSelector): boolean {
  const pinned = pinnedValues(x);
  for (const [key, value] of Object.entries(y.matchLabels ?? {})) {
    const values = pinned.get(key);
    if (values !== undefined && values !== 'any' && !values.has(value)) return true;
  }
  return (y.matchExpressions ?? []).some((requirement) => excludes(requirement, pinned));
}

/** By `matchLabels`, `In` and `Exists`: all values that any of them names. */
export function pinnedValues(selector: LabelSelector): Pinned {
  const pinned: Pinned = new Map();
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) pinned.set(key, new Set([value]));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (operator === 'Exists') pinned.set(key, 'any');
    if (operator !== 'In') continue;
    const known = pinned.get(key);
    if (known === undefined) pinned.set(key, new Set(values));
    else if (known !== 'any') for (const value of values) known.add(value);
  }
  return pinned;
}

function excludes({ key, operator, values = [] }: LabelSelectorRequirement, pinned: Pinned): boolean {
  const known = pinned.get(key);
  switch (operator) {
    case 'In':
      return known !== undefined && known !== 'any' && !values.some((value) => known.has(value));
    case 'NotIn':
      return known !== undefined && known !== 'any' && areAmong([...known], values);
    case 'Exists':
      return known === undefined;
    case 'DoesNotExist':
      return known !== undefined;
    default:
      return false;
  }
}

/** The requirement on each key: the last expression counts, and labels win over expressions. */
function requirementsByKey(selector: LabelSelector): Map<string, LabelSelectorRequirement> {
  const byKey = new Map((selector.matchExpressions ?? []).map((requirement) => [requirement.key, requirement]));
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    byKey.set(key, { key, operator: 'In', values: [value] });
  }
  return byKey;
}

function intersects(a: LabelSelectorRequirement, b: LabelSelectorRequirement): boolean {
  return meetsOneWay(a, b) || meetsOneWay(b, a);
}

// Each pair of operators is decided in one direction; the other direction is asked with the sides swapped.
function meetsOneWay(a: LabelSelectorRequirement, b: LabelSelectorRequirement): boolean {
  const left = a.values ?? [];
  const right = b.values ?? [];
  switch (`${a.operator}/${b.operator}`) {
    case 'In/In':
      return isAnyAmong(left, right);
    case 'In/NotIn':
      return !areAmong(left, right);
    case 'In/Exists':
    case 'Exists/Exists':
    case 'Exists/NotIn':
    case 'NotIn/NotIn':
    case 'NotIn/DoesNotExist':
    case 'DoesNotExist/DoesNotExist':
      return true;
    default:
      return false;
  }
}

function areAmong(values: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return values.every((value) => known.has(value));
}

function isAnyAmong(values: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return values.some((value) => known.has(value));
}

function own(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
