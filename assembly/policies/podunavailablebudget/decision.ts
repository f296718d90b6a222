// May this be done to a pod, and at whose expense (podunavailablebudget.md 5.5 and 5.6)? Every decision is made on the
// budget as it is now, from the first step on: one that is made again after a conflict sees what others have taken.

import { LEGACY_RELATED_PUB, PUB_NO_PROTECT, RELATED_PUB } from '../../../api/names';
import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between, Writer } from '../../json/writer';
import { getQuestion, Knowledge } from '../../object/fact';
import { controllerOf } from '../../object/pod';
import { isEmptySelector, Selection, selects } from '../../object/selector';
import { writeTime } from '../../object/time';
import { Review } from '../../review';
import { find } from '../../store/store';
import { Stored } from '../../store/stored';
import { isBeingDeleted, nameOf } from '../namespaced';
import { isSameUid, versionOf } from '../workload';
import { isAvailable } from './available';
import { Action, isProtected } from './operations';

const API_VERSION = 'policy.kruise.io/v1beta1';

/** So many pods may be recorded in both maps together before another one is. */
const RECORDS_MOST: i32 = 2000;

export const enum Outcome {
  /** Nothing is taken from a budget. */
  Free,
  /** A unit is taken: the status with it must be written before the pod is touched. */
  Charged,
  Denied,
  /** It cannot be decided. */
  Failed,
  /** It is decided once the budget has been read. */
  Asked,
  /** The budget has the pod on record: its unit is taken already. */
  Recorded,
}

export class Decision {
  constructor(
    readonly outcome: Outcome,
    /** Why it is denied, or cannot be decided. */
    readonly message: Text = Text.empty(),
    /** Whose unit is taken, or would have been. */
    readonly budget: View = View.none(),
    /** What the status of the budget is with it. */
    readonly status: View = View.none(),
  ) {}
}

/** The name of the pod's budget; empty when it has none. */
export function relatedName(pod: View): Text {
  const annotations = pod.get('metadata').get('annotations');
  const name = annotations.get(RELATED_PUB).text();
  return name.isEmpty ? annotations.get(LEGACY_RELATED_PUB).text() : name;
}

/** Decides about one pod of a namespace. */
export function decide(pod: View, namespace: Text, action: Action, review: Review): Decision {
  const related = relatedName(pod);
  if (related.isEmpty || isUnprotected(pod) || !isAvailable(pod)) {
    return new Decision(Outcome.Free);
  }
  const known = decideBy(budgetOf(namespace, related), pod, namespace, action, review.now);
  if (known.outcome == Outcome.Denied && isRemoval(action) && wantsFixedNumber(known.budget)) {
    return afterWorkload(known, pod, namespace, review);
  }
  if (known.outcome != Outcome.Recorded) {
    return known;
  }
  // A record that the controller has given up by now may still be known here, and its unit be somebody else's.
  const fact = review.ask(getQuestion(Text.of(API_VERSION), Text.of('PodUnavailableBudget'), namespace, related));
  if (fact.knowledge == Knowledge.Asked) {
    return new Decision(Outcome.Asked);
  }
  if (fact.knowledge == Knowledge.Failed) {
    return new Decision(Outcome.Failed, between('cannot look up the PodUnavailableBudget: ', fact.error));
  }
  return decideBy(fact.answer, pod, namespace, action, review.now);
}

/** As the budget has it, which may be none; `now` is Unix time in milliseconds. */
function decideBy(budget: View, pod: View, namespace: Text, action: Action, now: i64): Decision {
  if (!budget.isObject) {
    return new Decision(Outcome.Free);
  }
  const ignored = ignores(budget, pod);
  if (ignored == Selection.Invalid) {
    return new Decision(
      Outcome.Failed,
      between('PodUnavailableBudget ', nameOf(budget), ': spec.ignoredPodSelector is invalid'),
    );
  }
  const status = budget.get('status');
  if (
    ignored == Selection.Yes ||
    status.get('desiredAvailable').integer(0) == 0 ||
    !isProtected(budget, action) ||
    (isRemoval(action) && isEnding(namespace))
  ) {
    return new Decision(Outcome.Free);
  }
  const name = nameOf(pod);
  return isRecorded(status, name) ? new Decision(Outcome.Recorded) : charge(budget, name, action, now);
}

