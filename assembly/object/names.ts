// Names of lists that may be long: many are found by a hash table, few by looking at each.

import { Text } from '../json/text';
import { View } from '../json/view';

/** So many names are searched from their beginning. */
const FEW: i32 = 8;

/** A name and its item, in a chain in the order of adding. */
@unmanaged
class Named {
  next: Named | null = null;

  constructor(
    readonly name: Text,
    public item: View,
    readonly place: i32,
  ) {}
}

/** Items of a list by name: the first of a name counts. */
export class Names {
  private first: Named | null = null;
  private last: Named | null = null;
  private slots: StaticArray<Named | null> | null = null;
  private count: i32 = 0;

  /** The items of a list by one of their members. */
  static of(list: View, member: string): Names {
    const names = new Names();
    names.addAll(list, member);
    return names;
  }

  addAll(list: View, member: string): void {
    for (let item = list.first(); item.exists; item = item.next()) {
      this.add(item.get(member).text(), item);
    }
  }

  get length(): i32 {
    return this.count;
  }

  has(name: Text): bool {
    return this.lookup(name) !== null;
  }

  /** The item of that name, or `none`. */
  find(name: Text): View {
    const named = this.lookup(name);
    return named === null ? View.none() : named.item;
  }

  /** Place of a name in the order of adding, or -1. */
  indexOf(name: Text): i32 {
    const named = this.lookup(name);
    return named === null ? -1 : named.place;
  }

  /** Adds a name; false when it is there already. */
  add(name: Text, item: View = View.none()): bool {
    if (this.has(name)) {
      return false;
    }
    const named = new Named(name, item, this.count);
    const last = this.last;
    if (last === null) {
      this.first = named;
    } else {
      last.next = named;
    }
    this.last = named;
    this.count++;
    const slots = this.slots;
    if (slots === null ? this.count > FEW : this.count << 1 > slots.length) {
      this.grow();
    } else if (slots !== null) {
      slots[slotOf(slots, name)] = named;
    }
    return true;
  }

  /** Puts another item under a name that is there. */
  replace(name: Text, item: View): void {
    const named = this.lookup(name);
    if (named !== null) {
      named.item = item;
    }
  }

  /** All names, bytewise. */
  sorted(): Array<Text> {
    const names = new Array<Text>(0);
    let named = this.first;
    while (named !== null) {
      names.push(named.name);
      named = named.next;
    }
    return names.sort((a, b) => a.compare(b));
  }

  private lookup(name: Text): Named | null {
    const slots = this.slots;
    if (slots !== null) {
      return slots[slotOf(slots, name)];
    }
    let named = this.first;
    while (named !== null && !named.name.equals(name)) {
      named = named.next;
    }
    return named;
  }

  private grow(): void {
    const old = this.slots;
    const slots = new StaticArray<Named | null>(old === null ? FEW << 2 : old.length << 1);
    let named = this.first;
    while (named !== null) {
      slots[slotOf(slots, named.name)] = named;
      named = named.next;
    }
    this.slots = slots;
  }
}

/** Where the name stands, or would stand. */
function slotOf(slots: StaticArray<Named | null>, name: Text): i32 {
  const mask = slots.length - 1;
  let slot = <i32>(name.hash() & mask);
  let named = slots[slot];
  while (named !== null && !named.name.equals(name)) {
    slot = (slot + 1) & mask;
    named = slots[slot];
  }
  return slot;
}
