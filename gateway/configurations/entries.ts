// Webhooks of a configuration as the API server has them: its defaults, where one points to, and when two say the same.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';

/** What the API server fills in (admissionregistration.k8s.io/v1); written out so that both sides of a comparison have it. */
const DEFAULTS: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};
const RULE_DEFAULTS: JsonObject = { scope: '*' };
const SERVICE_DEFAULTS: JsonObject = { port: 443 };

/** Only entries of mutating webhooks have it. */
const MUTATING_DEFAULTS: JsonObject = { reinvocationPolicy: 'Never' };

/** An entry with everything that the API server would fill in. */
export function withDefaults(entry: JsonObject, isMutating: boolean): JsonObject {
  const { clientConfig, rules } = entry;
  const full = { ...DEFAULTS, ...(isMutating ? MUTATING_DEFAULTS : {}), ...withoutNulls(entry) };
  if (Array.isArray(rules)) {
    full.rules = rules.map((rule) => (isObject(rule) ? { ...RULE_DEFAULTS, ...withoutNulls(rule) } : rule));
  }
  if (isObject(clientConfig) && isObject(clientConfig.service)) {
    full.clientConfig = { ...clientConfig, service: { ...SERVICE_DEFAULTS, ...withoutNulls(clientConfig.service) } };
  }
  return full;
}

/** The name of an entry; names are unique in a configuration. */
export function nameOf(entry: JsonObject): string {
  return typeof entry.name === 'string' ? entry.name : '';
}

/** The path that an entry calls; undefined if it has neither a service with a path nor a URL. */
export function pathOf({ clientConfig }: JsonObject): string | undefined {
  if (!isObject(clientConfig)) return undefined;
  const { service, url } = clientConfig;
  if (isObject(service) && typeof service.path === 'string') return service.path;
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return new URL(url).pathname;
}

/** The entries of a list, without what is none. */
export function entriesOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? (list as Json[]).filter((item) => isObject(item)) : [];
}

/** True if two values say the same; lists are compared as sets, as those of entries are. */
export function saysTheSame(one: Json | undefined, other: Json | undefined): boolean {
  return canonical(one) === canonical(other);
}

/** One text for all values that say the same. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(canonical))].sort().join()}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== null && !isEmptyList(member));
  return `{${members
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
    .sort()
    .join()}}`;
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
