// Code points of UTF-8 text.

import { Text } from '../../json/text';

/** Stands for a byte that is no UTF-8, as in Go. */
const REPLACEMENT = 0xfffd;

/** The greatest code point. */
export const LAST_RUNE = 0x10ffff;

/** The code point at a place of a text times 8, plus the number of its bytes. */
export function decodeRune(text: Text, at: i32): i32 {
  const first = <i32>text.byteAt(at);
  if (first < 0x80) {
    return (first << 3) | 1;
  }
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.length) {
    return (REPLACEMENT << 3) | 1;
  }
  let rune = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const byte = <i32>text.byteAt(at + i);
    if (byte >> 6 != 2) {
      return (REPLACEMENT << 3) | 1;
    }
    rune = (rune << 6) | (byte & 0x3f);
  }
  return (rune << 3) | length;
}
