// The shape of a pod, as far as policies read it: what they step through are objects and lists.

import { Text } from '../json/text';
import { View } from '../json/view';
import { Decoding } from '../object/decode';

/** What of the pod cannot be decoded; null when all is right. */
export function podFault(pod: View): Text | null {
  const decoding = new Decoding();
  if (
    decoding.isMetadata(pod.get('metadata'), 'Pod') &&
    decoding.isObject(pod.get('status'), 'Pod', 'status', 'v1.PodStatus') &&
    decoding.isObject(pod.get('spec'), 'Pod', 'spec', 'v1.PodSpec')
  ) {
    checkSpec(pod.get('spec'), decoding);
  }
  return decoding.fault;
}

function checkSpec(spec: View, decoding: Decoding): bool {
  return (
    areContainers(spec.get('containers'), 'spec.containers', decoding) &&
    areContainers(spec.get('initContainers'), 'spec.initContainers', decoding) &&
    isList(spec.get('volumes'), 'spec.volumes', 'v1.Volume', decoding) &&
    isList(spec.get('imagePullSecrets'), 'spec.imagePullSecrets', 'v1.LocalObjectReference', decoding) &&
    isList(spec.get('readinessGates'), 'spec.readinessGates', 'v1.PodReadinessGate', decoding) &&
    decoding.isStringMap(spec.get('nodeSelector'), 'PodSpec', 'spec.nodeSelector') &&
    decoding.isObject(spec.get('affinity'), 'PodSpec', 'spec.affinity', 'v1.Affinity')
  );
}

function isList(value: View, path: string, type: string, decoding: Decoding): bool {
  return decoding.isArrayOfObjects(value, 'PodSpec', path, type);
}

function areContainers(list: View, path: string, decoding: Decoding): bool {
  if (!isList(list, path, 'v1.Container', decoding)) {
    return false;
  }
  decoding.prefix = path;
  let isRight = true;
  for (let container = list.first(); container.exists && isRight; container = container.next()) {
    isRight = isContainer(container, decoding);
  }
  decoding.prefix = '';
  return isRight;
}

function isContainer(container: View, decoding: Decoding): bool {
  return (
    decoding.isString(container.get('name'), 'Container', '.name') &&
    decoding.isString(container.get('restartPolicy'), 'Container', '.restartPolicy') &&
    decoding.isArrayOfObjects(container.get('env'), 'Container', '.env', 'v1.EnvVar') &&
    decoding.isArrayOfObjects(container.get('volumeMounts'), 'Container', '.volumeMounts', 'v1.VolumeMount') &&
    decoding.isArrayOfObjects(container.get('volumeDevices'), 'Container', '.volumeDevices', 'v1.VolumeDevice') &&
    decoding.isObject(container.get('livenessProbe'), 'Container', '.livenessProbe', 'v1.Probe')
  );
}
