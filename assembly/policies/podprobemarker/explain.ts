// Why the probes of a PodProbeMarker are or are not handed over with a new pod.

import { Gate, isOn } from '../../gates';
import { View } from '../../json/view';
import { isEmptySelector, Selection } from '../../object/selector';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { Explanation, Explanations } from '../explanations';
import { allInNamespace, nameOf } from '../namespaced';
import { Handover } from './handover';
import { listOf, markersOf, selectionOf } from './markers';

export function explain(review: Review, out: Explanations): void {
  const markers = markersOf(review.object, review.namespace);
  const handover = new Handover(markers, review.object);
  const all = allInNamespace(Stored.PodProbeMarker, review.namespace);
  for (let i = 0; i < all.length; i++) {
    const say = out.about('PodProbeMarker', review.namespace, nameOf(all[i]));
    if (!isOn(Gate.ServerlessProbes)) {
      say.no('GateOff', 'the gate EnablePodProbeMarkerOnServerless is off, so probes are not written on pods');
    } else if (!review.isPodCreation) {
      say.no('NotAPodCreation', 'probes are handed over only when a pod is created');
    } else if (handover.has(all[i])) {
      say.yes('HandedOver', 'its probes are written on the pod');
    } else if (isAmong(markers, all[i])) {
      say.no('NoProbe', 'no probe of it has a condition of its own and a container of the pod');
    } else {
      explainMiss(all[i], review.object, say);
    }
  }
}

function explainMiss(marker: View, pod: View, say: Explanation): void {
  if (!listOf(pod).isEmpty) {
    say.no('NotListed', 'the annotation kruise.io/podprobemarker-list names others: ', listOf(pod));
  } else if (isEmptySelector(marker.get('spec').get('selector'))) {
    say.no('NoSelector', 'spec.selector is empty, which selects no pod');
  } else if (selectionOf(marker, pod) == Selection.Invalid) {
    say.no('SelectorInvalid', 'spec.selector is not a label selector');
  } else {
    say.no('SelectorMismatch', 'spec.selector does not select the labels of the pod');
  }
}

function isAmong(markers: Array<View>, wanted: View): bool {
  for (let i = 0; i < markers.length; i++) {
    if (markers[i] == wanted) {
      return true;
    }
  }
  return false;
}
