// Deletion of objects that have no content of their own, so that only Always protects them (deletion-protection.md 5).

import { Text } from '../../json/text';
import { Decoding } from '../../object/decode';
import { Review } from '../../review';
import { isDecoded, isDeletion, Protection, protectionOf, refuseAlways } from './protection';

export function protectService(review: Review): void {
  protectPlain('Service', review);
}

/** Versions of the API of ingresses other than these two are let pass. */
export function protectIngress(review: Review): void {
  const version = review.request.get('kind').get('version');
  if (version.is('v1') || version.is('v1beta1')) {
    protectPlain('Ingress', review);
  }
}

function protectPlain(kind: string, review: Review): void {
  if (!isDeletion(review)) {
    return;
  }
  const decoding = new Decoding();
  decoding.isWhole(review.oldObject, kind) && decoding.isMetadata(review.oldObject.get('metadata'), kind);
  if (!isDecoded(decoding, review)) {
    return;
  }
  const protection = protectionOf(review);
  if (protection == Protection.Always) {
    refuseAlways(review);
  } else if (protection == Protection.Cascading) {
    review.warn(Text.of('the value Cascading of label policy.kruise.io/delete-protection protects nothing here'));
  }
}
