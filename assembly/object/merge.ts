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
  const own = sortedMembers(value);
  const changes = sortedMembers(patch);
  let isFirst = true;
  let i = 0;
  let j = 0;
  out.byte(0x7b);
  while (i < own.length || j < changes.length) {
    const order = i == own.length ? 1 : j == changes.length ? -1 : own[i].name.compare(changes[j].name);
    const present = order <= 0 ? own[i++].value : View.none();
    const name = order <= 0 ? own[i - 1].name : changes[j].name;
    const change = order >= 0 ? changes[j++].value : View.none();
    if (change.isNull) {
      continue;
    }
    isFirst = writeName(name, isFirst, out);
    if (!change.exists) {
      writeCompact(present.raw(), out);
    } else if (present.isSet) {
      writeMerged(present, change, out);
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
  const members = sortedMembers(value);
  let isFirst = true;
  out.byte(0x7b);
  for (let i = 0; i < members.length; i++) {
    if (!members[i].value.isNull) {
      isFirst = writeName(members[i].name, isFirst, out);
      writeNew(members[i].value, out);
    }
  }
  out.byte(0x7d);
}

/** Writes `,"name":`, without the comma for the first; gives false. */
function writeName(name: Text, isFirst: bool, out: Writer): bool {
  if (!isFirst) {
    out.byte(0x2c);
  }
  out.quoted(name, Escapes.Html);
  out.byte(0x3a);
  return false;
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

/** Members by name, bytewise. */
function sortedMembers(object: View): Array<View> {
  const members: Array<View> = [];
  for (let member = object.first(); member.exists; member = member.next()) {
    members.push(member);
  }
  return members.sort((a, b) => a.name.compare(b.name));
}
