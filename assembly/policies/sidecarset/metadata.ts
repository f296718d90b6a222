// Annotations that a SidecarSet puts on pods (sidecarset.md 5.6).

import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { writeMerged } from '../../object/merge';
import { Review } from '../../review';

/**
 * Applies the items of `patchPodMetadata` in order; refuses the pod when a merge is not possible. `isAgain` says that the
 * pod carries the set from an earlier pass.
 */
export function patchMetadata(items: View, isAgain: bool, review: Review): void {
  for (let item = items.first(); item.exists; item = item.next()) {
    const policy = item.get('patchPolicy');
    const annotations = item.get('annotations');
    for (let member = annotations.first(); member.exists && !review.isRefused; member = member.next()) {
      const text = member.value.text();
      const own = review.object.get('metadata').get('annotations').findKey(member.name);
      if (policy.is('Overwrite')) {
        put(member.name, text, review);
      } else if (policy.is('MergePatchJson')) {
        const before = own.exists ? own.value.text() : Text.empty();
        // Where nothing stood an earlier pass put the text as it is; it stays so, whatever its blanks.
        if (!isAgain || !before.equals(text)) {
          merge(member.name, before, text, review);
        }
      } else if (!own.exists && (policy.is('Retain') || policy.text().isEmpty)) {
        put(member.name, text, review);
      }
    }
  }
}

function merge(name: Text, own: Text, patch: Text, review: Review): void {
  if (own.isEmpty) {
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
