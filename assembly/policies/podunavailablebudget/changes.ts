// Does an update of a pod disturb it, and is it only another amount of resources (podunavailablebudget.md 5.4)?

import { CONFIG_SOURCE, UNAVAILABLE_POD_PREFIX } from '../../../api/names';
import { sameValue, View } from '../../json/view';
import { named } from '../../object/pod';
import { qualityOf, sameQuantity } from '../../object/quality';

/** Anything in `spec` changes, or the pod is declared unavailable. */
export function isDisruptive(old: View, updated: View): bool {
  return becomesUnavailable(old, updated) || !isSameSpec(old, updated, true);
}

/** Only amounts of cpu and memory change, in a way that needs no restart. */
export function isResize(old: View, updated: View): bool {
  return (
    !becomesUnavailable(old, updated) &&
    isSameSpec(old, updated, false) &&
    !isStatic(old) &&
    !isStatic(updated) &&
    qualityOf(old) == qualityOf(updated) &&
    areResizes(old.get('spec').get('containers'), updated.get('spec').get('containers'))
  );
}

/** Has the pod a label by which it is declared unavailable? */
export function isDeclaredUnavailable(pod: View): bool {
  for (let label = pod.get('metadata').get('labels').first(); label.exists; label = label.next()) {
    if (label.name.startsWith(UNAVAILABLE_POD_PREFIX)) {
      return true;
    }
  }
  return false;
}

function becomesUnavailable(old: View, updated: View): bool {
  return isDeclaredUnavailable(updated) && !isDeclaredUnavailable(old);
}

function isStatic(pod: View): bool {
  const source = pod.get('metadata').get('annotations').get(CONFIG_SOURCE);
  return source.isSet && !source.is('api');
}

function areResizes(old: View, updated: View): bool {
  for (let container = updated.first(); container.exists; container = container.next()) {
    const before = named(old, container.get('name').text());
    if (!before.exists || !isResizeOf(before, container)) {
      return false;
    }
  }
  return old.count() == updated.count();
}

function isResizeOf(old: View, updated: View): bool {
  const from = old.get('resources');
  const to = updated.get('resources');
  return (
    mayChange(from.get('limits'), to.get('limits'), updated) &&
    mayChange(to.get('limits'), from.get('limits'), updated) &&
    mayChange(from.get('requests'), to.get('requests'), updated) &&
    mayChange(to.get('requests'), from.get('requests'), updated)
  );
}

/** May every amount in `from` that `to` has not, or has otherwise, change without a restart? */
function mayChange(from: View, to: View, container: View): bool {
  for (let amount = from.first(); amount.exists; amount = amount.next()) {
    const other = to.find(amount.name);
    const isSame = other.exists && sameQuantity(amount.value, other);
    if (!isSame && ((!amount.name.is('cpu') && !amount.name.is('memory')) || needsRestart(container, amount))) {
      return false;
    }
  }
  return true;
}

function needsRestart(container: View, amount: View): bool {
  for (let policy = container.get('resizePolicy').first(); policy.exists; policy = policy.next()) {
    if (policy.get('resourceName').text().equals(amount.name)) {
      const restart = policy.get('restartPolicy').text();
      return !restart.isEmpty && !restart.is('NotRequired');
    }
  }
  return false;
}

/** Are both specs the same, with or without the resources of `containers`? */
function isSameSpec(old: View, updated: View, withResources: bool): bool {
  return isSame(old.get('spec'), updated.get('spec'), withResources ? Place.Anywhere : Place.Spec);
}

/** What the values that are compared stand for. */
const enum Place {
  Anywhere,
  /** The spec of a pod, where the resources of containers do not count. */
  Spec,
  Containers,
  Container,
  Quantities,
}

/** Absent, null and empty are the same; amounts are compared by value. */
function isSame(a: View, b: View, place: Place): bool {
  if (isNothing(a) || isNothing(b)) {
    return isNothing(a) && isNothing(b);
  }
  if (place == Place.Quantities && !a.isObject && !b.isObject) {
    return sameQuantity(a, b);
  }
  if (a.kind != b.kind) {
    return false;
  }
  if (a.isArray) {
    return areSameItems(a, b, place == Place.Containers ? Place.Container : Place.Anywhere);
  }
  return a.isObject ? areSameMembers(a, b, place) : sameValue(a, b);
}

function areSameItems(a: View, b: View, place: Place): bool {
  let other = b.first();
  for (let item = a.first(); item.exists; item = item.next()) {
    if (!other.exists || !isSame(item, other, place)) {
      return false;
    }
    other = other.next();
  }
  return !other.exists;
}

function areSameMembers(a: View, b: View, place: Place): bool {
  let beside = b.first();
  for (let member = a.first(); member.exists; member = member.next()) {
    // Mostly the members of both stand in the same order.
    const isBeside = beside.exists && beside.name.equals(member.name);
    const other = isBeside ? beside.value : b.find(member.name);
    beside = beside.next();
    const isLeftOut = place == Place.Container && member.name.is('resources');
    if (!isLeftOut && !isSame(member.value, other, placeOf(member, place))) {
      return false;
    }
  }
  beside = a.first();
  for (let member = b.first(); member.exists; member = member.next()) {
    const isBeside = beside.exists && beside.name.equals(member.name);
    beside = beside.next();
    const isLeftOut = place == Place.Container && member.name.is('resources');
    if (!isBeside && !isLeftOut && !isNothing(member.value) && !a.find(member.name).exists) {
      return false;
    }
  }
  return true;
}

function placeOf(member: View, place: Place): Place {
  if (place == Place.Spec && member.name.is('containers')) {
    return Place.Containers;
  }
  const isAmounts =
    place == Place.Quantities ||
    member.name.is('limits') ||
    member.name.is('requests') ||
    member.name.is('overhead') ||
    member.name.is('sizeLimit');
  return isAmounts ? Place.Quantities : Place.Anywhere;
}

function isNothing(value: View): bool {
  return !value.isSet || ((value.isArray || value.isObject) && value.isEmpty);
}
