// Which PodProbeMarkers are for a pod (podprobemarker.md 3.2).

import { POD_PROBE_MARKER_LIST } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { isEmptySelector, Selection, selects } from '../../object/selector';
import { find } from '../../store/store';
import { Stored } from '../../store/stored';
import { InNamespace, sortedByName } from '../namespaced';

/** Those that the pod names, in its order; without a list, those that select it, by name. */
export function markersOf(pod: View, namespace: Text): Array<View> {
  const list = listOf(pod);
  if (!list.isEmpty) {
    return named(list, namespace);
  }
  const found: Array<View> = [];
  const walk = new InNamespace(Stored.PodProbeMarker, namespace);
  if (walk.isEmpty) {
    return found;
  }
  walk.lookByLabels(pod.get('metadata').get('labels'));
  for (let marker = walk.next(); marker.exists; marker = walk.next()) {
    if (selectionOf(marker, pod) == Selection.Yes) {
      found.push(marker);
    }
  }
  return sortedByName(found);
}

/** The names that the pod gives, joined by commas; mostly empty. */
export function listOf(pod: View): Text {
  return pod.get('metadata').get('annotations').get(POD_PROBE_MARKER_LIST).text();
}

/** An empty selector selects nothing here. */
export function selectionOf(marker: View, pod: View): Selection {
  const selector = marker.get('spec').get('selector');
  return isEmptySelector(selector) ? Selection.No : selects(selector, pod.get('metadata').get('labels'));
}

function named(list: Text, namespace: Text): Array<View> {
  const found: Array<View> = [];
  let from = 0;
  while (from <= list.length) {
    const comma = list.indexOf(0x2c, from);
    const end = comma < 0 ? list.length : comma;
    const marker = find(Stored.PodProbeMarker, namespace, list.slice(from, end));
    if (marker.exists) {
      found.push(marker);
    }
    from = end + 1;
  }
  return found;
}
