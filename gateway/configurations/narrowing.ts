// What others added to a webhook of ours so that it is called less often: further terms of its selectors and further match
// conditions, as providers of clusters put on every webhook. It stays; only what we want ourselves is put back.

import { isObject, type JsonObject } from '../../api/core/json.ts';
import { canonical, entriesOf, nameOf } from './entries.ts';

const SELECTORS = ['namespaceSelector', 'objectSelector'] as const;

/**
 * `wanted` with what `live` has beyond it. Terms of `former`, the entry that was wanted before, are nobody's addition; nor is
 * the match condition named `own`.
 */
export function keepNarrowing(
  wanted: JsonObject,
  live: JsonObject,
  former: JsonObject | undefined,
  own: string,
): JsonObject {
  const entry = { ...wanted };
  for (const name of SELECTORS) {
    const merged = joinSelectors(selectorOf(wanted, name), selectorOf(live, name), selectorOf(former ?? {}, name));
    if (wanted[name] !== undefined || Object.keys(merged).length > 0) entry[name] = merged;
  }
  const conditions = joinConditions(wanted, live, former ?? {}, own);
  if (conditions.length > 0) entry.matchConditions = conditions;
  return entry;
}

/** True if `live` is narrower than what is wanted of it. */
export function isNarrowed(wanted: JsonObject, kept: JsonObject): boolean {
  return [...SELECTORS, 'matchConditions'].some((name) => canonical(wanted[name]) !== canonical(kept[name]));
}

function joinSelectors(wanted: JsonObject, live: JsonObject, former: JsonObject): JsonObject {
  const known = new Set([...termsOf(wanted), ...termsOf(former)].map(canonical));
  const terms = [...termsOf(wanted), ...termsOf(live).filter((term) => !known.has(canonical(term)))];
  const formerLabels = labelsOf(former);
  const added = Object.entries(labelsOf(live)).filter(([key, value]) => formerLabels[key] !== value);
  const labels = { ...Object.fromEntries(added), ...labelsOf(wanted) };
  return {
    ...(Object.keys(labels).length > 0 ? { matchLabels: labels } : {}),
    ...(terms.length > 0 ? { matchExpressions: terms } : {}),
  };
}

function joinConditions(wanted: JsonObject, live: JsonObject, former: JsonObject, own: string): JsonObject[] {
  const ours = entriesOf(wanted.matchConditions);
  const known = new Set([...ours, ...entriesOf(former.matchConditions)].map(nameOf)).add(own);
  return [...ours, ...entriesOf(live.matchConditions).filter((condition) => !known.has(nameOf(condition)))];
}

function selectorOf(entry: JsonObject, name: (typeof SELECTORS)[number]): JsonObject {
  const selector = entry[name];
  return isObject(selector) ? selector : {};
}

function termsOf(selector: JsonObject): JsonObject[] {
  return entriesOf(selector.matchExpressions);
}

function labelsOf(selector: JsonObject): JsonObject {
  return isObject(selector.matchLabels) ? selector.matchLabels : {};
}
