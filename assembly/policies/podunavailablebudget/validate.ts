// Requests that disturb a pod, held against its budget (admission-overview.md 6b, podunavailablebudget.md 5).

import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between } from '../../json/writer';
import { Decoding } from '../../object/decode';
import { statusEffect } from '../../object/effect';
import { getQuestion, Knowledge } from '../../object/fact';
import { Operation, Review } from '../../review';
import { Stored } from '../../store/stored';
import { noteBudget } from '../denial';
import { isKeptIn } from '../namespaced';
import { podFault } from '../pod';
import { auditDenial } from './audit';
import { isDisruptive, isResize } from './changes';
import { decide, Outcome, relatedName } from './decision';
import { Action } from './operations';

export function validate(review: Review): void {
  if (!review.request.get('resource').get('resource').is('pods')) {
    return;
  }
  if (review.operation == Operation.Update && isOn(Gate.BudgetOnUpdate)) {
    checkUpdate(review);
  } else if (review.operation == Operation.Delete && isOn(Gate.BudgetOnDelete)) {
    checkDeletion(review);
  } else if (review.operation == Operation.Create && isOn(Gate.BudgetOnDelete)) {
    checkEviction(review);
  }
}

/** The pod as it was counts, and the budget that it had: an update does not get rid of it. */
function checkUpdate(review: Review): void {
  const old = review.oldObject;
  if (!isPod(review.object, review) || !isPod(old, review)) {
    return;
  }
  if (!old.isSet && !relatedName(review.object).isEmpty) {
    review.refuse(400, Text.of('request.oldObject: expected the pod as it is'));
  }
  if (!relatedName(old).isEmpty && isDisruptive(old, review.object)) {
    check(old, actionOf(review), review);
  }
}

function actionOf(review: Review): Action {
  if (!isResize(review.oldObject, review.object)) {
    return Action.Update;
  }
  return review.request.get('subResource').is('resize') ? Action.ResizeCall : Action.Resize;
}

function checkDeletion(review: Review): void {
  if (!review.hasSubResource && review.oldObject.isSet && isPod(review.oldObject, review)) {
    check(review.oldObject, Action.Delete, review);
  }
}

/**
 * The request has the name of the pod only. Compatibility: the pod is looked up only where its namespace has budgets; the
 * API server itself refuses the eviction of a pod that does not exist.
 */
function checkEviction(review: Review): void {
  if (!review.request.get('subResource').is('eviction') || !isEviction(review)) {
    return;
  }
  if (!isKeptIn(Stored.PodUnavailableBudget, review.namespace)) {
    return;
  }
  const own = review.request.get('name').text();
  const name = own.isEmpty ? review.object.get('metadata').get('name').text() : own;
  const fact = review.ask(getQuestion(Text.of('v1'), Text.of('Pod'), review.namespace, name));
  if (fact.knowledge == Knowledge.Failed) {
    review.refuse(400, between('cannot look up the pod: ', fact.error));
  } else if (fact.knowledge == Knowledge.Known && !fact.answer.isObject) {
    review.refuse(400, between('Pod "', name, '" not found'));
  } else if (fact.knowledge == Knowledge.Known && isPod(fact.answer, review)) {
    check(fact.answer, Action.Evict, review);
  }
}

function check(pod: View, action: Action, review: Review): void {
  const namespace = namespaceOf(pod, review);
  const decision = decide(pod, namespace, action, review);
  if (decision.outcome == Outcome.Denied) {
    review.deny(decision.message);
    auditDenial(pod, namespace, decision.budget, review);
    noteBudget(pod, namespace, review);
  } else if (decision.outcome == Outcome.Failed) {
    review.refuse(400, decision.message);
  } else if (decision.outcome == Outcome.Charged && !review.isDryRun) {
    review.effect(statusEffect(decision.budget, decision.status));
  }
}

function namespaceOf(pod: View, review: Review): Text {
  const own = pod.get('metadata').get('namespace').text();
  return own.isEmpty ? review.request.get('namespace').text() : own;
}

/** Can what decisions read be decoded? Refuses the request otherwise. */
function isPod(pod: View, review: Review): bool {
  const decoding = new Decoding();
  if (decoding.isWhole(pod, 'v1.Pod')) {
    decoding.fault = podFault(pod);
  }
  if (decoding.fault === null && areOptions(review.request.get('options'), 'options', decoding)) {
    checkStatus(pod.get('status'), decoding);
  }
  return isRight(decoding, review);
}

function isEviction(review: Review): bool {
  const decoding = new Decoding();
  decoding.isMetadata(review.object.get('metadata'), 'Eviction') &&
    areOptions(review.object.get('deleteOptions'), 'deleteOptions', decoding);
  return isRight(decoding, review);
}

function areOptions(options: View, path: string, decoding: Decoding): bool {
  return (
    decoding.isObject(options, 'AdmissionRequest', path, 'v1.DeleteOptions') &&
    decoding.isArrayOfStrings(options.get('dryRun'), 'DeleteOptions', 'dryRun')
  );
}

function checkStatus(status: View, decoding: Decoding): void {
  decoding.isString(status.get('phase'), 'PodStatus', 'status.phase') &&
    decoding.isArrayOfObjects(status.get('conditions'), 'PodStatus', 'status.conditions', 'v1.PodCondition') &&
    decoding.isArrayOfObjects(
      status.get('containerStatuses'),
      'PodStatus',
      'status.containerStatuses',
      'v1.ContainerStatus',
    );
}

function isRight(decoding: Decoding, review: Review): bool {
  const fault = decoding.fault;
  if (fault !== null) {
    review.refuse(400, fault);
  }
  return fault === null;
}
