// A view plus edits. The nodes of the request are linked, so an edit changes links and marks: later readers see it,
// and patch.ts finds what changed by following the marks. Values from the store are copied before they are linked.

import { Text } from './text';
import { Kind, LENGTH_MOST, Mark, NODE_BYTES, View } from './view';

@unmanaged
export class Draft extends View {
  /** A new object without members. */
  static object(): Draft {
    return new Draft(0, Kind.Object | Mark.Differs, 0, 0);
  }

  /** A new array without items. */
  static array(): Draft {
    return new Draft(0, Kind.Array | Mark.Differs, 0, 0);
  }

  /** A new string. */
  static string(text: Text): Draft {
    if (text.length > LENGTH_MOST) {
      unreachable();
    }
    return new Draft(text.start, ((<u32>text.length) << 8) | Kind.String, 0, 1);
  }

  /** A new string of its JSON text: with quotes, and escapes as they are to be written. */
  static quoted(text: Text): Draft {
    if (text.length > LENGTH_MOST) {
      unreachable();
    }
    return new Draft(text.start + 1, ((<u32>(text.length - 2)) << 8) | Kind.String | Mark.Differs, 0, 0);
  }

  /** A new string of an ASCII literal. */
  static ascii(literal: string): Draft {
    return Draft.string(Text.of(literal));
  }

  /** A copy of a value, which may then be edited; the text of what is not edited is shared. */
  static copy(value: View): Draft {
    const from = changetype<Draft>(value);
    const copy = new Draft(
      from.start,
      (from.meta & ~0xff) | (from.meta & Mark.Differs) | from.kind,
      0,
      from.isString ? from.head : 0,
    );
    if (from.isArray || from.isObject) {
      let last: Draft = copy;
      for (let child = from.first(); child.exists; child = child.next()) {
        const next = from.isArray ? Draft.copy(child) : Draft.member(child.name, Draft.copy(child.value));
        if (last == copy) {
          copy.head = changetype<usize>(next);
        } else {
          last.link = changetype<usize>(next);
        }
        last = next;
      }
    }
    return copy;
  }

  /** The same of an item that was scanned and not edited, whose nodes lie between it and the item behind it. */
  static copyScanned(item: View, behind: View): Draft {
    const from = changetype<usize>(item);
    const size = changetype<usize>(behind) - from;
    const place = heap.alloc(size);
    const way = i32x4.splat(<i32>(place - from));
    const addresses = i32x4(0, 0, -1, -1);
    for (let at: usize = 0; at < size; at += NODE_BYTES) {
      const node = v128.load(from + at);
      // What is no address, or none at all, stays.
      const moves = v128.and(addresses, i32x4.ne(node, i32x4.splat(0)));
      v128.store(place + at, i32x4.add(node, v128.and(way, moves)));
    }
    const copy = changetype<Draft>(place);
    copy.link = 0;
    return copy;
  }

  private static member(name: Text, value: Draft): Draft {
    return new Draft(name.start, ((<u32>name.length) << 8) | Kind.Key, 0, changetype<usize>(value));
  }

  /** A value of this draft that was reached by reading, to be edited: its parents must have been reached by `edit`. */
  static of(view: View): Draft {
    const draft = changetype<Draft>(view);
    if (draft.isArray || draft.isObject) {
      draft.meta |= Mark.Differs;
    }
    return draft;
  }

  /** The member's value for editing; `none` when it is absent. */
  edit(name: string): Draft {
    this.meta |= Mark.Differs;
    const value = this.get(name);
    return value.exists ? Draft.of(value) : changetype<Draft>(value);
  }

  /** The member's object for editing; an empty one is put there when it is absent or something else. */
  needObject(name: string): Draft {
    const present = this.get(name);
    if (present.isObject) {
      this.meta |= Mark.Differs;
      return Draft.of(present);
    }
    const made = Draft.object();
    this.put(Text.of(name), made);
    return made;
  }

