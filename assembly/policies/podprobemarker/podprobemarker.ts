// Probes of PodProbeMarkers handed over to virtual nodes: written on every new pod, since its node is not known yet
// (podprobemarker.md 6.1).

import { POD_PROBE, POD_PROBE_MARKER_LIST } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { Review } from '../../review';
import { Handover } from './handover';
import { markersOf } from './markers';

export function mutate(review: Review): void {
  if (!isOn(Gate.ServerlessProbes) || !review.isPodCreation) {
    return;
  }
  const markers = markersOf(review.object, review.namespace);
  if (markers.length == 0) {
    return;
  }
  const handover = new Handover(markers, review.object);
  if (!handover.isEmpty) {
    const annotations = review.object.needObject('metadata').needObject('annotations');
    annotations.putText(Text.of(POD_PROBE), handover.probes());
    annotations.putText(Text.of(POD_PROBE_MARKER_LIST), handover.names());
  }
}
