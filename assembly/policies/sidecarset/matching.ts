// Which SidecarSets a pod gets (sidecarset.md 5.2), and for explanations the first condition that a set misses.

import { NAMESPACE_NAME_LABEL, SIDECARSET_BASE, SIDECARSET_CANARY } from '../../../api/names';
import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Names } from '../../object/names';
import { isEmptySelector, needsOnly, pinnedValues, Selection, selects } from '../../object/selector';
import { Review } from '../../review';
import { entryOf, nextUnder, under } from '../../store/index';
import { find } from '../../store/store';
import { Stored } from '../../store/stored';
import { labelTerms } from '../label-terms';
import { prepareSidecarSet } from './prepared';
import { ALL, NAMESPACE_SEED, POD_SEED } from './terms';

/** Why a set does not match, in the order of the checks. */
export const enum Miss {
  None,
  Paused,
  NoSelector,
  NamespaceSelectorInvalid,
  NamespaceUnknown,
  NamespaceMismatch,
  SelectorInvalid,
  SelectorMismatch,
}

/** A set that matches the pod, and what of it is injected. */
export class Match {
  readonly name: Text;
  /** Whose annotations hold the hashes for the pod: the set, or the revision when an old one is injected. */
  hashed: View;
  /** Where containers, volumes and so on are read from: the spec of the set or of a revision. */
  spec: View;
  revision: Text;
  hasInjected: bool = false;

  constructor(
    readonly set: View,
    /** What was worked out of the set (prepared.ts); `none` for a revision. */
    public prepared: View,
    readonly isPinned: bool,
  ) {
    this.name = set.get('metadata').get('name').text();
    this.hashed = set;
    this.spec = set.get('spec');
    this.revision = set.get('status').get('latestRevision').text();
  }
}

/** What matching needs to know about the pod. */
export class Subject {
  readonly namespace: Text;
  readonly labels: View;
  /** Labels of the pod's namespace, at least the one with its name. */
  readonly namespaceLabels: View;
  readonly isNamespaceKnown: bool;

  constructor(review: Review) {
    const name = review.namespace.isEmpty ? Text.of('default') : review.namespace;
    const namespace = find(Stored.Namespace, Text.empty(), name);
    this.labels = review.object.get('metadata').get('labels');
    this.namespace = name;
    this.isNamespaceKnown = namespace.exists;
    this.namespaceLabels = withName(namespace.get('metadata').get('labels'), name);
  }
}

/** The labels with the one that the API server gives to every namespace. */
function withName(labels: View, name: Text): View {
  if (labels.get(NAMESPACE_NAME_LABEL).exists) {
    return labels;
  }
  const implied = labels.isObject ? Draft.copy(labels) : Draft.object();
  implied.put(Text.of(NAMESPACE_NAME_LABEL), Draft.string(name));
  return implied;
}

let reviews: u32 = 0;

/** The matching sets: those pinned to the namespace first, then the others, each by name. */
export function matching(subject: Subject): Array<Match> {
  // Arrays made by their constructor have room for eight items at once.
  const found = new Array<Match>(0);
  const terms = new Array<u32>(0);
  terms.push(ALL);
  labelTerms(subject.labels, POD_SEED, terms);
  labelTerms(subject.namespaceLabels, NAMESPACE_SEED, terms);
  reviews++;
  let hasPrepared = false;
  for (let i = 0; i < terms.length; i++) {
    for (let link = under(terms[i]); link != 0; link = nextUnder(link)) {
      const entry = entryOf(link);
      if (entry.seen != reviews) {
        entry.seen = reviews;
        if (missOf(entry.root, subject) == Miss.None) {
          // One a review, so that none pays for many.
          if (!hasPrepared && !entry.isPrepared) {
            prepareSidecarSet(entry);
            hasPrepared = true;
          }
          found.push(new Match(entry.root, entry.prepared, isPinned(entry.root)));
        }
      }
    }
  }
  return found.length > 1 ? found.sort(order) : found;
}

/** The first condition that the set misses. */
export function missOf(set: View, subject: Subject): Miss {
  const spec = set.get('spec');
  if (spec.get('injectionStrategy').get('paused').isTrue) {
    return Miss.Paused;
  }
  const selector = spec.get('selector');
  if (isEmptySelector(selector)) {
    return Miss.NoSelector;
  }
  const namespace = namespaceMiss(spec, subject);
  if (namespace != Miss.None) {
    return namespace;
  }
  const selection = selects(selector, subject.labels);
  if (selection == Selection.Invalid) {
    return Miss.SelectorInvalid;
  }
  return selection == Selection.Yes ? Miss.None : Miss.SelectorMismatch;
}

function namespaceMiss(spec: View, subject: Subject): Miss {
  // v1alpha1 only; a selector beside it does not count.
  const pinned = spec.get('namespace').text();
  if (!pinned.isEmpty) {
    return pinned.equals(subject.namespace) ? Miss.None : Miss.NamespaceMismatch;
  }
  const selector = spec.get('namespaceSelector');
  if (!selector.isSet) {
    return Miss.None;
  }
  if (!subject.isNamespaceKnown && !needsOnly(selector, NAMESPACE_NAME_LABEL)) {
    return Miss.NamespaceUnknown;
  }
  const selection = selects(selector, subject.namespaceLabels);
  if (selection == Selection.Invalid) {
    return Miss.NamespaceSelectorInvalid;
  }
  if (selection == Selection.Yes) {
    return Miss.None;
  }
  return Miss.NamespaceMismatch;
}

/** Does the set name the namespace, so that it is among the first? */
function isPinned(set: View): bool {
  const spec = set.get('spec');
  if (!spec.get('namespace').text().isEmpty) {
    return true;
  }
  return pinnedValues(spec.get('namespaceSelector'), NAMESPACE_NAME_LABEL).exists;
}

/** Is the set a canary? Then the name of its base, else an empty text. */
export function canaryBase(set: View): Text {
  const annotations = set.get('metadata').get('annotations');
  return annotations.get(SIDECARSET_CANARY).is('true') ? annotations.get(SIDECARSET_BASE).text() : Text.empty();
}

/** Leaves out the bases of the canaries among the matches. */
export function withoutReplaced(matches: Array<Match>): Array<Match> {
  const bases = new Names();
  for (let i = 0; i < matches.length; i++) {
    const base = canaryBase(matches[i].set);
    if (!base.isEmpty) {
      bases.add(base);
    }
  }
  if (bases.length == 0) {
    return matches;
  }
  const kept: Array<Match> = [];
  for (let i = 0; i < matches.length; i++) {
    if (!bases.has(matches[i].name)) {
      kept.push(matches[i]);
    }
  }
  return kept;
}

/** Pinned ones first, then by name. */
function order(a: Match, b: Match): i32 {
  return a.isPinned == b.isPinned ? a.name.compare(b.name) : a.isPinned ? -1 : 1;
}