  /** The member's array for editing; an empty one is put there when it is absent or something else. */
  needArray(name: string): Draft {
    const present = this.get(name);
    if (present.isArray) {
      this.meta |= Mark.Differs;
      return Draft.of(present);
    }
    const made = Draft.array();
    this.put(Text.of(name), made);
    return made;
  }

  /** Sets a member to a value made by us (or copied); behind the others when it is new. */
  put(name: Text, value: Draft): void {
    this.meta |= Mark.Differs;
    const key = changetype<Draft>(this.findKey(name));
    if (key.exists) {
      this.putAt(key, value);
      return;
    }
    const made = Draft.member(name, value);
    made.meta |= Mark.Added;
    this.link2(this.last(), made);
  }

  /** Sets a member that was found before. */
  putAt(member: View, value: Draft): void {
    const key = changetype<Draft>(member);
    this.meta |= Mark.Differs;
    key.head = changetype<usize>(value);
    key.meta |= Mark.Replaced;
  }

  /** Adds a new member behind the last one; gives the member, which is then the last. */
  putBehind(last: View, name: Text, value: Draft): View {
    this.meta |= Mark.Differs;
    const made = Draft.member(name, value);
    made.meta |= Mark.Added;
    this.link2(last, made);
    return made;
  }

  /** Sets a string member; nothing happens when it has that value. */
  putText(name: Text, text: Text): void {
    this.putString(name, Draft.string(text));
  }

  /** The same with a string made by us. */
  putString(name: Text, string: Draft): void {
    const present = this.findKey(name);
    if (present.exists && present.value.isString && present.value.text().equals(string.text())) {
      return;
    }
    this.put(name, string);
  }

  /** Removes a member, if it is there. */
  remove(name: string): void {
    const key = changetype<Draft>(this.key(name));
    if (key.exists) {
      this.meta |= Mark.Differs;
      key.meta |= Mark.Removed;
    }
  }

  /** Adds an item behind the others. */
  append(item: Draft): void {
    this.insertBehind(this.last(), item);
  }

  /** Adds an item behind another; in front of all when that is `none`. */
  insertBehind(before: View, item: Draft): void {
    this.meta |= Mark.Differs;
    item.meta |= Mark.Added;
    this.link2(before, item);
  }

  /** Puts an item in the place of another. */
  replaceItem(old: View, item: Draft): void {
    const gone = changetype<Draft>(old);
    this.meta |= Mark.Differs;
    gone.meta |= Mark.Removed;
    item.meta |= gone.has(Mark.Added) ? Mark.Added : Mark.Replaced;
    item.link = gone.link;
    gone.link = changetype<usize>(item);
  }

  /** Takes an item or a member out. */
  removeItem(item: View): void {
    this.meta |= Mark.Differs;
    changetype<Draft>(item).meta |= Mark.Removed;
  }

  /** Last item or member, removed ones included; `none` when there never was one. */
  last(): View {
    let last: usize = 0;
    for (let at = this.head; at != 0; at = changetype<Draft>(at).link) {
      last = at;
    }
    return last == 0 ? View.none() : changetype<View>(last);
  }

  private link2(before: View, made: Draft): void {
    if (before.exists) {
      const behind = changetype<Draft>(before);
      made.link = behind.link;
      behind.link = changetype<usize>(made);
    } else {
      made.link = this.head;
      this.head = changetype<usize>(made);
    }
  }

  /** First child, removed ones included: for patch.ts. */
  get rawFirst(): Draft {
    return changetype<Draft>(this.head);
  }

  /** Next sibling, removed ones included; null address behind the last: for patch.ts. */
  get rawNext(): Draft {
    return changetype<Draft>(this.link);
  }
}

/** Adds many items behind those of an object's array, which is made with the first, without walking it each time. */
export class Appender {
  private list: Draft | null = null;
  private last: View = View.none();

  constructor(
    private readonly object: Draft,
    private readonly member: string,
  ) {}

  add(item: Draft): void {
    let list = this.list;
    if (list === null) {
      list = this.object.needArray(this.member);
      this.list = list;
      this.last = list.last();
    }
    list.insertBehind(this.last, item);
    this.last = item;
  }
}
