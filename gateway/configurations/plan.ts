// What a webhook configuration should be now, decided from what it is (operations.md 9.2). Others may narrow our webhooks;
// everything else that was edited is put back to the template.

import { isObject, type JsonObject } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { type Address, addressed, refuseInjection } from './address.ts';
import { templateOf } from './adoption.ts';
import { canonical, entriesOf, nameOf, pathOf, saysTheSame, withDefaults } from './entries.ts';
import { isNarrowed, keepNarrowing } from './narrowing.ts';

/** The match condition by which `--scope demand` narrows an entry. */
export const SCOPE_CONDITION = 'scope.sluice.dev';

/** Changes with every policy that is acknowledged, so that nobody narrows what it needs. */
export const SCOPE_STAMP_ANNOTATION = 'sluice.dev/scope-stamp';

/** How an entry is limited now. */
type LiveScope = { readonly expression: string | undefined; readonly stamp: string | undefined };

export type ConfigurationSettings = {
  readonly address: Address;
  readonly isServed: (path: string) => boolean;
  /** Namespaces whose pods are never sent, by name. */
  readonly exemptNamespaces: readonly string[];
  /** The CEL expression by which an entry is narrowed, from the one that it has now; undefined leaves it as wide as it is. */
  readonly scopeOf: (name: string, live: LiveScope) => string | undefined;
};

export type ConfigurationPlan = {
  /** The object to write; undefined when nothing has to change. */
  readonly update: JsonObject | undefined;
  /** Names of entries that are written otherwise than they were. */
  readonly changed: readonly string[];
  /** Names of entries that others made narrower. */
  readonly narrowed: readonly string[];
};

/** Pure. Throws an Error that names the annotation or the entry that cannot be used. */
export function planConfiguration(live: KubeObject, settings: ConfigurationSettings): ConfigurationPlan {
  refuseInjection(live);
  const isMutating = live.kind === 'MutatingWebhookConfiguration';
  const template = templateOf(live, (entry) => exempt(unscoped(entry), settings.exemptNamespaces));
  const present = new Map(entriesOf(live.webhooks).map((entry) => [nameOf(entry), entry]));
  const former = new Map(template.former.map((entry) => [nameOf(entry), entry]));
  const changed: string[] = [];
  const narrowed: string[] = [];
  const webhooks = template.entries
    .filter((entry) => settings.isServed(requirePath(entry)))
    .map((entry) => {
      const name = nameOf(entry);
      const before = present.get(name);
      const wanted = withDefaults(
        scoped(addressed(entry, requirePath(entry), settings.address), before, live, settings),
        isMutating,
      );
      const was = before === undefined ? undefined : withDefaults(before, isMutating);
      const kept = was === undefined ? wanted : keepNarrowing(wanted, was, former.get(name), SCOPE_CONDITION);
      if (isNarrowed(wanted, kept)) narrowed.push(name);
      if (before !== undefined && saysTheSame(kept, was)) return before;
      changed.push(name);
      return kept;
    });
  const names = new Set(webhooks.map(nameOf));
  changed.push(...[...present.keys()].filter((name) => !names.has(name)));
  const isReordered = [...present.keys()].join() !== [...names].join();
  const isSame = changed.length === 0 && !isReordered && Object.keys(template.annotations).length === 0;
  return { update: isSame ? undefined : withWebhooks(live, webhooks, template.annotations), changed, narrowed };
}

function withWebhooks(
  live: KubeObject,
  webhooks: readonly JsonObject[],
  annotations: Readonly<Record<string, string>>,
): JsonObject {
  const { metadata, ...rest } = live as unknown as JsonObject & { metadata: JsonObject };
  const present = isObject(metadata.annotations) ? metadata.annotations : {};
  return { ...rest, metadata: { ...metadata, annotations: { ...present, ...annotations } }, webhooks: [...webhooks] };
}

function requirePath(entry: JsonObject): string {
  const path = pathOf(entry);
  if (path !== undefined) return path;
  throw new Error(`webhooks[${nameOf(entry)}].clientConfig: expected a service with a path, or a url`);
}

function scoped(
  entry: JsonObject,
  before: JsonObject | undefined,
  { metadata }: KubeObject,
  { scopeOf }: ConfigurationSettings,
): JsonObject {
  const conditions = entriesOf(before?.matchConditions);
  const present = conditions.find((condition) => nameOf(condition) === SCOPE_CONDITION)?.expression;
  const expression = scopeOf(nameOf(entry), {
    expression: typeof present === 'string' ? present : undefined,
    stamp: metadata.annotations?.[SCOPE_STAMP_ANNOTATION],
  });
  if (expression === undefined) return entry;
  const own = { name: SCOPE_CONDITION, expression };
  return { ...entry, matchConditions: [...entriesOf(entry.matchConditions), own] };
}

/** An installation may leave the condition of the scope where it was; it is no part of what was installed. */
function unscoped(entry: JsonObject): JsonObject {
  const { matchConditions, ...rest } = entry;
  const others = entriesOf(matchConditions).filter((condition) => nameOf(condition) !== SCOPE_CONDITION);
  return others.length === 0 ? rest : { ...rest, matchConditions: others };
}

/**
 * An entry as it is adopted: pods of exempt namespaces are not sent, and webhooks that write when they decide say that they
 * do not on a dry run.
 */
function exempt(entry: JsonObject, namespaces: readonly string[]): JsonObject {
  if (!isAboutPods(entry)) return entry;
  const selector = isObject(entry.namespaceSelector) ? entry.namespaceSelector : {};
  const terms = entriesOf(selector.matchExpressions);
  const missing = namespaces.filter((namespace) => !terms.some((term) => excludes(term, namespace)));
  const added = { key: NAMESPACE_NAME, operator: 'NotIn', values: missing };
  return {
    ...entry,
    ...(missing.length === 0 ? {} : { namespaceSelector: { ...selector, matchExpressions: [...terms, added] } }),
    ...(entry.sideEffects === 'None' ? { sideEffects: 'NoneOnDryRun' } : {}),
  };
}

const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

function excludes({ key, operator, values }: JsonObject, namespace: string): boolean {
  return key === NAMESPACE_NAME && operator === 'NotIn' && Array.isArray(values) && values.includes(namespace);
}

function isAboutPods(entry: JsonObject): boolean {
  return entriesOf(entry.rules).some(({ apiGroups, resources }) => {
    const isCore = Array.isArray(apiGroups) && apiGroups.includes('');
    return isCore && Array.isArray(resources) && /"pods(\/eviction)?"/.test(canonical(resources));
  });
}
