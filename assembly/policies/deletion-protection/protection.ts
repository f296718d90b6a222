// What every kind that can be protected has in common: which requests are judged, the label, the texts that clients know
// (deletion-protection.md 4 to 6).

import { DELETE_PROTECTION, PROTECT_ALWAYS, PROTECT_CASCADING } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { between, Writer } from '../../json/writer';
import { Decoding } from '../../object/decode';
import { Fact } from '../../object/fact';
import { Operation, Review } from '../../review';
import { noteProtection } from '../denial';

/** What keeps an object is counted up to here: the text tells it, and any number above none is a refusal. */
export const COUNT_MOST: i32 = 500;

/** Clients know a refusal by this beginning. */
const PREFIX: string = 'forbidden by ResourcesProtectionDeletion for ';

/** Is there an object whose deletion is judged? Whatever else arrives is allowed. */
export function isDeletion(review: Review): bool {
  return review.operation == Operation.Delete && !review.hasSubResource && review.oldObject.isSet;
}

/** What is asked of an object before it may go. */
export const enum Protection {
  None,
  Always,
  /** Only while it has live content. */
  Cascading,
}

/** The protection of the object; none while the gate is off, and none of what is on its way out already. */
export function protectionOf(review: Review): Protection {
  const metadata = review.oldObject.get('metadata');
  if (!isOn(Gate.DeletionProtection) || metadata.get('deletionTimestamp').isSet) {
    return Protection.None;
  }
  const label = metadata.get('labels').get(DELETE_PROTECTION);
  if (label.is(PROTECT_ALWAYS)) {
    return Protection.Always;
  }
  if (label.is(PROTECT_CASCADING)) {
    return Protection.Cascading;
  }
  if (label.exists) {
    review.warn(between('the value of label policy.kruise.io/delete-protection protects nothing: ', label.text()));
  }
  return Protection.None;
}

export function refuseAlways(review: Review): void {
  refuseDeletion(between(PREFIX, Text.of(DELETE_PROTECTION), '=Always'), review);
}

/** The object has so much of this that still lives. */
export function refuseCascading(what: string, count: i64, review: Review): void {
  const out = new Writer();
  out.ascii(PREFIX);
  out.ascii(DELETE_PROTECTION);
  out.ascii('=Cascading and ');
  out.ascii(what);
  out.byte(0x20);
  out.integer(count);
  out.ascii('>0');
  refuseDeletion(out.toText(), review);
}

function refuseDeletion(message: Text, review: Review): void {
  review.refuse(403, message);
  noteProtection(review);
}

/** Why there is no count. */
export function uncounted(fact: Fact): Text {
  return fact.error.isEmpty ? Text.of('the answer is no count') : fact.error;
}

/** What keeps the object cannot be counted. */
export function refuseUncounted(what: string, error: Text, review: Review): void {
  const out = new Writer();
  out.ascii(PREFIX);
  out.ascii('list ');
  out.ascii(what);
  out.ascii(' error: ');
  out.text(error);
  refuseDeletion(out.toText(), review);
}

/** Refuses the request when something in the old object cannot be decoded. */
export function isDecoded(decoding: Decoding, review: Review): bool {
  const fault = decoding.fault;
  if (fault !== null) {
    review.refuse(400, fault);
  }
  return fault === null;
}
