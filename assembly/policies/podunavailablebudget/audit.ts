// What a denial says besides its message: the budget, its numbers, who has its units, and whose pod it was about. Goes to
// the API server's audit log, and to hosts that count denials.

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { controllerOf } from '../../object/pod';
import { Review } from '../../review';
import { nameOf } from '../namespaced';

/** So many of those that have a unit are named. */
const NAMES_MOST: i32 = 10;

export function auditDenial(pod: View, namespace: Text, budget: View, review: Review): void {
  const status = budget.get('status');
  const owner = controllerOf(pod);
  const out = new Writer(512);
  out.ascii('{"budget":');
  const name = new Writer();
  name.text(namespace);
  name.byte(0x2f);
  name.text(nameOf(budget));
  out.quoted(name.toText());
  writeCount('desired-available', status, 'desiredAvailable', out);
  writeCount('current-available', status, 'currentAvailable', out);
  writeCount('unavailable-allowed', status, 'unavailableAllowed', out);
  out.ascii(',"taken-by":');
  out.quoted(takers(status));
  out.ascii(',"pod-uid":');
  out.quoted(pod.get('metadata').get('uid').text());
  if (owner.exists) {
    out.ascii(',"owner-kind":');
    out.quoted(owner.get('kind').text());
    out.ascii(',"owner-name":');
    out.quoted(owner.get('name').text());
  }
  out.byte(0x7d);
  review.audit = out.toText();
}

function writeCount(annotation: string, status: View, member: string, out: Writer): void {
  out.ascii(',"');
  out.ascii(annotation);
  out.ascii('":"');
  out.integer(status.get(member).integer(0));
  out.byte(0x22);
}

function takers(status: View): Text {
  const out = new Writer();
  const disrupted = status.get('disruptedPods');
  const unavailable = status.get('unavailablePods');
  const named = writeNames(disrupted, 0, out);
  writeNames(unavailable, named, out);
  const more = disrupted.count() + unavailable.count() - NAMES_MOST;
  if (more > 0) {
    out.ascii(' and ');
    out.integer(more);
    out.ascii(' more');
  }
  return out.toText();
}

/** How many have been named after these. */
function writeNames(pods: View, before: i32, out: Writer): i32 {
  let count = before;
  for (let pod = pods.first(); pod.exists && count < NAMES_MOST; pod = pod.next()) {
    if (count > 0) {
      out.ascii(', ');
    }
    out.text(pod.name);
    count++;
  }
  return count;
}
