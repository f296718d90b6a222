// A list that a strategic merge patch merges item by item: its items by key, and the order in which they come out.

import { Draft } from '../json/draft';
import { Text } from '../json/text';
import { View } from '../json/view';
import { isInstruction, keyText } from './merge-directives';
import { Names } from './names';

class Item {
  isRemoved: bool = false;
  /** What stands in its place, when it was made by us. */
  made: Draft | null = null;
  rank: i32 = 0;

  constructor(
    readonly key: Text,
    /** The item as it was; `none` of a new one. */
    readonly view: View,
    /** Among the keys of the list as it was; behind all for a new one. */
    readonly place: i32,
  ) {}
}

export class MergedList {
  private readonly items: Array<Item> = [];
  /** Keys of the list as it was. */
  private readonly places: Names = new Names();
  private readonly removed: Names = new Names();
  /** Keys of the items that are there now, and the items: made when first asked for. */
  private present: Names | null = null;
  private readonly byKey: Array<Item> = [];

  /** `key` is the member that tells items apart; empty when the items themselves do. */
  constructor(
    private readonly list: Draft,
    private readonly key: string,
  ) {
    for (let item = list.first(); item.exists; item = item.next()) {
      const text = keyText(item, key);
      this.places.add(text);
      this.items.push(new Item(text, item, this.places.indexOf(text)));
    }
  }

  /** Takes out all items of a key: before the first `find`. */
  remove(key: Text): void {
    this.removed.add(key);
  }

  /** The first item of a key; `none` when there is none. */
  find(key: Text): View {
    const place = this.index().indexOf(key);
    if (place < 0) {
      return View.none();
    }
    const made = this.byKey[place].made;
    return made === null ? this.byKey[place].view : made;
  }

  /** Was there an item of this key before anything was added? */
  had(key: Text): bool {
    return this.places.has(key);
  }

  /** Puts another value in the place of the first item of a key. */
  replace(key: Text, value: Draft): void {
    this.byKey[this.index().indexOf(key)].made = value;
  }

  add(key: Text, value: Draft): void {
    const item = new Item(key, View.none(), i32.MAX_VALUE);
    item.made = value;
    this.items.push(item);
    if (this.index().add(key)) {
      this.byKey.push(item);
    }
  }

  /**
   * The merged list, in place if the items that were there keep their order. Those that `order` names stand in this
   * order, between them the others in their own; one of the others goes before one of `order` only if it stood before it
   * in the list as it was, so new items stand before the others.
   */
  inOrder(order: View): Draft {
    this.index();
    const ranks = new Names();
    for (let item = order.first(); item.exists; item = item.next()) {
      if (!isInstruction(item)) {
        ranks.add(keyText(item, this.key));
      }
    }
    const named: Array<Item> = [];
    const others: Array<Item> = [];
    for (let i = 0; i < this.items.length; i++) {
      const item = this.items[i];
      item.rank = ranks.indexOf(item.key);
      if (!item.isRemoved) {
        (item.rank >= 0 ? named : others).push(item);
      }
    }
    named.sort((a, b) => a.rank - b.rank);
    const sequence: Array<Item> = [];
    let next = 0;
    for (let i = 0; i < named.length; i++) {
      const place = this.places.indexOf(named[i].key);
      while (place >= 0 && next < others.length && others[next].place <= place) {
        sequence.push(others[next++]);
      }
      sequence.push(named[i]);
    }
    while (next < others.length) {
      sequence.push(others[next++]);
    }
    return this.keepsOrder(sequence) ? this.edited(sequence) : rebuilt(sequence);
  }

  private index(): Names {
    const known = this.present;
    if (known !== null) {
      return known;
    }
    const made = new Names();
    for (let i = 0; i < this.items.length; i++) {
      const item = this.items[i];
      item.isRemoved = this.removed.has(item.key);
      if (!item.isRemoved && made.add(item.key)) {
        this.byKey.push(item);
      }
    }
    this.present = made;
    return made;
  }

  /** Do the items that were there follow each other as they did? */
  private keepsOrder(sequence: Array<Item>): bool {
    let at = 0;
    for (let i = 0; i < sequence.length; i++) {
      if (sequence[i].view.exists) {
        while (at < this.items.length && this.items[at] != sequence[i]) {
          at++;
        }
        if (at == this.items.length) {
          return false;
        }
      }
    }
    return true;
  }

  private edited(sequence: Array<Item>): Draft {
    let before = View.none();
    for (let i = 0; i < sequence.length; i++) {
      const item = sequence[i];
      const made = item.made;
      if (made === null) {
        before = item.view;
        continue;
      }
      if (item.view.exists) {
        this.list.replaceItem(item.view, made);
      } else {
        this.list.insertBehind(before, made);
      }
      before = made;
    }
    for (let i = 0; i < this.items.length; i++) {
      if (this.items[i].isRemoved) {
        this.list.removeItem(this.items[i].view);
      }
    }
    return this.list;
  }
}

function rebuilt(sequence: Array<Item>): Draft {
  const list = Draft.array();
  let last = View.none();
  for (let i = 0; i < sequence.length; i++) {
    const made = sequence[i].made;
    const copy = made === null ? Draft.copy(sequence[i].view) : made;
    list.insertBehind(last, copy);
    last = copy;
  }
  return list;
}
