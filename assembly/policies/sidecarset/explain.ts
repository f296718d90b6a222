// Why a SidecarSet is or is not injected into a pod, set by set, in words and as machine words.

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { isActive } from '../../object/pod';
import { Review } from '../../review';
import { eachEntry, Visitor } from '../../store/store';
import { Entry, Stored } from '../../store/stored';
import { Explanation, Explanations } from '../explanations';
import { nameOf, sortedByName } from '../namespaced';
import { canaryBase, Match, Miss, missOf, Subject } from './matching';
import { chooseRevision } from './revision';

export function explain(review: Review, out: Explanations): void {
  const all = new Sets();
  eachEntry(all);
  const sets = sortedByName(all.found);
  const subject = new Subject(review);
  const canaries: Array<View> = [];
  for (let i = 0; i < sets.length; i++) {
    if (missOf(sets[i], subject) == Miss.None && !canaryBase(sets[i]).isEmpty) {
      canaries.push(sets[i]);
    }
  }
  for (let i = 0; i < sets.length; i++) {
    explainSet(sets[i], subject, canaries, review, out.about('SidecarSet', Text.empty(), nameOf(sets[i])));
  }
}

function explainSet(set: View, subject: Subject, canaries: Array<View>, review: Review, say: Explanation): void {
  const miss = missOf(set, subject);
  const canary = canaryOf(set, canaries);
  if (!review.isPodCreation) {
    say.no('NotAPodCreation', 'sidecars are injected only when a pod is created');
  } else if (!isActive(review.object)) {
    say.no('PodNotActive', 'the pod is finished or being deleted');
  } else if (miss != Miss.None) {
    explainMiss(set, miss, subject, say);
  } else if (canary.exists) {
    say.no('ReplacedByCanary', 'a canary of this set matches the pod and takes its place: ', nameOf(canary));
  } else {
    explainRevision(new Match(set, View.none(), false), subject, review, say);
  }
}

function canaryOf(set: View, canaries: Array<View>): View {
  for (let i = 0; i < canaries.length; i++) {
    if (canaryBase(canaries[i]).equals(nameOf(set))) {
      return canaries[i];
    }
  }
  return View.none();
}

function explainRevision(match: Match, subject: Subject, review: Review, say: Explanation): void {
  const trial = new Review(review.root, review.now);
  chooseRevision(match, subject, trial);
  if (trial.isRefused) {
    say.no('RevisionUnavailable', 'the pod is refused: ', trial.message);
  } else if (match.spec != match.set.get('spec')) {
    say.yes('InjectedRevision', 'the pod gets an older revision of the set: ', match.revision);
  } else {
    say.yes('Injected', 'the pod gets the set as it is now');
  }
}

function explainMiss(set: View, miss: Miss, subject: Subject, say: Explanation): void {
  switch (miss) {
    case Miss.Paused:
      say.no('Paused', 'spec.injectionStrategy.paused is true');
      break;
    case Miss.NoSelector:
      say.no('NoSelector', 'spec.selector is empty, which selects no pod');
      break;
    case Miss.NamespaceUnknown:
      say.no(
        'NamespaceUnknown',
        'spec.namespaceSelector asks for labels, and there is no Namespace ',
        subject.namespace,
      );
      break;
    case Miss.NamespaceMismatch:
      say.no(
        'NamespaceMismatch',
        set.get('spec').get('namespace').text().isEmpty
          ? 'spec.namespaceSelector does not select the namespace '
          : 'spec.namespace is not the namespace ',
        subject.namespace,
      );
      break;
    case Miss.NamespaceSelectorInvalid:
      say.no('NamespaceSelectorInvalid', 'spec.namespaceSelector is not a label selector');
      break;
    case Miss.SelectorInvalid:
      say.no('SelectorInvalid', 'spec.selector is not a label selector');
      break;
    default:
      say.no('SelectorMismatch', 'spec.selector does not select the labels of the pod');
  }
}

/** All SidecarSets of the store. */
class Sets extends Visitor {
  readonly found: Array<View> = [];

  visit(entry: Entry): void {
    if (entry.kind == Stored.SidecarSet) {
      this.found.push(entry.root);
    }
  }
}
