// JSON merge patch (RFC 7386) on texts, written as Go's library writes it: compact, members sorted on every level that
// took part or is new, untouched values as they stood but for blanks and the escapes of HTML (sidecarset.md 5.6).

import { Text } from '../json/text';
import { View } from '../json/view';
import { Escapes, Writer } from '../json/writer';

/** Writes the merge of two values; the patch is an object or an array. */
export function writeMerged(value: View, patch: View, out: Writer): void {
  if (!patch.isObject) {
    writeCompact(patch.raw(), out);
    return;
  }
  if (!value.isObject) {
    writeNew(patch, out);
    return;
  }
  const names = sortedNames(value, patch);
  let isFirst = true;
  out.byte(0x7b);
  for (let i = 0; i < names.length; i++) {
    const own = value.find(names[i]);
    const change = patch.find(names[i]);
    if (change.isNull) {
      continue;
    }
    if (!isFirst) {
      out.byte(0x2c);
    }
    isFirst = false;
    out.quoted(names[i], Escapes.Html);
    out.byte(0x3a);
    if (!change.exists) {
      writeCompact(own.raw(), out);
    } else if (own.isSet) {
      writeMerged(own, change, out);
    } else {
      writeNew(change, out);
    }
  }
  out.byte(0x7d);
}

/** A value that was not there before: nulls in its objects are left out. */
function writeNew(value: View, out: Writer): void {
  if (value.isArray) {
    out.byte(0x5b);
    let isFirst = true;
    for (let item = value.first(); item.exists; item = item.next()) {
      if (!isFirst) {
        out.byte(0x2c);
      }
      isFirst = false;
      writeNew(item, out);
    }
    out.byte(0x5d);
    return;
  }
  if (!value.isObject) {
    writeCompact(value.raw(), out);
    return;
  }
  const names = sortedNames(value, View.none());
  let isFirst = true;
  out.byte(0x7b);
  for (let i = 0; i < names.length; i++) {
    const member = value.find(names[i]);
    if (member.isNull) {
      continue;
    }
    if (!isFirst) {
      out.byte(0x2c);
    }
    isFirst = false;
    out.quoted(names[i], Escapes.Html);
    out.byte(0x3a);
    writeNew(member, out);
  }
  out.byte(0x7d);
}

/** JSON text without the blanks between its tokens; `<`, `>`, `&`, U+2028 and U+2029 as escapes. */
function writeCompact(text: Text, out: Writer): void {
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const byte = text.byteAt(i);
    if (inString && byte == 0x5c) {
      out.byte(byte);
      i++;
      out.byte(text.byteAt(i));
    } else if (inString && (byte == 0x3c || byte == 0x3e || byte == 0x26)) {
      out.escaped(text.slice(i, i + 1), Escapes.Html);
    } else if (byte == 0xe2 && text.byteAt(i + 1) == 0x80 && (text.byteAt(i + 2) | 1) == 0xa9) {
      out.escaped(text.slice(i, i + 3), Escapes.Html);
      i += 2;
    } else {
      if (byte == 0x22) {
        inString = !inString;
      }
      if (inString || byte > 0x20) {
        out.byte(byte);
      }
    }
  }
}

/** Names of the members of both, each once, bytewise. */
function sortedNames(a: View, b: View): Array<Text> {
  const names: Array<Text> = [];
  for (let member = a.first(); member.exists; member = member.next()) {
    names.push(member.name);
  }
  for (let member = b.first(); member.exists; member = member.next()) {
    if (!a.findKey(member.name).exists) {
      names.push(member.name);
    }
  }
  names.sort((left, right) => left.compare(right));
  return names;
}
