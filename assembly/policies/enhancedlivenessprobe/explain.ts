// Why the liveness probes of a pod are or are not taken over; pods that do not ask for it are passed over.

import { USING_ENHANCED_LIVENESS } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Review } from '../../review';
import { Explanations } from '../explanations';
import { asksForMovedProbes, isOfKruise } from '../moved-probes';
import { nameOf } from '../namespaced';
import { hasProbe } from './liveness';

export function explain(review: Review, out: Explanations): void {
  const pod = review.object;
  if (!pod.get('metadata').get('annotations').get(USING_ENHANCED_LIVENESS).exists) {
    return;
  }
  const say = out.about('EnhancedLivenessProbe', review.namespace, nameOf(pod));
  if (!isOn(Gate.EnhancedLivenessProbe)) {
    say.no('GateOff', 'the gate EnhancedLivenessProbe is off');
  } else if (!review.isPodCreation) {
    say.no('NotAPodCreation', 'liveness probes are taken over only when a pod is created');
  } else if (!asksForMovedProbes(pod)) {
    say.no('NotAskedFor', 'the annotation apps.kruise.io/using-enhanced-liveness is not true');
  } else if (!isOfKruise(pod)) {
    say.no('OwnerOfOtherGroup', 'the controller of the pod is no workload of apps.kruise.io');
  } else if (!hasProbe(pod)) {
    say.no('NoLivenessProbe', 'no container has a liveness probe');
  } else {
    say.yes('ProbesTakenOver', 'the liveness probes go into an annotation, and the kubelet no longer runs them');
  }
}
