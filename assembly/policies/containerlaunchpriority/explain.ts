// Why the containers of a pod start in an order, or all at once; pods that ask for nothing are passed over.

import { Text } from '../../json/text';
import { Review } from '../../review';
import { Explanations } from '../explanations';
import { nameOf } from '../namespaced';
import { isAskedFor, Priorities } from './priorities';

export function explain(review: Review, out: Explanations): void {
  if (!isAskedFor(review.object)) {
    return;
  }
  const priorities = new Priorities(review.object);
  const say = out.about('ContainerLaunchPriority', review.namespace, nameOf(review.object));
  const fault: Text | null = priorities.fault;
  if (!review.isPodCreation) {
    say.no('NotAPodCreation', 'a launch order is given only when a pod is created');
  } else if (priorities.values.length < 2) {
    say.no('OneContainer', 'there is no other container to wait for');
  } else if (fault !== null) {
    say.no('PriorityInvalid', 'the pod is refused: ', fault);
  } else if (!priorities.isOrdered) {
    say.no('PrioritiesEqual', 'all containers have the same priority, so they start together');
  } else if (priorities.isByPlace) {
    say.yes('OrderedByPlace', 'containers start one after the other, in the order of spec.containers');
  } else {
    say.yes('OrderedByPriority', 'containers of a lower KRUISE_CONTAINER_PRIORITY wait for those of a higher one');
  }
}
