// Liveness probes that an earlier pass took off the containers of a pod: they stand in an annotation alone
// (enhancedlivenessprobe.md 1).

import { APPS_GROUP, CONTAINER_PROBE_CONTEXT, USING_ENHANCED_LIVENESS } from '../../api/names';
import { Gate, isOn } from '../gates';
import { parse } from '../json/parse';
import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';
import { controllerOf, isOfGroup, named } from '../object/pod';
import { writeProbe } from '../object/probe';

/** Are the liveness probes of the pod the platform's? */
export function areProbesMoved(pod: View): bool {
  return isOn(Gate.EnhancedLivenessProbe) && asksForMovedProbes(pod) && isOfKruise(pod);
}

/** Does the pod say so itself? */
export function asksForMovedProbes(pod: View): bool {
  return pod.get('metadata').get('annotations').get(USING_ENHANCED_LIVENESS).is('true');
}

/** Is the pod of a workload of ours? */
export function isOfKruise(pod: View): bool {
  return isOfGroup(controllerOf(pod).get('apiVersion'), APPS_GROUP);
}

/** What the annotation of a pod holds; it is read when it is first asked for. */
export class MovedProbes {
  private list: View = View.none();
  private isRead: bool = false;

  constructor(private readonly pod: View) {}

  /** The probe of a container; `none` when none was moved. */
  of(container: Text): View {
    if (!this.isRead) {
      this.isRead = true;
      this.list = parse(this.pod.get('metadata').get('annotations').get(CONTAINER_PROBE_CONTEXT).text());
    }
    return named(this.list, container).get('livenessProbe');
  }

  /** Was this the probe of the container, and would it be moved again? */
  has(container: Text, probe: View): bool {
    return areProbesMoved(this.pod) && textOf(this.of(container)).equals(textOf(probe));
  }
}

function textOf(probe: View): Text {
  const out = new Writer();
  writeProbe(probe, out);
  return out.toText();
}
