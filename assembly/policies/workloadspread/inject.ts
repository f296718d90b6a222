// What a subset puts on its pods (workloadspread.md 3.6). A pod that carries the same subset already, from an earlier
// review, gets only what it lacks.

import { MATCHED_WORKLOADSPREAD } from '../../../api/names';
import { Appender, Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { sameValue, View } from '../../json/view';
import { Decoding } from '../../object/decode';
import { Shape } from '../../object/merge-shapes';
import { StrategicMerge } from '../../object/strategic-merge';
import { isPodPatch } from '../../object/typed';
import { podFault } from '../pod';
import { Matched } from './annotation';

const PREFERRED: string = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED: string = 'requiredDuringSchedulingIgnoredDuringExecution';

/** So many expressions are put into the terms of a pod, and so many items compared: a pod is made for a node, not for this. */
const COPIES_MOST: i32 = 100_000;
const COMPARED_MOST: i64 = 1_000_000;

/** Gives why the pod cannot be what the subset wants; null when it is. */
export function inject(subset: View, matched: Matched, pod: Draft): Text | null {
  const before = Matched.of(pod);
  const isAgain = before.spread.equals(matched.spread) && before.subset.equals(matched.subset);
  const spec = pod.needObject('spec');
  addAll(spec, 'tolerations', subset.get('tolerations'), isAgain);
  const affinity = spec.needObject('affinity').needObject('nodeAffinity');
  addAll(affinity, PREFERRED, subset.get('preferredNodeSelector'), isAgain);
  let fault: Text | null = null;
  if (subset.get('requiredNodeSelector').isObject) {
    fault = requireTerm(affinity, subset.get('requiredNodeSelector'), isAgain);
  }
  if (fault === null && subset.get('patch').isSet) {
    fault = applyPatch(subset.get('patch'), pod);
  }
  if (fault === null) {
    const annotations = pod.needObject('metadata').needObject('annotations');
    annotations.putText(Text.of(MATCHED_WORKLOADSPREAD), matched.toText());
  }
  return fault;
}

/** The pod's terms are alternatives, so each is narrowed. */
function requireTerm(affinity: Draft, term: View, isAgain: bool): Text | null {
  const terms = affinity.needObject(REQUIRED).needArray('nodeSelectorTerms');
  if (terms.isEmpty) {
    terms.append(Draft.copy(term));
    return null;
  }
  const added = term.get('matchExpressions').count() + term.get('matchFields').count();
  if (<i64>added * terms.count() > COPIES_MOST) {
    return Text.of('spec.affinity: too many node selector terms to put those of the subset into each');
  }
  for (let own = terms.first(); own.exists; own = own.next()) {
    if (own.isObject) {
      addAll(Draft.of(own), 'matchExpressions', term.get('matchExpressions'), isAgain);
      addAll(Draft.of(own), 'matchFields', term.get('matchFields'), isAgain);
    }
  }
  return null;
}

/** Appends the items to the object's list; of those that may be there already only what is missing. */
function addAll(object: Draft, member: string, items: View, isAgain: bool): void {
  const appender = new Appender(object, member);
  const present = object.get(member);
  const count = items.count();
  const isCompared = isAgain && <i64>count * (count + present.count()) < COMPARED_MOST;
  for (let item = items.first(); item.exists; item = item.next()) {
    if (!isCompared || countSame(present, item, View.none()) < countSame(items, item, item.next())) {
      appender.add(Draft.copy(item));
    }
  }
}

/** How many items are this value, up to the one at `end`. */
function countSame(list: View, wanted: View, end: View): i32 {
  let count = 0;
  for (let item = list.first(); item.exists && item != end; item = item.next()) {
    if (sameValue(item, wanted)) {
      count++;
    }
  }
  return count;
}

/** The patch is JSON, or JSON text in a string where a user wrote it so. */
function applyPatch(patch: View, pod: Draft): Text | null {
  const priorityClass = pod.get('spec').get('priorityClassName').text();
  const merge = new StrategicMerge();
  const value = patch.isString ? parse(patch.text()) : patch;
  const merged = merge.merge(Shape.Pod, pod, value);
  if (merge.fault !== null) {
    return merge.fault;
  }
  if (merged != pod) {
    return Text.of('the patch of the subset replaces the whole pod');
  }
  const decoding = new Decoding();
  const fault = isPodPatch(value, decoding) ? podFault(pod) : decoding.fault;
  if (fault === null && !pod.get('spec').get('priorityClassName').text().equals(priorityClass)) {
    // The API server computes the number anew, and refuses one that does not belong to the class.
    pod.needObject('spec').remove('priority');
  }
  return fault;
}
