// Policy objects that act on the pods of their namespace: found by kind and namespace.

import { Text } from '../json/text';
import { View } from '../json/view';
import { isEmptySelector, Needs } from '../object/selector';
import { entryOf, index, nextUnder, under } from '../store/index';
import { eachEntry, hasKind, Visitor } from '../store/store';
import { Entry, Stored } from '../store/stored';
import { BestTerms, labelTerms } from './label-terms';

/** Terms of namespaces must not meet those of labels. */
const SEED: u32 = 0x2545f491;

/** What is kept apart below the term of a kind in a namespace. */
const OF_LABELS: u32 = 0x68e31da4;
const OF_ALL_PODS: u32 = 0xb5297a4d;
const OF_SUBJECTS: u32 = 0x1b56c4e9;

/** Puts an object under its namespace; false when the memory has no more room. */
export function indexInNamespace(entry: Entry): bool {
  return index(entry, termOf(entry));
}

/** Puts an object where the pods that its selector needs find it; one that selects nothing stands in its namespace only. */
export function indexBySelector(entry: Entry, selector: View): bool {
  const term = termOf(entry);
  if (isEmptySelector(selector)) {
    return index(entry, term);
  }
  const best = new BestTerms();
  best.consider(new Needs(selector, term ^ OF_LABELS));
  return index(entry, term) && best.index(entry, term ^ OF_ALL_PODS);
}

/** Puts an object where all pods of its namespace find it. */
export function indexForAllPods(entry: Entry): bool {
  return index(entry, termOf(entry) ^ OF_ALL_PODS);
}

/** Puts an object where it is found by the name of what it is about. */
export function indexBySubject(entry: Entry, subject: Text): bool {
  return index(entry, subject.hash(termOf(entry) ^ OF_SUBJECTS));
}

/** Walks the objects of a kind in a namespace that stand where it was told to look, in no order. */
export class InNamespace {
  private readonly namespace: Text;
  private readonly term: u32;
  private readonly terms: Array<u32> = [];
  private place: i32 = 0;
  private link: usize = 0;

  constructor(
    private readonly kind: Stored,
    namespace: Text,
  ) {
    const name = orDefault(namespace);
    this.namespace = name;
    this.term = termIn(kind, name);
  }

  /** Are there no objects of the kind in the namespace, wherever they stand? */
  get isEmpty(): bool {
    return under(this.term) == 0;
  }

  /** May there be objects about a subject of this name? */
  hasSubject(subject: Text): bool {
    return under(subject.hash(this.term ^ OF_SUBJECTS)) != 0;
  }

  lookEverywhere(): this {
    this.terms.push(this.term);
    return this;
  }

  /** Looks at those that a pod with these labels may meet; others may be among them. */
  lookByLabels(labels: View): this {
    this.terms.push(this.term ^ OF_ALL_PODS);
    labelTerms(labels, this.term ^ OF_LABELS, this.terms);
    return this;
  }

  /** Looks at those about a subject of this name; others may be among them. */
  lookBySubject(subject: Text): this {
    this.terms.push(subject.hash(this.term ^ OF_SUBJECTS));
    return this;
  }

  /** The next object, or `none` behind the last. */
  next(): View {
    while (true) {
      while (this.link != 0) {
        const entry = entryOf(this.link);
        this.link = nextUnder(this.link);
        if (entry.kind == this.kind && namespaceOf(entry.root).equals(this.namespace)) {
          return entry.root;
        }
      }
      if (this.place == this.terms.length) {
        return View.none();
      }
      this.link = under(this.terms[this.place++]);
    }
  }
}

/** All objects of a kind in a namespace, by name: looks at the whole store. */
export function allInNamespace(kind: Stored, namespace: Text): Array<View> {
  const objects = new Objects(kind, orDefault(namespace));
  eachEntry(objects);
  return sortedByName(objects.found);
}

class Objects extends Visitor {
  readonly found: Array<View> = [];

  constructor(
    private readonly kind: Stored,
    private readonly namespace: Text,
  ) {
    super();
  }

  visit(entry: Entry): void {
    if (entry.kind == this.kind && namespaceOf(entry.root).equals(this.namespace)) {
      this.found.push(entry.root);
    }
  }
}

/** Is there an object of the kind in the namespace, wherever it stands? */
export function isKeptIn(kind: Stored, namespace: Text): bool {
  return hasKind(kind) && !new InNamespace(kind, namespace).isEmpty;
}

/** The same objects in the order of their names. */
export function sortedByName(objects: Array<View>): Array<View> {
  return objects.sort((left, right) => nameOf(left).compare(nameOf(right)));
}

/** `metadata.name` */
export function nameOf(object: View): Text {
  return object.get('metadata').get('name').text();
}

/** Is the object on its way out? */
export function isBeingDeleted(object: View): bool {
  return object.get('metadata').get('deletionTimestamp').isSet;
}

function namespaceOf(object: View): Text {
  return orDefault(object.get('metadata').get('namespace').text());
}

function orDefault(namespace: Text): Text {
  return namespace.isEmpty ? Text.of('default') : namespace;
}

function termOf(entry: Entry): u32 {
  return termIn(entry.kind, namespaceOf(entry.root));
}

function termIn(kind: Stored, namespace: Text): u32 {
  return namespace.hash(SEED ^ (<u32>kind * 0x9e3779b1));
}
