// The directives that stand in strategic merge patches beside the values, and what is wrong with them.

import { Draft } from '../json/draft';
import { Text } from '../json/text';
import { View } from '../json/view';
import { between, Writer } from '../json/writer';
import { Names } from './names';

export const DIRECTIVE: string = '$patch';
export const RETAIN_KEYS: string = '$retainKeys';
export const ORDER_PREFIX: string = '$setElementOrder/';
export const DELETE_PREFIX: string = '$deleteFromPrimitiveList/';

export function isDirective(name: Text): bool {
  return name.is(DIRECTIVE) || name.is(RETAIN_KEYS) || name.startsWith(ORDER_PREFIX) || name.startsWith(DELETE_PREFIX);
}

/** Does the item only say what to do with the list, or what to take out of it? */
export function isInstruction(item: View): bool {
  const directive = item.get(DIRECTIVE);
  return directive.is('delete') || directive.is('replace');
}

/** What is taken over from a patch as it is: a copy without the directives and the nulls of its objects. */
export function withoutDirectives(value: View): Draft {
  const copy = Draft.copy(value);
  strip(copy);
  return copy;
}

function strip(value: Draft): void {
  if (!value.isArray && !value.isObject) {
    return;
  }
  Draft.of(value);
  for (let child = value.first(); child.exists; child = child.next()) {
    if (value.isArray) {
      if (isInstruction(child)) {
        value.removeItem(child);
      } else {
        strip(Draft.of(child));
      }
    } else if (isDirective(child.name) || child.value.isNull) {
      value.removeItem(child);
    } else {
      strip(Draft.of(child.value));
    }
  }
}

/** What tells an item apart: its member `key`, or the item itself where `key` is empty. Texts begin with a quote. */
export function keyText(item: View, key: string): Text {
  const value = item.isObject && key.length > 0 ? item.get(key) : item;
  if (value.isString) {
    return between('"', value.text());
  }
  return value.exists ? value.raw() : Text.of('null');
}

/** What is wrong with the list of a patch; `order` is `none` when the patch gives none. */
export function listFault(own: View, value: View, key: string, order: View): Text | null {
  for (let item = value.first(); item.exists; item = item.next()) {
    if (!item.isObject) {
      const out = new Writer();
      out.ascii('list element types are not identical: [');
      writeGo(own, out);
      out.byte(0x20);
      writeGo(value, out);
      out.byte(0x5d);
      return out.toText();
    }
  }
  for (let item = value.first(); item.exists; item = item.next()) {
    const directive = item.get(DIRECTIVE);
    if (directive.is('merge')) {
      return Text.of('merging lists cannot yet be specified in the patch');
    }
    if (directive.exists && !isInstruction(item)) {
      return unknownDirective(item);
    }
  }
  return order.exists ? orderFault(value, order, key) : null;
}

/** The items of a patch must stand in the order that the patch itself gives. */
function orderFault(value: View, order: View, key: string): Text | null {
  const places = new Names();
  for (let item = order.first(); item.exists; item = item.next()) {
    places.add(keyText(item, key));
  }
  let last = -1;
  for (let item = value.first(); item.exists; item = item.next()) {
    if (item.get(DIRECTIVE).exists) {
      continue;
    }
    if (!item.get(key).exists) {
      return missingKey(item, key);
    }
    const place = places.indexOf(keyText(item, key));
    if (place <= last) {
      const out = new Writer();
      out.ascii('The order in patch list:\n');
      writeGo(withoutDirectives(value), out);
      out.ascii("\n doesn't match $setElementOrder list:\n");
      writeGo(order, out);
      out.byte(0x0a);
      return out.toText();
    }
    last = place;
  }
  return null;
}

export function missingKey(item: View, key: string): Text {
  const out = new Writer();
  out.ascii('map: ');
  writeGo(item, out);
  out.ascii(' does not contain declared merge key: ');
  out.ascii(key);
  return out.toText();
}

export function unknownDirective(item: View): Text {
  const out = new Writer();
  out.ascii('unknown patch type: ');
  writeGo(item.get(DIRECTIVE), out);
  out.ascii(' in map: ');
  writeGo(item, out);
  return out.toText();
}

/** A value as Go prints it. */
function writeGo(value: View, out: Writer): void {
  if (value.isArray) {
    out.byte(0x5b);
    for (let item = value.first(); item.exists; item = item.next()) {
      if (item != value.first()) {
        out.byte(0x20);
      }
      writeGo(item, out);
    }
    out.byte(0x5d);
  } else if (value.isObject) {
    const members = new Names();
    for (let member = value.first(); member.exists; member = member.next()) {
      members.add(member.name, member);
    }
    const names = members.sorted();
    out.ascii('map[');
    for (let i = 0; i < names.length; i++) {
      if (i > 0) {
        out.byte(0x20);
      }
      out.text(names[i]);
      out.byte(0x3a);
      writeGo(members.find(names[i]).value, out);
    }
    out.byte(0x5d);
  } else if (value.isString) {
    out.text(value.text());
  } else if (value.isSet) {
    out.text(value.raw());
  } else {
    out.ascii('<nil>');
  }
}
