// A pod that is created again goes where its namesake was (persistentpodstate.md 2).

import { INJECTED_PERSISTENT_POD_STATE } from '../../../api/names';
import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { sameValue, View } from '../../json/view';
import { controllerOf } from '../../object/pod';
import { Review } from '../../review';
import { hasKind } from '../../store/store';
import { Stored } from '../../store/stored';
import { InNamespace, isBeingDeleted, nameOf } from '../namespaced';
import { isSame } from '../workload';
import { preferredTerms, requiredLabels } from './topology';
import { isSupported } from './workloads';

export function mutate(review: Review): void {
  if (!hasKind(Stored.PersistentPodState)) {
    return;
  }
  const owner = controllerOf(review.object);
  if (!review.isPodCreation || !owner.exists) {
    return;
  }
  const state = stateOf(owner, review.namespace);
  if (!state.exists || !isSupported(owner, review)) {
    return;
  }
  const labels = recordedLabels(state, nameOf(review.object));
  if (!labels.isObject || labels.isEmpty) {
    return;
  }
  const required = requiredLabels(state, labels);
  const preferred = preferredTerms(state, labels);
  if (required.length + preferred.length > 0) {
    inject(nameOf(state), required, preferred, review.object);
  }
}

/** Of those that are of this workload and not being deleted, the first by name; `none` when there is none. */
export function stateOf(owner: View, namespace: Text): View {
  let first = View.none();
  const walk = new InNamespace(Stored.PersistentPodState, namespace).lookBySubject(owner.get('name').text());
  for (let state = walk.next(); state.exists; state = walk.next()) {
    if (isSame(state.get('spec').get('targetRef'), owner) && !isBeingDeleted(state)) {
      if (!first.exists || nameOf(state).compare(nameOf(first)) < 0) {
        first = state;
      }
    }
  }
  return first;
}

/** The labels of the node where the pod of that name was. */
export function recordedLabels(state: View, pod: Text): View {
  return state.get('status').get('podStates').find(pod).get('nodeTopologyLabels');
}

/** `required` are members of the record. */
function inject(name: Text, required: Array<View>, preferred: Array<Draft>, pod: Draft): void {
  const annotations = pod.needObject('metadata').needObject('annotations');
  // A second pass finds the terms of the first one; terms of the pod itself that are the same count beside ours.
  const isAgain = annotations.get(INJECTED_PERSISTENT_POD_STATE).text().equals(name);
  annotations.putText(Text.of(INJECTED_PERSISTENT_POD_STATE), name);
  const spec = pod.needObject('spec');
  for (let i = 0; i < required.length; i++) {
    spec.needObject('nodeSelector').putText(required[i].name, required[i].value.text());
  }
  if (preferred.length == 0) {
    return;
  }
  const terms = spec
    .needObject('affinity')
    .needObject('nodeAffinity')
    .needArray('preferredDuringSchedulingIgnoredDuringExecution');
  for (let i = 0; i < preferred.length; i++) {
    if (!isAgain || countSame(terms, preferred[i]) < countAmong(preferred, i)) {
      terms.append(preferred[i]);
    }
  }
}

function countSame(terms: View, wanted: View): i32 {
  let count = 0;
  for (let term = terms.first(); term.exists; term = term.next()) {
    if (sameValue(term, wanted)) {
      count++;
    }
  }
  return count;
}

/** How many of the terms up to this one are like it. */
function countAmong(terms: Array<Draft>, last: i32): i32 {
  let count = 0;
  for (let i = 0; i <= last; i++) {
    if (sameValue(terms[i], terms[last])) {
      count++;
    }
  }
  return count;
}
