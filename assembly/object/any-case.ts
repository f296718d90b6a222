// Members that have always been read whatever the case of their letters: by Go's decoder, in texts that users wrote.

import { Text } from '../json/text';
import { View } from '../json/view';

/** The member of that name, whatever the case of its letters: the last of several; `none` when there is none. */
export function memberOfAnyCase(object: View, lowerName: string): View {
  let found = View.none();
  if (object.isObject) {
    for (let key = object.first(); key.exists; key = key.next()) {
      if (isSameLetters(key.name, lowerName)) {
        found = key.value;
      }
    }
  }
  return found;
}

/** Is the text this one, given in lower case, but for the case of its ASCII letters? */
export function isSameLetters(text: Text, lowerName: string): bool {
  if (text.length != lowerName.length) {
    return false;
  }
  for (let i = 0; i < text.length; i++) {
    const byte = text.byteAt(i);
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (<i32>lower != lowerName.charCodeAt(i)) {
      return false;
    }
  }
  return true;
}
