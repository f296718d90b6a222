// The shape of a pod, as far as policies step through it: what should be an object, a list or a text is one.

import { Text } from '../json/text';
import { Kind, View } from '../json/view';
import { Decoding } from '../object/decode';
import { isPodPatch } from '../object/typed';

/** What of the pod cannot be decoded; null when all is right. */
export function podFault(pod: View): Text | null {
  // Every pod comes by here, and almost none has a fault that would have to be told.
  return isShaped(pod) ? null : faultOf(pod);
}

function isShaped(pod: View): bool {
  const metadata = pod.get('metadata');
  const spec = pod.get('spec');
  const status = pod.get('status');
  return (
    isOf(metadata, Kind.Object) &&
    areTexts(metadata.get('labels')) &&
    areTexts(metadata.get('annotations')) &&
    areObjects(metadata.get('ownerReferences')) &&
    isOf(metadata.get('deletionTimestamp'), Kind.String) &&
    isOf(spec, Kind.Object) &&
    areContainers(spec.get('containers')) &&
    areContainers(spec.get('initContainers')) &&
    areObjects(spec.get('volumes')) &&
    areObjects(spec.get('imagePullSecrets')) &&
    areObjects(spec.get('readinessGates')) &&
    isOf(status, Kind.Object) &&
    isOf(status.get('phase'), Kind.String)
  );
}

function areTexts(map: View): bool {
  for (let member = map.first(); member.exists; member = member.next()) {
    if (!isOf(member.value, Kind.String)) {
      return false;
    }
  }
  return isOf(map, Kind.Object);
}

function areContainers(list: View): bool {
  for (let container = list.first(); container.exists; container = container.next()) {
    if (
      !isOf(container, Kind.Object) ||
      !isOf(container.get('name'), Kind.String) ||
      !isOf(container.get('env'), Kind.Array) ||
      !isOf(container.get('volumeMounts'), Kind.Array)
    ) {
      return false;
    }
  }
  return isOf(list, Kind.Array);
}

function areObjects(list: View): bool {
  return isOf(list, Kind.Array) && !list.firstBeside(Kind.Object).exists;
}

/** Absent and null are right everywhere. */
function isOf(value: View, kind: Kind): bool {
  return !value.isSet || value.kind == kind;
}

function faultOf(pod: View): Text | null {
  const decoding = new Decoding();
  const status = pod.get('status');
  isPodPatch(pod, decoding) &&
    decoding.isObject(status, 'Pod', 'status', 'v1.PodStatus') &&
    decoding.isString(status.get('phase'), 'PodStatus', 'status.phase', 'v1.PodPhase');
  return decoding.fault;
}