/** A number of pods is wanted for ever, also when nothing makes new ones: pods of a workload that is gone or going may go. */
function afterWorkload(denied: Decision, pod: View, namespace: Text, review: Review): Decision {
  const owner = controllerOf(pod);
  if (!owner.exists) {
    return denied;
  }
  const question = getQuestion(versionOf(owner), owner.get('kind').text(), namespace, owner.get('name').text());
  const fact = review.ask(question);
  if (fact.knowledge == Knowledge.Asked) {
    return new Decision(Outcome.Asked);
  }
  const isLeft = fact.knowledge == Knowledge.Known && !isLiving(fact.answer, owner);
  return isLeft ? new Decision(Outcome.Free) : denied;
}

function isLiving(workload: View, reference: View): bool {
  return workload.isObject && !isBeingDeleted(workload) && isSameUid(workload, reference);
}

function wantsFixedNumber(budget: View): bool {
  const spec = budget.get('spec');
  return spec.get('minAvailable').isNumber && !spec.get('maxUnavailable').isSet;
}

function isRemoval(action: Action): bool {
  return action == Action.Delete || action == Action.Evict;
}

function isUnprotected(pod: View): bool {
  const value = pod.get('metadata').get('annotations').get(PUB_NO_PROTECT);
  return value.is('true') || value.is('1') || value.is('t') || value.is('T') || value.is('TRUE') || value.is('True');
}

/** Objects that name no namespace are of the default one, by whichever way they came. */
function budgetOf(namespace: Text, name: Text): View {
  const budget = find(Stored.PodUnavailableBudget, namespace, name);
  if (budget.exists || !(namespace.isEmpty || namespace.is('default'))) {
    return budget;
  }
  return find(Stored.PodUnavailableBudget, namespace.isEmpty ? Text.of('default') : Text.empty(), name);
}

function ignores(budget: View, pod: View): Selection {
  const selector = budget.get('spec').get('ignoredPodSelector');
  return isEmptySelector(selector) ? Selection.No : selects(selector, pod.get('metadata').get('labels'));
}

function isRecorded(status: View, pod: Text): bool {
  return status.get('disruptedPods').findKey(pod).exists || status.get('unavailablePods').findKey(pod).exists;
}

/** Nothing is protected in a namespace that is being deleted: otherwise it would stay for ever. */
function isEnding(namespace: Text): bool {
  const object = find(Stored.Namespace, Text.empty(), namespace);
  return object.get('metadata').get('deletionTimestamp').isSet || object.get('status').get('phase').is('Terminating');
}

function charge(budget: View, pod: Text, action: Action, now: i64): Decision {
  const status = budget.get('status');
  const allowed = status.get('unavailableAllowed').integer(0);
  if (allowed <= 0) {
    return denied(budget, 'pub unavailable allowed is negative');
  }
  if (status.get('disruptedPods').count() + status.get('unavailablePods').count() > RECORDS_MOST) {
    return denied(
      budget,
      'DisruptedPods and UnavailablePods map too big - too many unavailable not confirmed by PUB controller',
    );
  }
  const charged = Draft.copy(status);
  charged.put(Text.of('unavailableAllowed'), Draft.copy(parse(numberText(allowed - 1))));
  const records = charged.needObject(action == Action.Update ? 'unavailablePods' : 'disruptedPods');
  records.putText(pod, timeText(now));
  return new Decision(Outcome.Charged, Text.empty(), budget, charged);
}

function denied(budget: View, why: string): Decision {
  const out = new Writer(256);
  out.ascii('podunavailablebudget.policy.kruise.io "');
  out.text(nameOf(budget));
  out.ascii('" is forbidden: ');
  out.ascii(why);
  return new Decision(Outcome.Denied, out.toText(), budget);
}

function numberText(value: i64): Text {
  const out = new Writer(24);
  out.integer(value);
  return out.toText();
}

function timeText(milliseconds: i64): Text {
  const out = new Writer(24);
  writeTime(milliseconds, out);
  return out.toText();
}
