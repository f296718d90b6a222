// What hosts count and log of a refusal that is a decision (operations.md 12): whom it is about, and who asked. Dry runs leave
// no traces.

import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';
import { controllerOf } from '../object/pod';
import { Review } from '../review';
import { nameOf } from './namespaced';

/** A protected object is not deleted. */
export function noteProtection(review: Review): void {
  if (review.isDryRun) {
    return;
  }
  const request = review.request;
  const named = request.get('name').text();
  const out = new Writer(256);
  out.ascii('{"event":"DeletionProtection"');
  writeMember('kind', request.get('kind').get('kind').text(), out);
  writeMember('namespace', request.get('namespace').text(), out);
  writeMember('name', named.isEmpty ? nameOf(review.oldObject) : named, out);
  writeMember('username', userOf(review), out);
  out.byte(0x7d);
  review.denial = out.toText();
}

/** A pod is kept by its budget; told by its controller, which is known to more people. */
export function noteBudget(pod: View, namespace: Text, review: Review): void {
  if (review.isDryRun) {
    return;
  }
  const owner = controllerOf(pod);
  const out = new Writer(256);
  out.ascii('{"event":"PodUnavailableBudget"');
  writeMember('kind', owner.exists ? owner.get('kind').text() : Text.of('unknown'), out);
  writeMember('namespace', namespace, out);
  writeMember('name', owner.exists ? owner.get('name').text() : nameOf(pod), out);
  writeMember('username', userOf(review), out);
  out.ascii(',"pod":{"name":');
  out.quoted(nameOf(pod));
  writeMember('namespace', namespace, out);
  writeMember('uid', pod.get('metadata').get('uid').text(), out);
  out.ascii('}}');
  review.denial = out.toText();
}

function userOf(review: Review): Text {
  return review.request.get('userInfo').get('username').text();
}

function writeMember(name: string, value: Text, out: Writer): void {
  out.ascii(',"');
  out.ascii(name);
  out.ascii('":');
  out.quoted(value);
}
