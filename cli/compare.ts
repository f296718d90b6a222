// Compares what is with a description of a part of it: what the description names must be there, the rest may be
// anything. Also shows the described part of what is, so that a difference can be seen.

import { equalJson, isObject, type Json, type JsonObject, setMember } from '../api/core/json.ts';

/**
 * Is all that `wanted` describes in `actual`? Members that it names must match; null means absent. The items of a list
 * must be found in that order, with others between; an empty list means that there is none.
 */
export function contains(wanted: Json, actual: Json | undefined): boolean {
  if (wanted === null) return (actual ?? null) === null;
  if (Array.isArray(wanted)) {
    const items = Array.isArray(actual) ? actual : [];
    return wanted.length === 0 ? items.length === 0 && isListOrAbsent(actual) : containsInOrder(wanted, items);
  }
  if (!isObject(wanted)) return equalJson(wanted, actual);
  return isObject(actual) && Object.keys(wanted).every((name) => contains(wanted[name] ?? null, member(actual, name)));
}

function isListOrAbsent(actual: Json | undefined): boolean {
  return Array.isArray(actual) || (actual ?? null) === null;
}

function containsInOrder(wanted: readonly Json[], items: readonly Json[]): boolean {
  let at = 0;
  for (const item of wanted) {
    while (at < items.length && !contains(item, items[at])) at++;
    if (at === items.length) return false;
    at++;
  }
  return true;
}

/** The part of `actual` that `wanted` is about, with members in the order of `wanted`; null where there is nothing. */
export function described(wanted: Json, actual: Json | undefined): Json {
  if (actual === undefined || actual === null) return null;
  if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length > 0) {
    const partners = partnersOf(wanted, actual);
    return actual.flatMap((item, index) => {
      const at = partners.indexOf(index);
      return at < 0 ? [] : [described(wanted[at] ?? null, item)];
    });
  }
  if (!isObject(wanted) || !isObject(actual)) return actual;
  const part: JsonObject = {};
  for (const name of Object.keys(wanted)) {
    const value = member(actual, name);
    const isWantedAbsent = wanted[name] === null;
    if (value !== undefined || isWantedAbsent) setMember(part, name, described(wanted[name] ?? null, value));
  }
  return part;
}

/** All of `actual`, in the order of `wanted` as far as that names its members. */
export function inOrderOf(wanted: Json | undefined, actual: Json): Json {
  if (Array.isArray(wanted) && Array.isArray(actual)) {
    const partners = partnersOf(wanted, actual);
    return actual.map((item, index) => inOrderOf(wanted[partners.indexOf(index)], item));
  }
  if (!isObject(wanted) || !isObject(actual)) return actual;
  const ordered: JsonObject = {};
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(actual)])) {
    const value = member(actual, name);
    if (value !== undefined) setMember(ordered, name, inOrderOf(member(wanted, name), value));
  }
  return ordered;
}

/** For each wanted item the index of the one that it is about: the first with its name, else a match, else its place. */
function partnersOf(wanted: readonly Json[], actual: readonly Json[]): (number | undefined)[] {
  const taken = new Set<number>();
  const take = (item: Json, at: number): number | undefined => {
    const index = actual.findIndex((one, place) => !taken.has(place) && isPartner(item, one));
    const chosen = index >= 0 || nameIn(item) !== undefined ? index : at;
    if (chosen < 0 || chosen >= actual.length || taken.has(chosen)) return undefined;
    taken.add(chosen);
    return chosen;
  };
  return wanted.map(take);
}

function isPartner(wanted: Json, actual: Json): boolean {
  const name = nameIn(wanted);
  return name === undefined ? contains(wanted, actual) : name === nameIn(actual);
}

function nameIn(item: Json): string | undefined {
  return isObject(item) && typeof item.name === 'string' ? item.name : undefined;
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
