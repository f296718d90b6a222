// Which budget of its namespace a new pod counts for, and why not the others.

import { View } from '../../json/view';
import { isEmptySelector, Selection, selects } from '../../object/selector';
import { Review } from '../../review';
import { Stored } from '../../store/stored';
import { Explanation, Explanations } from '../explanations';
import { allInNamespace, nameOf } from '../namespaced';
import { Workloads } from '../workload';
import { areBudgetsOn, isOfWorkload, precedence, Relation, relatedBudget, relationOf } from './related';

export function explain(review: Review, out: Explanations): void {
  const related = areBudgetsOn() && review.isPodCreation ? relatedBudget(review) : View.none();
  const budgets = allInNamespace(Stored.PodUnavailableBudget, review.namespace);
  for (let i = 0; i < budgets.length && !review.isAsking; i++) {
    const say = out.about('PodUnavailableBudget', review.namespace, nameOf(budgets[i]));
    if (!areBudgetsOn()) {
      say.no('GateOff', 'the gates of PodUnavailableBudget are off');
    } else if (!review.isPodCreation) {
      say.no('NotAPodCreation', 'pods are related to a budget only when they are created');
    } else if (budgets[i] == related) {
      say.yes('Related', 'the pod counts for this budget');
    } else {
      explainOther(budgets[i], related, review, say);
    }
  }
}

function explainOther(budget: View, related: View, review: Review, say: Explanation): void {
  const relation = relationOf(budget, review.object);
  const target = budget.get('spec').get('targetRef');
  const selector = budget.get('spec').get('selector');
  const isOther = related.exists && precedence(related, budget) < 0;
  if (isOther && matches(budget, relation, review)) {
    say.no('NotFirst', 'another budget matches the pod and comes before it: ', nameOf(related));
  } else if (target.isSet) {
    say.no('TargetMismatch', 'spec.targetRef is not the workload of the pod: ', target.get('name').text());
  } else if (isEmptySelector(selector)) {
    say.no('NoSelector', 'spec.selector is empty, which selects no pod');
  } else if (selects(selector, review.object.get('metadata').get('labels')) == Selection.Invalid) {
    say.no('SelectorInvalid', 'spec.selector is not a label selector');
  } else {
    say.no('SelectorMismatch', 'spec.selector does not select the labels of the pod');
  }
}

function matches(budget: View, relation: Relation, review: Review): bool {
  return relation == Relation.Open
    ? isOfWorkload(budget, new Workloads(review), review.object)
    : relation == Relation.Yes;
}
