// The difference that a draft makes, as RFC 6902 operations (add, replace, remove), and values as JSON text.
// Children are walked in their final order, so an index is right at the moment its operation is applied.

import { Draft } from './draft';
import { Kind, Mark, View } from './view';
import { Escapes, Writer } from './writer';

/** Writes the patch as a JSON array; gives the number of operations. */
export function writePatch(root: View, out: Writer): i32 {
  const walk = new Walk(out);
  out.byte(0x5b);
  walk.children(changetype<Draft>(root));
  out.byte(0x5d);
  return walk.operations;
}

/** An item or a member was added, replaced or removed. */
const TOUCHED: u32 = Mark.Added | Mark.Replaced | Mark.Removed;

class Walk {
  operations: i32 = 0;
  private readonly path: Writer = new Writer(128);

  constructor(private readonly out: Writer) {}

  children(container: Draft): void {
    const isArray = container.isArray;
    const length = this.path.length;
    let index = 0;
    let child = container.rawFirst;
    while (changetype<usize>(child) != 0) {
      const value = isArray ? child : changetype<Draft>(child.value);
      if (child.has(TOUCHED) || isEdited(value)) {
        this.path.byte(0x2f);
        if (isArray) {
          this.path.integer(index);
          this.item(child);
        } else {
          pointer(child, this.path);
          this.member(child);
        }
        this.path.truncate(length);
      }
      if (isArray && !child.has(Mark.Removed)) {
        index++;
      }
      child = child.rawNext;
    }
  }

  private item(item: Draft): void {
    if (!item.has(Mark.Removed)) {
      this.value(item, item);
      return;
    }
    // Its replacement, if it has one, stands right behind it.
    const next = item.rawNext;
    const isReplaced = changetype<usize>(next) != 0 && next.has(Mark.Replaced);
    if (!item.has(Mark.Added) && !isReplaced) {
      this.operation('remove');
      this.out.byte(0x7d);
    }
  }

  private member(key: Draft): void {
    if (!key.has(Mark.Removed)) {
      this.value(key, changetype<Draft>(key.value));
    } else if (!key.has(Mark.Added)) {
      this.operation('remove');
      this.out.byte(0x7d);
    }
  }

  private value(marked: Draft, value: Draft): void {
    if (marked.has(Mark.Added | Mark.Replaced)) {
      this.operation(marked.has(Mark.Added) ? 'add' : 'replace');
      this.out.ascii(',"value":');
      writeValue(value, this.out);
      this.out.byte(0x7d);
    } else if (isEdited(value)) {
      this.children(value);
    }
  }

  private operation(name: string): void {
    if (this.operations > 0) {
      this.out.byte(0x2c);
    }
    this.operations++;
    this.out.ascii('{"op":"');
    this.out.ascii(name);
    this.out.ascii('","path":"');
    this.out.escaped(this.path.toText());
    this.out.byte(0x22);
  }
}

/** Was anything in it added, replaced or removed? */
function isEdited(value: View): bool {
  return value.has(Mark.Differs) && (value.isArray || value.isObject);
}

/** A key as a part of a JSON pointer: `~` and `/` escaped. */
function pointer(key: Draft, out: Writer): void {
  const name = key.name;
  let from = name.start;
  let left = name.length;
  while (left > 0) {
    // A vector is copied with all that stands in it, and counted as far as it is plain.
    const bytes = v128.load(from);
    v128.store(out.reserve(16), bytes);
    const tildes = i8x16.eq(bytes, i8x16.splat(0x7e));
    const special = i8x16.bitmask(v128.or(tildes, i8x16.eq(bytes, i8x16.splat(0x2f))));
    const plain = min(special == 0 ? 16 : ctz(special), left);
    out.length += plain;
    from += plain;
    left -= plain;
    if (left > 0 && special != 0) {
      out.ascii(load<u8>(from) == 0x7e ? '~0' : '~1');
      from++;
      left--;
    }
  }
}

/** A value as JSON text: what was not edited keeps every byte. */
export function writeValue(value: View, out: Writer): void {
  if (value.isString) {
    if (value.isQuoted) {
      out.text(value.raw());
    } else {
      out.quoted(value.inside(), Escapes.Least);
    }
    return;
  }
  if (value.kind == Kind.None || value.kind == Kind.Key) {
    // No value at all, as when a list was expected and an object stood there: the answer must stay JSON.
    out.ascii('null');
    return;
  }
  if (!isEdited(value)) {
    out.text(value.raw());
    return;
  }
  out.byte(value.isArray ? 0x5b : 0x7b);
  let isFirst = true;
  for (let child = value.first(); child.exists; child = child.next()) {
    if (!isFirst) {
      out.byte(0x2c);
    }
    isFirst = false;
    if (value.isArray) {
      writeValue(child, out);
    } else {
      out.quoted(child.name);
      out.byte(0x3a);
      writeValue(child.value, out);
    }
  }
  out.byte(value.isArray ? 0x5d : 0x7d);
}
