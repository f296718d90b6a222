// What an API server writes into a container where nothing stands, and what it leaves out when it writes a pod down: to it
// both are the same (core/v1, as of Kubernetes 1.32).

import { View } from '../../json/view';

/** Is the member of an object in a container the same as none? */
export function isAsAbsent(object: View, member: View): bool {
  const value = member.value;
  if (!value.isSet || ((value.isArray || value.isObject) && value.isEmpty)) {
    return true;
  }
  if (value.isString) {
    return value.is('') || isDefaultText(object, member);
  }
  if (value.isNumber) {
    return isDefaultNumber(object, member);
  }
  // Of other members, false is another choice than none.
  return !value.isTrue && (isNamed(member, 'readOnly') || isNamed(member, 'stdin') || isNamed(member, 'tty'));
}

function isDefaultText(object: View, member: View): bool {
  const value = member.value;
  return (
    (isNamed(member, 'apiVersion') && value.is('v1') && object.get('fieldPath').exists) ||
    (isNamed(member, 'divisor') && value.is('0')) ||
    (isNamed(member, 'protocol') && value.is('TCP')) ||
    (isNamed(member, 'path') && value.is('/') && object.get('port').exists) ||
    (isNamed(member, 'scheme') && value.is('HTTP')) ||
    (isNamed(member, 'terminationMessagePath') && value.is('/dev/termination-log')) ||
    (isNamed(member, 'terminationMessagePolicy') && value.is('File'))
  );
}

/** Numbers of probes, and the port of the node, which in its network is that of the container. */
function isDefaultNumber(object: View, member: View): bool {
  const number = member.value.integer(-1);
  if (isNamed(member, 'hostPort')) {
    return number == 0 || number == object.get('containerPort').integer(0);
  }
  if (isNamed(member, 'timeoutSeconds') || isNamed(member, 'successThreshold')) {
    return number == 1;
  }
  return (
    (isNamed(member, 'initialDelaySeconds') && number == 0) ||
    (isNamed(member, 'periodSeconds') && number == 10) ||
    (isNamed(member, 'failureThreshold') && number == 3)
  );
}

function isNamed(member: View, name: string): bool {
  return member.name.is(name);
}
