// Why the record of a PersistentPodState is or is not given to a new pod.

import { View } from '../../json/view';
import { controllerOf } from '../../object/pod';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { Explanation, Explanations } from '../explanations';
import { allInNamespace, isBeingDeleted, nameOf } from '../namespaced';
import { isSame } from '../workload';
import { recordedLabels, stateOf } from './persistentpodstate';
import { preferredTerms, requiredLabels } from './topology';
import { isSupported } from './workloads';

export function explain(review: Review, out: Explanations): void {
  const states = allInNamespace(Stored.PersistentPodState, review.namespace);
  for (let i = 0; i < states.length; i++) {
    explainState(states[i], review, out.about('PersistentPodState', review.namespace, nameOf(states[i])));
  }
}

function explainState(state: View, review: Review, say: Explanation): void {
  const owner = controllerOf(review.object);
  const name = nameOf(review.object);
  const target = state.get('spec').get('targetRef');
  const labels = recordedLabels(state, name);
  if (!review.isPodCreation) {
    say.no('NotAPodCreation', 'records are given back only when a pod is created');
  } else if (!owner.exists || !isSame(target, owner)) {
    say.no('TargetMismatch', 'spec.targetRef is not the controller of the pod: ', target.get('name').text());
  } else if (!isSupported(owner, review)) {
    say.no('KindNotListed', 'the kind of the workload is not on the list in ConfigMap kruise-configuration');
  } else if (isBeingDeleted(state)) {
    say.no('BeingDeleted', 'the PersistentPodState is being deleted');
  } else if (stateOf(owner, review.namespace) != state) {
    say.no(
      'NotFirst',
      'another one is of the same workload and comes before it by name: ',
      nameOf(stateOf(owner, review.namespace)),
    );
  } else if (name.isEmpty) {
    say.no('NoPodName', 'the pod has no name yet, and records are kept by name');
  } else if (!labels.isObject || labels.isEmpty) {
    say.no('NoRecord', 'status.podStates has no labels of a node for ', name);
  } else if (requiredLabels(state, labels).length + preferredTerms(state, labels).length == 0) {
    say.no('NothingRecorded', 'no key of the wanted topology was recorded for ', name);
  } else {
    say.yes('Injected', 'the pod is led to where its namesake was');
  }
}
