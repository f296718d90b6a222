// Values as Go's encoder writes them: no blanks, its escapes, members in the order in which they stand. Hashes of the
// reference are made of such text, and annotations hold it.

import { View } from './view';
import { Escapes, Writer } from './writer';

export function writeGoJson(value: View, out: Writer): void {
  if (value.isString) {
    out.quoted(value.text(), Escapes.Html);
    return;
  }
  if (!value.isArray && !value.isObject) {
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
      writeGoJson(child, out);
    } else {
      out.quoted(child.name, Escapes.Html);
      out.byte(0x3a);
      writeGoJson(child.value, out);
    }
  }
  out.byte(value.isArray ? 0x5d : 0x7d);
}
