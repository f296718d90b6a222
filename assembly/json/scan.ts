// Bytes to nodes in one pass: strict JSON (RFC 8259), valid UTF-8, no key twice in an object, bounded depth. Texts of
// others are read as Go reads them: there keys may stand twice, and escapes for halves of characters alone.
// One state machine whose state lies in local variables, for speed; members.ts looks for double keys.

import { decode } from './escape';
import { Fault, faultAt, LEVEL_BYTES, refuse, refuseAt, watch } from './fault';
import { bitOf, findTwice, isSuspect, keepLast, suspect } from './members';
import { Text } from './text';
import { number, sawEscape, string, takeHalves } from './tokens';
import { beforeFirst, Kind, NODE_BYTES, View } from './view';

/** A body longer than this is refused (the limit that webhooks of Kubernetes use). */
export const BODY_MOST: i32 = 7 << 20;
/** Arrays and objects may stand this many deep. */
export const DEPTH_MOST: i32 = 512;
/** Zero bytes that must follow the text: vectors are read beyond its end. */
export const PADDING: i32 = 32;

let tapeEnd: usize = 0;
let elsewhere: i32 = 0;

/** Behind the last node of the document scanned last: its nodes lie from its root to here. */
export function scannedEnd(): usize {
  return tapeEnd;
}

/** Bytes of the names of its keys that were written with escapes: they stand decoded, outside of the text. */
export function decodedNameBytes(): i32 {
  return elsewhere;
}

/**
 * Scans a text that is followed by `PADDING` zero bytes. The nodes lie in the arena, behind each other.
 * Gives `none` when the text is refused: fault.ts tells why and where. `isOfOthers`: of keys that stand twice the last counts,
 * and half a character is U+FFFD.
 */
export function scan(start: usize, length: i32, isOfOthers: bool = false): View {
  const end = start + length;
  elsewhere = 0;
  takeHalves(isOfOthers);
  // A level of the stack: the open container, its last item or key, and the bits of its keys.
  const stack = heap.alloc(<usize>(DEPTH_MOST + 2) * LEVEL_BYTES);
  watch(start, stack);
  if (length > BODY_MOST) {
    return refuse(Fault.TooLong, start, stack);
  }
  // At worst every second byte begins a value, and every byte of the brackets that are still open does: the room is
  // reserved, not touched, and what is left over is given back.
  const tape = heap.alloc((<usize>(length + DEPTH_MOST) / 2 + 4) * NODE_BYTES);
  let at = start;
  let free = tape;
  let level = stack;
  let container: usize = 0;
  // The root has no container: what is linked behind this place is not read.
  let last: usize = stack;
  let inObject = false;
  let seen: u64 = 0;

  while (true) {
    // A value begins, in an object with its key.
    at = blank(at);
    if (inObject) {
      at = key(at, end, free);
      if (at == 0) {
        return refuse(Fault.None, faultAt, open(level, container, beforeFirst(container)));
      }
      const bit = bitOf(free);
      if ((seen & bit) != 0) {
        suspect(container, free);
      }
      seen |= bit;
      last = append(last, free);
      free += NODE_BYTES;
      at = blank(at);
    } else {
      last = append(last, free);
    }
    const byte = load<u8>(at);
    const node = free;
    free += NODE_BYTES;
    if (byte == 0x22) {
      const close = string(at + 1, end);
      if (close == 0) {
        return refuse(Fault.None, faultAt, open(level, container, last));
      }
      put(node, at + 1, <i32>(close - at - 1), Kind.String | sawEscape);
      at = close + 1;
    } else if (byte == 0x7b || byte == 0x5b) {
      if (level - stack >= <usize>DEPTH_MOST * LEVEL_BYTES) {
        return refuse(Fault.Depth, at, open(level, container, last));
      }
      open(level, container, last);
      store<u64>(level, seen, 8);
      level += LEVEL_BYTES;
      inObject = byte == 0x7b;
      seen = 0;
      put(node, at, 0, inObject ? Kind.Object : Kind.Array);
      container = node;
      last = beforeFirst(container);
      at = blank(at + 1);
      if (load<u8>(at) != (inObject ? 0x7d : 0x5d)) {
        continue;
      }
    } else if (byte == 0x2d || <u8>(byte - 0x30) < 10) {
      const close = number(at);
      if (close == 0) {
        return refuse(Fault.Number, at, open(level, container, last));
      }
      put(node, at, <i32>(close - at), Kind.Number);
      at = close;
    } else if (load<u32>(at) == 0x65757274) {
      put(node, at, 4, Kind.True);
      at += 4;
    } else if (load<u32>(at) == 0x6c6c756e) {
      put(node, at, 4, Kind.Null);
      at += 4;
    } else if (byte == 0x66 && load<u32>(at, 1) == 0x65736c61) {
      put(node, at, 5, Kind.False);
      at += 5;
    } else {
      return refuse(at >= end ? Fault.End : Fault.Unexpected, at, open(level, container, last));
    }

    // The value has ended; containers may end with it, until a comma asks for one more.
    while (true) {
      at = blank(at);
      const next = load<u8>(at);
      if (container == 0) {
        if (at < end) {
          return refuse(Fault.Trailing, at, stack);
        }
        heap.realloc(tape, free - tape);
        tapeEnd = free;
        return changetype<View>(tape);
      }
      if (next == 0x2c) {
        at++;
        break;
      }
      if (next != (inObject ? 0x7d : 0x5d)) {
        return refuse(at >= end ? Fault.End : Fault.Unexpected, at, open(level, container, last));
      }
      if (isSuspect(container)) {
        const twice = findTwice(container);
        if (twice != 0) {
          if (!isOfOthers) {
            return refuse(Fault.DuplicateKey, load<usize>(twice + NODE_BYTES), open(level, container, twice));
          }
          keepLast(container);
        }
      }
      at++;
      const opened = load<usize>(container);
      store<u32>(container, ((<u32>(at - opened)) << 8) | (load<u32>(container, 4) & 0xff), 4);
      level -= LEVEL_BYTES;
      container = load<usize>(level);
      last = load<usize>(level, 4);
      seen = load<u64>(level, 8);
      inObject = container != 0 && (load<u32>(container, 4) & 15) == Kind.Object;
    }
  }
}

