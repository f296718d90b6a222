// Names of lists that may be long: many are found by a hash table, few by looking at each.

import { Text } from '../json/text';
import { View } from '../json/view';

/** So many names are searched from their beginning. */
const FEW: i32 = 8;

/** Items of a list by name: the first of a name counts. */
export class Names {
  private slots: StaticArray<i32> | null = null;
  private readonly names: Array<Text> = [];
  private readonly items: Array<View> = [];

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
    return this.names.length;
  }

  has(name: Text): bool {
    return this.indexOf(name) >= 0;
  }

  /** The item of that name, or `none`. */
  find(name: Text): View {
    const place = this.indexOf(name);
    return place < 0 ? View.none() : this.items[place];
  }

  /** Place of a name in the order of adding, or -1. */
  indexOf(name: Text): i32 {
    const slots = this.slots;
    if (slots !== null) {
      return slots[this.slot(slots, name)] - 1;
    }
    for (let i = 0; i < this.names.length; i++) {
      if (this.names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Adds a name; false when it is there already. */
  add(name: Text, item: View = View.none()): bool {
    if (this.has(name)) {
      return false;
    }
    this.names.push(name);
    this.items.push(item);
    const slots = this.slots;
    if (slots === null ? this.names.length > FEW : this.names.length << 1 > slots.length) {
      this.grow();
    } else if (slots !== null) {
      slots[this.slot(slots, name)] = this.names.length;
    }
    return true;
  }

  /** Puts another item under a name that is there. */
  replace(name: Text, item: View): void {
    this.items[this.indexOf(name)] = item;
  }

  /** All names, bytewise. */
  sorted(): Array<Text> {
    return this.names.slice(0).sort((a, b) => a.compare(b));
  }

  /** Where the name stands, or would stand. */
  private slot(slots: StaticArray<i32>, name: Text): i32 {
    const mask = slots.length - 1;
    let slot = <i32>(name.hash() & mask);
    while (slots[slot] != 0 && !this.names[slots[slot] - 1].equals(name)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private grow(): void {
    const old = this.slots;
    const slots = new StaticArray<i32>(old === null ? FEW << 2 : old.length << 1);
    for (let i = 0; i < this.names.length; i++) {
      slots[this.slot(slots, this.names[i])] = i + 1;
    }
    this.slots = slots;
  }
}
