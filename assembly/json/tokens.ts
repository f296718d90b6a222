// Strings and numbers of JSON: where they end, and whether they are well formed.

import { hex4 } from './escape';
import { Fault, refuseAt } from './fault';
import { Mark } from './view';

/** Did the string read last hold escapes? The mark to put on its node, or 0. */
export let sawEscape: u32 = 0;

/** May an escape stand for half a character? */
let takesHalves: bool = false;

/** Tells how strings are read from here on. */
export function takeHalves(takes: bool): void {
  takesHalves = takes;
}

/** The closing quote of the string whose inside begins at `at`, or 0 after noting the fault. */
export function string(at: usize, end: usize): usize {
  sawEscape = 0;
  while (true) {
    const bytes = v128.load(at);
    // Signed: bytes of 0x80 and more are below 0x20 too.
    const special = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_s(bytes, i8x16.splat(0x20)),
    );
    const mask = i8x16.bitmask(special);
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += ctz(mask);
    const byte = load<u8>(at);
    if (byte == 0x22) {
      return at;
    }
    if (byte == 0x5c) {
      sawEscape = Mark.Differs;
      at = escapeSequence(at, end);
    } else if (byte < 0x20) {
      return refuseAt(at, at >= end ? Fault.End : Fault.Control);
    } else {
      at = character(at);
    }
    if (at == 0) {
      return 0;
    }
  }
}

/** The place behind an escape, or 0. */
function escapeSequence(at: usize, end: usize): usize {
  const letter = load<u8>(at, 1);
  switch (letter) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return at + 2;
    case 0x75:
      break;
    default:
      return refuseAt(at, at + 1 >= end ? Fault.End : Fault.Escape);
  }
  const unit = hex4(at + 2);
  if (unit < 0) {
    return refuseAt(at, Fault.Escape);
  }
  if (unit < 0xd800 || unit > 0xdfff) {
    return at + 6;
  }
  // A surrogate: the high one first, the low one right behind it.
  if (unit < 0xdc00 && load<u16>(at, 6) == 0x755c) {
    const low = hex4(at + 8);
    if (low >= 0xdc00 && low <= 0xdfff) {
      return at + 12;
    }
  }
  return takesHalves ? at + 6 : refuseAt(at, Fault.Surrogate);
}

/** The place behind a run of characters beyond ASCII, or 0 if they are no UTF-8. */
function character(at: usize): usize {
  let byte = load<u8>(at);
  while (byte >= 0x80) {
    const second = load<u8>(at, 1);
    if (byte < 0xe0) {
      if (byte < 0xc2 || (second & 0xc0) != 0x80) {
        return refuseAt(at, Fault.Utf8);
      }
      at += 2;
    } else if (byte < 0xf0) {
      // Neither overlong nor a surrogate.
      const least: u8 = byte == 0xe0 ? 0xa0 : 0x80;
      const most: u8 = byte == 0xed ? 0x9f : 0xbf;
      if (second < least || second > most || (load<u8>(at, 2) & 0xc0) != 0x80) {
        return refuseAt(at, Fault.Utf8);
      }
      at += 3;
    } else {
      const least: u8 = byte == 0xf0 ? 0x90 : 0x80;
      const most: u8 = byte == 0xf4 ? 0x8f : 0xbf;
      if (byte > 0xf4 || second < least || second > most) {
        return refuseAt(at, Fault.Utf8);
      }
      if ((load<u8>(at, 2) & 0xc0) != 0x80 || (load<u8>(at, 3) & 0xc0) != 0x80) {
        return refuseAt(at, Fault.Utf8);
      }
      at += 4;
    }
    byte = load<u8>(at);
  }
  return at;
}

/** The place behind a number, or 0 if it is none. */
export function number(at: usize): usize {
  if (load<u8>(at) == 0x2d) {
    at++;
  }
  if (load<u8>(at) == 0x30) {
    at++;
  } else {
    const digits = at;
    at = skipDigits(at);
    if (at == digits) {
      return 0;
    }
  }
  if (load<u8>(at) == 0x2e) {
    const digits = at + 1;
    at = skipDigits(digits);
    if (at == digits) {
      return 0;
    }
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    at++;
    if (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d) {
      at++;
    }
    const digits = at;
    at = skipDigits(at);
    if (at == digits) {
      return 0;
    }
  }
  return at;
}

function skipDigits(at: usize): usize {
  while (<u8>(load<u8>(at) - 0x30) < 10) {
    at++;
  }
  return at;
}
