// Why a text was refused, and where: kept by `scan`, told in words with the path of the field.

import { Text } from './text';
import { beforeFirst, View } from './view';
import { Writer } from './writer';

export const enum Fault {
  None,
  Unexpected,
  End,
  Depth,
  DuplicateKey,
  Utf8,
  Escape,
  Surrogate,
  Control,
  Number,
  Trailing,
  TooLong,
}

/** A level of the scan's stack begins with the address of an open container and that of its last child. */
export const LEVEL_BYTES: usize = 16;
/** Bytes of a path that are told. */
const PATH_MOST: i32 = 1000;

let fault: Fault = Fault.None;
/** Address of the fault noted last. */
export let faultAt: usize = 0;
let begin: usize = 0;
let bottom: usize = 0;
let top: usize = 0;

/** Begins a scan: nothing is wrong yet. */
export function watch(start: usize, stack: usize): void {
  fault = Fault.None;
  begin = start;
  bottom = stack;
}

/** Notes a fault at a place; gives 0, which the readers of tokens hand on. */
export function refuseAt(at: usize, why: Fault): usize {
  fault = why;
  faultAt = at;
  return 0;
}

/** Ends a scan at a fault (`None`: the one noted last); `level` is the innermost open level of the scan's stack. */
export function refuse(why: Fault, at: usize, level: usize): View {
  if (why != Fault.None) {
    refuseAt(at, why);
  }
  top = level;
  return View.none();
}

/** Byte offset of the last fault. */
export function faultOffset(): i32 {
  return <i32>(faultAt - begin);
}

/** For example `spec.containers[0].env: key "name" stands twice (byte 311)`. */
export function faultText(): Text {
  const out = new Writer();
  path(out);
  if (out.length > 0) {
    out.ascii(': ');
  }
  out.ascii(words());
  out.ascii(' (byte ');
  out.integer(faultOffset());
  out.ascii(')');
  return out.toText();
}

/** Where the fault lies, as `a.b[2].c`; empty for the root. */
function path(out: Writer): void {
  for (let level = bottom + LEVEL_BYTES; level <= top; level += LEVEL_BYTES) {
    const container = changetype<View>(load<usize>(level));
    const child = load<usize>(level, 4);
    if (child == beforeFirst(changetype<usize>(container))) {
      break;
    }
    if (container.isObject) {
      if (out.length > 0) {
        out.ascii('.');
      }
      out.escaped(changetype<View>(child).name);
    } else {
      out.ascii('[');
      out.integer(indexOf(container, child));
      out.ascii(']');
    }
    if (out.length > PATH_MOST) {
      const text = out.toText();
      let cut = PATH_MOST;
      while ((text.byteAt(cut) & 0xc0) == 0x80) {
        cut--;
      }
      out.truncate(cut);
      out.ascii('...');
      break;
    }
  }
}

/** Place of the last item, whose own node may not have been written yet: only those before it are read. */
function indexOf(container: View, item: usize): i32 {
  let index = 0;
  for (let at = load<usize>(changetype<usize>(container), 12); at != item; at = load<usize>(at, 8)) {
    index++;
  }
  return index;
}

function words(): string {
  switch (fault) {
    case Fault.End:
      return 'the JSON text ends too early';
    case Fault.Depth:
      return 'arrays and objects are nested more than 512 deep';
    case Fault.DuplicateKey:
      return 'this key stands twice in its object';
    case Fault.Utf8:
      return 'the text is not valid UTF-8';
    case Fault.Escape:
      return 'a backslash is not followed by a JSON escape';
    case Fault.Surrogate:
      return 'an escaped surrogate stands without its other half';
    case Fault.Control:
      return 'a string holds a control character that is not escaped';
    case Fault.Number:
      return 'a number is not written as JSON demands';
    case Fault.Trailing:
      return 'bytes follow behind the JSON value';
    case Fault.TooLong:
      return 'the text is longer than 7 MiB';
    default:
      return 'a character stands where JSON does not allow it';
  }
}