/** Puts the zero bytes that must follow a text behind it. */
export function pad(end: usize): void {
  for (let at: i32 = 0; at < PADDING; at += 16) {
    v128.store(end + at, i64x2.splat(0));
  }
}

/** Reads `"name":` and fills the key's node; the place behind the colon, or 0 after noting the fault. */
function key(at: usize, end: usize, node: usize): usize {
  if (load<u8>(at) != 0x22) {
    return refuseAt(at, at >= end ? Fault.End : Fault.Unexpected);
  }
  const close = string(at + 1, end);
  if (close == 0) {
    return 0;
  }
  let start = at + 1;
  let length = <i32>(close - start);
  if (sawEscape != 0) {
    const decoded = decode(new Text(start, length));
    start = decoded.start;
    length = decoded.length;
    elsewhere += length;
  }
  // Its value is the next node.
  put(node, start, length, Kind.Key, node + NODE_BYTES);
  at = blank(close + 1);
  if (load<u8>(at) != 0x3a) {
    return refuseAt(at, at >= end ? Fault.End : Fault.Unexpected);
  }
  return at + 1;
}

/** Keeps the open container and its last child where a fault and the way back find them. */
function open(level: usize, container: usize, last: usize): usize {
  store<usize>(level, container);
  store<usize>(level, last, 4);
  return level;
}

/** Two stores for the four fields of a node. */
function put(node: usize, start: usize, length: i32, mark: u32, head: usize = 0): void {
  store<u64>(node, ((<u64>(((<u32>length) << 8) | mark)) << 32) | <u64>start);
  store<u64>(node, (<u64>head) << 32, 8);
}

function append(last: usize, node: usize): usize {
  store<usize>(last, node, 8);
  return node;
}

/** The first place at or behind `at` that holds no white space. */
function blank(at: usize): usize {
  while (load<u8>(at) <= 0x20 && isBlank(load<u8>(at))) {
    at++;
  }
  return at;
}

function isBlank(byte: u8): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}
