// JSON that stands inside a string, such as the value of an annotation.

import { PADDING, pad, scan } from './scan';
import { Text } from './text';
import { View } from './view';

/**
 * The value that a text holds, read as Go reads it: of keys that stand twice the last, U+FFFD for half a character; `none`
 * when it is no JSON (fault.ts tells why).
 */
export function parse(text: Text): View {
  const place = heap.alloc(text.length + PADDING);
  memory.copy(place, text.start, text.length);
  pad(place + text.length);
  return scan(place, text.length, true);
}
