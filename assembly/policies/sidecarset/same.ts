// Is a container of the pod already what would be injected? Then it stays as it is, so that a second pass changes nothing.

import { CONTAINER_BARRIER_ENV } from '../../../api/names';
import { Text } from '../../json/text';
import { sameValue, View } from '../../json/view';
import { MovedProbes } from '../moved-probes';
import { isAsAbsent } from './api-defaults';
import { Injected } from './container';

/** Where the API server's ServiceAccount plug-in mounts the token, also into containers that webhooks added. */
const TOKEN_PATH: string = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Compares containers of a pod with those that are to be injected into it. */
export class Sameness {
  private readonly moved: MovedProbes;

  constructor(pod: View) {
    this.moved = new MovedProbes(pod);
  }

  /** Equal but for what the API server and later steps write into a container between two calls of webhooks. */
  isKept(own: View, wanted: Injected): bool {
    if (!own.isObject || !wanted.container.isObject) {
      return false;
    }
    for (let member = own.first(); member.exists; member = member.next()) {
      if (!isSameMember(member, own, wanted)) {
        return false;
      }
    }
    return this.hasAll(own, wanted.container, wanted.name);
  }

  /** Is each member of the wanted container in the pod's, or one that may be missing there? */
  private hasAll(own: View, wanted: View, name: Text): bool {
    for (let member = wanted.first(); member.exists; member = member.next()) {
      if (!own.findKey(member.name).exists && !isAsAbsent(wanted, member)) {
        if (!member.name.is('livenessProbe') || !this.moved.has(name, member.value)) {
          return false;
        }
      }
    }
    return true;
  }
}

function isSameMember(member: View, own: View, wanted: Injected): bool {
  const key = wanted.container.findKey(member.name);
  const other = key.exists ? key.value : key;
  if (member.name.is('volumeMounts')) {
    return sameMounts(member.value, other);
  }
  if (member.name.is('env')) {
    return sameEnv(member.value, other);
  }
  if (member.name.is('resources')) {
    return sameResources(member.value, other, wanted.expressions);
  }
  // AlwaysPullImages sets it, and refuses a pod in which it is set back.
  if (member.name.is('imagePullPolicy') && member.value.is('Always')) {
    return true;
  }
  return key.exists ? isSame(member.value, other) : isAsAbsent(own, member);
}

/** The wanted mounts in their order, and the token wherever it stands: sidecars that share mounts have it from others too. */
function sameMounts(own: View, wanted: View): bool {
  let other = behindToken(wanted.first());
  for (let mount = behindToken(own.first()); mount.exists; mount = behindToken(mount.next())) {
    if (!other.exists || !isSame(mount, other)) {
      return false;
    }
    other = behindToken(other.next());
  }
  return !other.exists && (hasToken(own) || !hasToken(wanted));
}

/** The mount itself, or the first behind it that is not the token. */
function behindToken(mount: View): View {
  while (isToken(mount)) {
    mount = mount.next();
  }
  return mount;
}

function isToken(mount: View): bool {
  return mount.get('mountPath').is(TOKEN_PATH) && mount.get('readOnly').isTrue;
}

function hasToken(mounts: View): bool {
  let mount = mounts.first();
  while (mount.exists && !isToken(mount)) {
    mount = mount.next();
  }
  return mount.exists;
}

/** The wanted variables, and behind them at most the barrier of a launch order. */
function sameEnv(own: View, wanted: View): bool {
  let other = wanted.first();
  for (let env = own.first(); env.exists; env = env.next()) {
    if (other.exists && isSame(env, other)) {
      other = other.next();
    } else if (!env.get('name').is(CONTAINER_BARRIER_ENV)) {
      return false;
    }
  }
  return !other.exists;
}

/**
 * The wanted resources. Requests that are not wanted may be there where they equal the limit, and the defaults of a
 * LimitRange where nothing is wanted. Where an expression gave nothing, none is what is wanted.
 */
function sameResources(own: View, wanted: View, expressions: View): bool {
  const limits = wanted.get('limits');
  for (let limit = own.get('limits').first(); limit.exists; limit = limit.next()) {
    const other = limits.find(limit.name);
    if (other.exists ? !sameValue(limit.value, other) : hasText(expressions.get('limits').find(limit.name))) {
      return false;
    }
  }
  const requests = wanted.get('requests');
  for (let request = own.get('requests').first(); request.exists; request = request.next()) {
    const other = requests.find(request.name);
    if (!sameValue(request.value, other.exists ? other : own.get('limits').find(request.name))) {
      if (other.exists || limits.findKey(request.name).exists) {
        return false;
      }
    }
  }
  return (
    hasNames(own.get('limits'), limits) &&
    hasNames(own.get('requests'), requests) &&
    (areEmpty(own.get('claims'), wanted.get('claims')) || isSame(own.get('claims'), wanted.get('claims')))
  );
}

function hasText(expression: View): bool {
  return !expression.text().isEmpty;
}

function hasNames(amounts: View, wanted: View): bool {
  for (let amount = wanted.first(); amount.exists; amount = amount.next()) {
    if (!amounts.findKey(amount.name).exists) {
      return false;
    }
  }
  return true;
}

function areEmpty(a: View, b: View): bool {
  return a.isEmpty && b.isEmpty;
}

/** Equal but for members that are as good as absent. */
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
      if (!isAsAbsent(a, member)) {
        return false;
      }
    } else if (compare && !isSame(member.value, other.value)) {
      return false;
    }
  }
  return true;
}
