// Decoding of JSON string escapes that `scan` has checked. Half a character, where it is let pass, counts as U+FFFD.

import { Text } from './text';

/** The characters that a string with escapes means, as a new text. */
export function decode(text: Text): Text {
  const to = heap.alloc(text.length);
  const end = text.start + text.length;
  let at = text.start;
  let out = to;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte != 0x5c) {
      store<u8>(out++, byte);
      at++;
      continue;
    }
    const letter = load<u8>(at, 1);
    at += 2;
    if (letter != 0x75) {
      store<u8>(out++, meaning(letter));
      continue;
    }
    let point = hex4(at);
    at += 4;
    if (point >= 0xd800 && point < 0xe000) {
      const low = point < 0xdc00 && end - at >= 6 && load<u16>(at) == 0x755c ? hex4(at + 2) : -1;
      const isPair = low >= 0xdc00 && low < 0xe000;
      point = isPair ? 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      at += isPair ? 6 : 0;
    }
    out = putCodePoint(out, point);
  }
  return new Text(to, <i32>(out - to));
}

/** Value of four hexadecimal digits, or -1. */
export function hex4(at: usize): i32 {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const byte = <i32>load<u8>(at + i);
    const lower = byte | 0x20;
    let digit = -1;
    if (byte >= 0x30 && byte <= 0x39) {
      digit = byte - 0x30;
    } else if (lower >= 0x61 && lower <= 0x66) {
      digit = lower - 0x57;
    }
    if (digit < 0) {
      return -1;
    }
    value = (value << 4) | digit;
  }
  return value;
}

/** Writes a code point as UTF-8 and gives the place behind it. */
export function putCodePoint(out: usize, point: i32): usize {
  if (point < 0x80) {
    store<u8>(out, point);
    return out + 1;
  }
  if (point < 0x800) {
    store<u8>(out, 0xc0 | (point >> 6));
    store<u8>(out, 0x80 | (point & 63), 1);
    return out + 2;
  }
  if (point < 0x10000) {
    store<u8>(out, 0xe0 | (point >> 12));
    store<u8>(out, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(out, 0x80 | (point & 63), 2);
    return out + 3;
  }
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(out, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(out, 0x80 | (point & 63), 3);
  return out + 4;
}

function meaning(letter: u8): u8 {
  switch (letter) {
    case 0x6e:
      return 0x0a;
    case 0x74:
      return 0x09;
    case 0x72:
      return 0x0d;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    default:
      return letter;
  }
}
