// The readiness gate by which several writers can hold a pod not ready (podreadiness.md 1).

import { APPS_GROUP, KRUISE_POD_READY } from '../../api/names';
import { Gate, isOn } from '../gates';
import { Draft } from '../json/draft';
import { Text } from '../json/text';
import { controllerOf, isOfGroup } from '../object/pod';
import { Operation, Review } from '../review';

export function mutate(review: Review): void {
  if (review.operation != Operation.Create || !wantsGate(review)) {
    return;
  }
  const gates = review.object.get('spec').get('readinessGates');
  for (let gate = gates.first(); gate.exists; gate = gate.next()) {
    if (gate.get('conditionType').is(KRUISE_POD_READY)) {
      return;
    }
  }
  const gate = Draft.object();
  gate.put(Text.of('conditionType'), Draft.ascii(KRUISE_POD_READY));
  review.object.needObject('spec').needArray('readinessGates').append(gate);
}

function wantsGate(review: Review): bool {
  return isOn(Gate.KruisePodReadiness) || isOfGroup(controllerOf(review.object).get('apiVersion'), APPS_GROUP);
}
