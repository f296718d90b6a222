// Policy objects that act on the pods of their namespace: found by kind and namespace.

import { Text } from '../json/text';
import { View } from '../json/view';
import { entryOf, index, nextUnder, under } from '../store/index';
import { eachEntry, Visitor } from '../store/store';
import { Entry, Stored } from '../store/stored';

/** Terms of namespaces must not meet those of labels. */
const SEED: u32 = 0x2545f491;

/**
 * Puts an object under its namespace and, where only the objects of one subject are ever wanted, the name of that; false
 * when the memory has no more room.
 */
export function indexInNamespace(entry: Entry, subject: Text = Text.empty()): bool {
  return index(entry, termOf(entry.kind, namespaceOf(entry.root), subject));
}

/** Walks the objects of a kind in a namespace, in no order: those of other subjects may be among them. */
export class InNamespace {
  private readonly namespace: Text;
  private link: usize;

  constructor(
    private readonly kind: Stored,
    namespace: Text,
    subject: Text = Text.empty(),
  ) {
    const name = orDefault(namespace);
    this.namespace = name;
    this.link = under(termOf(kind, name, subject));
  }

  /** The next object, or `none` behind the last. */
  next(): View {
    while (this.link != 0) {
      const entry = entryOf(this.link);
      this.link = nextUnder(this.link);
      if (entry.kind == this.kind && namespaceOf(entry.root).equals(this.namespace)) {
        return entry.root;
      }
    }
    return View.none();
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

function termOf(kind: Stored, namespace: Text, subject: Text): u32 {
  return subject.hash(namespace.hash(SEED ^ (<u32>kind * 0x9e3779b1)) ^ 0x2f);
}
