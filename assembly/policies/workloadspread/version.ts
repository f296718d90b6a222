// The version of a pod's template: pods of different ones are counted apart (workloadspread.md 4).

import { CONTROLLER_REVISION_LABEL, POD_TEMPLATE_HASH, VERSION_IGNORED } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { isSameLetters } from '../../object/any-case';
import { controllerOf } from '../../object/pod';

/** The key of the pod's ledger: only pods of Deployments and ReplicaSets have versions. */
export function versionOfPod(pod: View): Text {
  const labels = pod.get('metadata').get('labels');
  if (isVersioned(controllerOf(pod))) {
    if (labels.get(POD_TEMPLATE_HASH).exists) {
      return labels.get(POD_TEMPLATE_HASH).text();
    }
    if (labels.get(CONTROLLER_REVISION_LABEL).exists) {
      return behindLastDash(labels.get(CONTROLLER_REVISION_LABEL).text());
    }
  }
  return Text.of(VERSION_IGNORED);
}

function isVersioned(owner: View): bool {
  const kind = owner.get('kind').text();
  return isSameLetters(kind, 'replicaset') || isSameLetters(kind, 'deployment');
}

function behindLastDash(text: Text): Text {
  let at = text.length;
  while (at > 0 && text.byteAt(at - 1) != 0x2d) {
    at--;
  }
  return text.slice(at, text.length);
}
