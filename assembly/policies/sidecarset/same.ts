// Is a container of the pod already what would be injected? Then it stays as it is, so that a second pass changes nothing.

import { sameValue, View } from '../../json/view';

/** Where the API server's ServiceAccount plug-in mounts the token, also into containers that webhooks added. */
const TOKEN_PATH: string = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Equal but for what the API server itself writes into a container between two calls of webhooks. */
export function sameContainer(own: View, wanted: View): bool {
  if (!own.isObject || !wanted.isObject) {
    return false;
  }
  for (let member = own.first(); member.exists; member = member.next()) {
    const other = wanted.findKey(member.name);
    if (member.name.is('volumeMounts')) {
      if (!sameMounts(member.value, other.exists ? other.value : other)) {
        return false;
      }
    } else if (member.name.is('resources')) {
      if (!sameResources(member.value, other.exists ? other.value : other)) {
        return false;
      }
    } else if (other.exists ? !isSame(member.value, other.value) : !mayBeMissing(own, member)) {
      return false;
    }
  }
  return covers(wanted, own, false);
}

/** The wanted mounts, and behind them at most the token. */
function sameMounts(own: View, wanted: View): bool {
  let other = wanted.first();
  for (let mount = own.first(); mount.exists; mount = mount.next()) {
    if (other.exists && isSame(mount, other)) {
      other = other.next();
    } else if (!mount.get('mountPath').is(TOKEN_PATH) || !mount.get('readOnly').isTrue) {
      return false;
    }
  }
  return !other.exists;
}

/** The wanted resources; requests that are not wanted may be there where they equal the limit. */
function sameResources(own: View, wanted: View): bool {
  if (!isSame(own.get('limits'), wanted.get('limits')) && !areEmpty(own.get('limits'), wanted.get('limits'))) {
    return false;
  }
  const requests = wanted.get('requests');
  for (let request = own.get('requests').first(); request.exists; request = request.next()) {
    const other = requests.find(request.name);
    if (!sameValue(request.value, other.exists ? other : own.get('limits').find(request.name))) {
      return false;
    }
  }
  for (let request = requests.first(); request.exists; request = request.next()) {
    if (!own.get('requests').findKey(request.name).exists) {
      return false;
    }
  }
  return areEmpty(own.get('claims'), wanted.get('claims')) || isSame(own.get('claims'), wanted.get('claims'));
}

function areEmpty(a: View, b: View): bool {
  return a.isEmpty && b.isEmpty;
}

/** Equal but for members that are empty, and the version of field references. */
function isSame(own: View, wanted: View): bool {
  if (own.kind != wanted.kind) {
    return false;
  }
  if (own.isArray) {
    let other = wanted.first();
    for (let item = own.first(); item.exists; item = item.next()) {
      if (!other.exists || !isSame(item, other)) {
        return false;
      }
      other = other.next();
    }
    return !other.exists;
  }
  return own.isObject ? covers(own, wanted, true) && covers(wanted, own, false) : sameValue(own, wanted);
}

/** Is each member of `a` in `b`, or one that may be missing there? */
function covers(a: View, b: View, compare: bool): bool {
  for (let member = a.first(); member.exists; member = member.next()) {
    const other = b.findKey(member.name);
    if (!other.exists) {
      if (!mayBeMissing(a, member)) {
        return false;
      }
    } else if (compare && !isSame(member.value, other.value)) {
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
