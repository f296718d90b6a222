// Probes of PodProbeMarkers handed over to virtual nodes: written on every new pod, since its node is not known yet
// (podprobemarker.md 6.1).

import { POD_PROBE, POD_PROBE_MARKER_LIST } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Review } from '../../review';
import { hasKind } from '../../store/store';
import { Stored } from '../../store/stored';
import { Handover } from './handover';
import { listOf, markersOf } from './markers';

export function mutate(review: Review): void {
  if (!isOn(Gate.ServerlessProbes) || !hasKind(Stored.PodProbeMarker) || !review.isPodCreation) {
    return;
  }
  const markers = markersOf(review.object, review.namespace);
  if (markers.length == 0) {
    return;
  }
  const handover = new Handover(markers, review.object);
  if (!handover.isEmpty && !isHandedOver(handover, review.object)) {
    const annotations = review.object.needObject('metadata').needObject('annotations');
    annotations.putText(Text.of(POD_PROBE), handover.probes());
    annotations.putText(Text.of(POD_PROBE_MARKER_LIST), handover.names());
  }
}

/** Does the pod carry these probes from an earlier pass? Two markers with the same probe must not take turns in the list. */
function isHandedOver(handover: Handover, pod: View): bool {
  const before = pod.get('metadata').get('annotations').get(POD_PROBE);
  return before.isString && !listOf(pod).isEmpty && before.text().equals(handover.probes());
}
