// The shape of a pod, as far as policies step through it: what should be an object or a list is one.

import { Text } from '../json/text';
import { Kind, View } from '../json/view';
import { Decoding } from '../object/decode';

/** What of the pod cannot be decoded; null when all is right. */
export function podFault(pod: View): Text | null {
  // Every pod comes by here, and almost none has a fault that would have to be told.
  return isShaped(pod) ? null : faultOf(pod);
}

function isShaped(pod: View): bool {
  const metadata = pod.get('metadata');
  const spec = pod.get('spec');
  return (
    isOf(metadata, Kind.Object) &&
    isOf(metadata.get('labels'), Kind.Object) &&
    isOf(metadata.get('annotations'), Kind.Object) &&
    areObjects(metadata.get('ownerReferences')) &&
    isOf(spec, Kind.Object) &&
    areObjects(spec.get('containers')) &&
    areObjects(spec.get('initContainers')) &&
    areObjects(spec.get('volumes')) &&
    isOf(pod.get('status'), Kind.Object)
  );
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
  const spec = pod.get('spec');
  decoding.isMetadata(pod.get('metadata'), 'Pod') &&
    decoding.isObject(spec, 'Pod', 'spec', 'v1.PodSpec') &&
    decoding.isArrayOfObjects(spec.get('containers'), 'PodSpec', 'spec.containers', 'v1.Container') &&
    decoding.isArrayOfObjects(spec.get('initContainers'), 'PodSpec', 'spec.initContainers', 'v1.Container') &&
    decoding.isArrayOfObjects(spec.get('volumes'), 'PodSpec', 'spec.volumes', 'v1.Volume') &&
    decoding.isObject(pod.get('status'), 'Pod', 'status', 'v1.PodStatus');
  return decoding.fault;
}
