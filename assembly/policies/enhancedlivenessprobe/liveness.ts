// Liveness probes that the platform is to run are taken off the containers and kept in an annotation
// (enhancedlivenessprobe.md 1).

import { CONTAINER_PROBE_CONTEXT } from '../../../api/names';
import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { writeProbe } from '../../object/probe';
import { Review } from '../../review';
import { areProbesMoved, MovedProbes } from '../moved-probes';

export function mutate(review: Review): void {
  const pod = review.object;
  if (!review.isPodCreation || !areProbesMoved(pod) || !hasProbe(pod)) {
    return;
  }
  const context = contextOf(pod);
  pod.needObject('metadata').needObject('annotations').putText(Text.of(CONTAINER_PROBE_CONTEXT), context);
  const containers = pod.edit('spec').edit('containers');
  for (let container = containers.first(); container.exists; container = container.next()) {
    if (container.get('livenessProbe').isSet) {
      Draft.of(container).remove('livenessProbe');
    }
  }
}

export function hasProbe(pod: View): bool {
  for (let container = containersOf(pod).first(); container.exists; container = container.next()) {
    if (container.get('livenessProbe').isSet) {
      return true;
    }
  }
  return false;
}

/**
 * The probes of all containers. One that an earlier pass took off its container is kept: it stands in the annotation
 * alone.
 */
function contextOf(pod: View): Text {
  const before = new MovedProbes(pod);
  const out = new Writer(512);
  out.byte(0x5b);
  for (let container = containersOf(pod).first(); container.exists; container = container.next()) {
    const name = container.get('name').text();
    const own = container.get('livenessProbe');
    const probe = own.isSet ? own : before.of(name);
    if (probe.isObject) {
      if (out.length > 1) {
        out.byte(0x2c);
      }
      out.ascii('{"name":');
      out.quoted(name, Escapes.Html);
      out.ascii(',"livenessProbe":');
      writeProbe(probe, out);
      out.byte(0x7d);
    }
  }
  out.byte(0x5d);
  return out.toText();
}

function containersOf(pod: View): View {
  return pod.get('spec').get('containers');
}
