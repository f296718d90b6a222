// Annotations that a SidecarSet puts on pods (sidecarset.md 5.6).

import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { writeMerged } from '../../object/merge';
import { Review } from '../../review';

/** Applies the items of `patchPodMetadata` in order; refuses the pod when a merge is not possible. */
export function patchMetadata(items: View, review: Review): void {
  for (let item = items.first(); item.exists; item = item.next()) {
    const policy = item.get('patchPolicy');
    const annotations = item.get('annotations');
    for (let member = annotations.first(); member.exists && !review.isRefused; member = member.next()) {
      const text = member.value.text();
      const own = review.object.get('metadata').get('annotations').findKey(member.name);
      if (policy.is('Overwrite')) {
        put(member.name, text, review);
      } else if (policy.is('MergePatchJson')) {
        merge(member.name, own.exists ? own.value.text() : Text.empty(), text, review);
      } else if (!own.exists && (policy.is('Retain') || policy.text().isEmpty)) {
        put(member.name, text, review);
      }
    }
  }
}

function merge(name: Text, own: Text, patch: Text, review: Review): void {
  // A text equal to the patch is what an earlier pass put there.
  if (own.isEmpty || own.equals(patch)) {
    put(name, patch, review);
    return;
  }
  const value = parse(own);
  if (!value.isSet) {
    review.refuse(500, Text.of('Invalid JSON Document'));
    return;
  }
  const change = parse(patch);
  if (!change.isObject && !change.isArray) {
    review.refuse(500, Text.of('Invalid JSON Patch'));
    return;
  }
  const out = new Writer();
  writeMerged(value, change, out);
  put(name, out.toText(), review);
}

function put(name: Text, text: Text, review: Review): void {
  const metadata: Draft = review.object.needObject('metadata');
  metadata.needObject('annotations').putText(name, text);
}
