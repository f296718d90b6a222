// Is a container of the pod already what would be injected? Then it stays as it is, so that a second pass changes nothing.

import { sameValue, View } from '../../json/view';

/**
 * Equal but for what the API server writes when it has stored the pod: members that are empty, and the version of
 * field references.
 */
export function sameContainer(own: View, wanted: View): bool {
  if (own.kind != wanted.kind) {
    return false;
  }
  if (own.isArray) {
    let other = wanted.first();
    for (let item = own.first(); item.exists; item = item.next()) {
      if (!other.exists || !sameContainer(item, other)) {
        return false;
      }
      other = other.next();
    }
    return !other.exists;
  }
  if (!own.isObject) {
    return sameValue(own, wanted);
  }
  return covers(own, wanted, true) && covers(wanted, own, false);
}

/** Is each member of `a` in `b`, or one that may be missing there? */
function covers(a: View, b: View, compare: bool): bool {
  for (let member = a.first(); member.exists; member = member.next()) {
    const other = b.findKey(member.name);
    if (!other.exists) {
      if (!mayBeMissing(a, member)) {
        return false;
      }
    } else if (compare && !sameContainer(member.value, other.value)) {
      return false;
    }
  }
  return true;
}

function mayBeMissing(object: View, member: View): bool {
  const value = member.value;
  if (value.isNull || ((value.isArray || value.isObject) && value.isEmpty)) {
    return true;
  }
  return member.name.is('apiVersion') && value.is('v1') && object.get('fieldPath').exists;
}
