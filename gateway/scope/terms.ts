// Which pods the present policies can concern at all, as conditions that the API server itself evaluates (CEL). Each policy
// gives a term; a request that meets none of them would be answered unchanged. In doubt a term says yes.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { APPS_GROUP, CONTAINER_LAUNCH_PRIORITY, CONTAINER_PRIORITY_ENV } from '../../api/names.ts';

/** Terms one of which has to hold, or all requests. */
export type Terms = ReadonlySet<string> | 'all';

/** The entries that can be narrowed. */
export const SCOPED_ENTRIES = ['mpod.kb.io', 'vpod.kb.io', 'vpodeviction.kb.io'] as const;
export type ScopedEntry = (typeof SCOPED_ENTRIES)[number];

/** More are not evaluated faster than we answer. */
const MOST_TERMS = 100;
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** What pods ask for by themselves, without any policy. */
const OWN_WISHES = [
  `has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.apiVersion.startsWith(${text(`${APPS_GROUP}/`)}))`,
  `has(object.metadata.annotations) && ${text(CONTAINER_LAUNCH_PRIORITY)} in object.metadata.annotations`,
  `object.spec.containers.exists(c, has(c.env) && c.env.exists(e, e.name == ${text(CONTAINER_PRIORITY_ENV)}))`,
];

/** The terms of an entry for these policy objects, in any version. Pure. */
export function termsOf(
  entry: ScopedEntry,
  policies: Iterable<JsonObject>,
  gates: ReadonlyMap<string, boolean>,
): Terms {
  const isOn = (gate: string) => gates.get(gate) === true;
  const terms = new Set<string>();
  if (entry === 'mpod.kb.io') {
    if (isOn('KruisePodReadinessGate')) return 'all';
    for (const wish of OWN_WISHES) terms.add(wish);
  }
  for (const policy of policies) {
    const term = entry === 'mpod.kb.io' ? creationTerm(policy, isOn) : disruptionTerm(entry, policy, isOn);
    if (term === 'all') return 'all';
    if (term !== undefined) terms.add(term);
    if (terms.size > MOST_TERMS) return 'all';
  }
  return terms;
}

type IsOn = (gate: string) => boolean;

function creationTerm(policy: JsonObject, isOn: IsOn): string | undefined {
  switch (policy.kind) {
    case 'SidecarSet':
      return sidecarSetTerm(isObject(policy.spec) ? policy.spec : {});
    case 'WorkloadSpread':
      return isOn('WorkloadSpread') ? inNamespaceOf(policy) : undefined;
    case 'PodUnavailableBudget':
      return isOn(DELETE_GATE) || isOn(UPDATE_GATE) ? inNamespaceOf(policy) : undefined;
    case 'PersistentPodState':
      return inNamespaceOf(policy);
    case 'PodProbeMarker':
      return isOn('EnablePodProbeMarkerOnServerless') ? inNamespaceOf(policy) : undefined;
    default:
      return undefined;
  }
}

const DELETE_GATE = 'PodUnavailableBudgetDeleteGate';
const UPDATE_GATE = 'PodUnavailableBudgetUpdateGate';

function disruptionTerm(entry: ScopedEntry, policy: JsonObject, isOn: IsOn): string | undefined {
  const isBudget = policy.kind === 'PodUnavailableBudget';
  const isSpread = policy.kind === 'WorkloadSpread' && isOn('WorkloadSpread');
  const namespace = inNamespaceOf(policy);
  if (entry === 'vpodeviction.kb.io') return isSpread || (isBudget && isOn(DELETE_GATE)) ? namespace : undefined;
  if (isBudget && isOn(UPDATE_GATE)) return namespace;
  return isSpread || (isBudget && isOn(DELETE_GATE)) ? `request.operation == "DELETE" && ${namespace}` : undefined;
}

function inNamespaceOf({ metadata }: JsonObject): string {
  return `request.namespace == ${text(isObject(metadata) ? String(metadata.namespace ?? '') : '')}`;
}

function sidecarSetTerm({ namespace, namespaceSelector, selector }: JsonObject): string {
  const given = typeof namespace === 'string' && namespace !== '' ? [namespace] : undefined;
  const namespaces = given ?? pinnedNamespaces(namespaceSelector);
  const parts = [
    ...(namespaces === undefined ? [] : [`request.namespace in ${list(namespaces)}`]),
    ...labelConditions(selector),
  ];
  return parts.length === 0 ? 'all' : parts.join(' && ');
}

/** Names of namespaces that a selector is limited to; undefined when labels decide. */
function pinnedNamespaces(selector: Json | undefined): string[] | undefined {
  if (!isObject(selector)) return undefined;
  const labels = isObject(selector.matchLabels) ? selector.matchLabels : {};
  const name = labels[NAMESPACE_NAME];
  if (typeof name === 'string') return [name];
  const pin = expressionsOf(selector).find(({ key, operator }) => key === NAMESPACE_NAME && operator === 'In');
  return pin === undefined ? undefined : strings(pin.values);
}

/** What a pod's labels must be; conditions that labels must not meet are left out. */
function labelConditions(selector: Json | undefined): string[] {
  if (!isObject(selector)) return [];
  const labels = isObject(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  const equal = labels.map(([key, value]) => onLabel(key, `== ${text(String(value))}`));
  const others = expressionsOf(selector).flatMap(({ key, operator, values }) => {
    if (operator === 'In') return [onLabel(String(key), `in ${list(strings(values))}`)];
    return operator === 'Exists' ? [onLabel(String(key), '')] : [];
  });
  return [...equal, ...others];
}

function onLabel(key: string, condition: string): string {
  const exists = `has(object.metadata.labels) && ${text(key)} in object.metadata.labels`;
  return condition === '' ? exists : `${exists} && object.metadata.labels[${text(key)}] ${condition}`;
}

function expressionsOf(selector: JsonObject): JsonObject[] {
  const { matchExpressions } = selector;
  return Array.isArray(matchExpressions) ? matchExpressions.filter((item) => isObject(item)) : [];
}

function strings(values: Json | undefined): string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

function list(values: readonly string[]): string {
  return `[${[...values].sort().map(text).join(', ')}]`;
}

/** A text of CEL, which has the escapes of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
