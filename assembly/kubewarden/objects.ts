// The store of a Kubewarden policy: made from lists of objects that come with every call, and only made anew when they
// are other ones than before.

import { faultText } from '../json/fault';
import { parse } from '../json/parse';
import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';
import { keep, kindOf, NO_ROOM } from '../policies/kinds';
import { keepText, keptText } from '../store/kept-text';
import { remove } from '../store/store';
import { Stored } from '../store/stored';

/** Does the store hold what the kept text says? Not when the call that filled it was cut off. */
let isHeld: bool = false;

/** The text of objects, one behind the other; those of lists that do not name their kind get it. */
export class Gathered {
  private readonly out: Writer = new Writer(4096);

  add(object: View, apiVersion: Text, kind: Text): void {
    const out = this.out;
    out.byte(out.length == 0 ? 0x5b : 0x2c);
    const text = object.raw();
    if (!object.isObject || object.get('kind').exists || !object.first().exists) {
      out.text(text);
      return;
    }
    out.ascii('{"apiVersion":');
    out.quoted(apiVersion);
    out.ascii(',"kind":');
    out.quoted(kind);
    out.byte(0x2c);
    out.text(text.slice(1, text.length));
  }

  toText(): Text {
    if (this.out.length == 0) {
      return Text.of('[]');
    }
    const out = new Writer(this.out.length + 1);
    out.text(this.out.toText());
    out.byte(0x5d);
    return out.toText();
  }
}

/** Makes the store hold exactly these objects; an error when one cannot be kept. */
export function holdObjects(objects: Gathered): Text | null {
  const text = objects.toText();
  const before = keptText();
  if (isHeld && before.equals(text)) {
    return null;
  }
  isHeld = false;
  forget(before);
  if (!keepText(text)) {
    return Text.of(NO_ROOM);
  }
  const list = parse(text);
  let error: Text | null = list.exists ? null : faultText();
  let index = 0;
  for (let object = list.first(); object.exists && error === null; object = object.next()) {
    error = holdObject(object);
    if (error !== null) {
      error = ofObject(index, error);
    }
    index++;
  }
  isHeld = error === null;
  return error;
}

function forget(text: Text): void {
  const list = text.isEmpty ? View.none() : parse(text);
  for (let object = list.first(); object.exists; object = object.next()) {
    const metadata = object.get('metadata');
    const kind = kindOf(object);
    if (kind != Stored.None) {
      remove(kind, metadata.get('namespace').text(), metadata.get('name').text());
    }
  }
}

/** What is wrong with an object of the settings, or null. */
export function objectFault(object: View): Text | null {
  const kind = kindOf(object);
  if (kind == Stored.None) {
    return Text.of('kind: expected one that the policies keep, such as SidecarSet');
  }
  if (kind == Stored.WorkloadSpread) {
    return Text.of('kind: a WorkloadSpread counts pods in its status, which a Kubewarden policy cannot write');
  }
  return object.get('metadata').get('name').text().isEmpty
    ? Text.of('metadata.name: expected the name of the object')
    : null;
}

/** What the cluster has and the policies do not use is passed over. */
function holdObject(object: View): Text | null {
  const scanned = parse(object.raw());
  const kind = kindOf(scanned);
  return kind == Stored.None || kind == Stored.WorkloadSpread ? null : keep(kind, scanned);
}

/** `objects[2].metadata.name: ...` */
export function ofObject(index: i32, fault: Text): Text {
  const out = new Writer(fault.length + 24);
  out.ascii('objects[');
  out.integer(index);
  out.ascii('].');
  out.text(fault);
  return out.toText();
}
