// Direct access to json/ for tests: each function works on the text that the test wrote into `room`.

import { writeBase64 } from '../json/base64';
import { Draft } from '../json/draft';
import { faultText } from '../json/fault';
import { writePatch, writeValue } from '../json/patch';
import { PADDING, pad, scan } from '../json/scan';
import { Text } from '../json/text';
import { sameValue, View } from '../json/view';
import { Escapes, Writer } from '../json/writer';
import { Shape } from '../object/merge-shapes';
import { StrategicMerge } from '../object/strategic-merge';

export { faultOffset } from '../json/fault';

let input: usize = 0;
let output: usize = 0;
let outputLength: i32 = 0;

/** Empties the arena and gives the place for a text of this length. */
export function room(length: i32): usize {
  heap.reset();
  __allow(i32.MAX_VALUE);
  input = heap.alloc(length + PADDING);
  pad(input + length);
  return input;
}

export function result(): usize {
  return output;
}

export function resultLength(): i32 {
  return outputLength;
}

/** Turns of loops since `room`. */
export function steps(): i32 {
  return i32.MAX_VALUE - __left();
}

function answer(text: Text): i32 {
  output = text.start;
  outputLength = text.length;
  return outputLength;
}

/** Length of what `result` points to, or -1 with the fault's text there. */
export function rewrite(length: i32): i32 {
  const root = scan(input, length);
  if (!root.exists) {
    answer(faultText());
    return -1;
  }
  const out = new Writer();
  writeValue(rebuilt(root), out);
  return answer(out.toText());
}

/** The fault's text is in `result` when it is refused. */
export function accepts(length: i32): bool {
  if (scan(input, length).exists) {
    return true;
  }
  answer(faultText());
  return false;
}

/** Every value taken apart and written anew, so that nothing is copied as raw text of a container. */
function rebuilt(value: View): Draft {
  const copy = Draft.copy(value);
  markAll(copy);
  return copy;
}

function markAll(value: Draft): void {
  Draft.of(value);
  for (let child = value.first(); child.exists; child = child.next()) {
    markAll(changetype<Draft>(value.isArray ? child : child.value));
  }
}

export function base64(length: i32): i32 {
  const out = new Writer();
  writeBase64(new Text(input, length), out);
  return answer(out.toText());
}

/** The text as a JSON string, with (1) or without (0) the escapes of HTML. */
export function quoted(length: i32, html: bool): i32 {
  const out = new Writer();
  out.quoted(new Text(input, length), html ? Escapes.Html : Escapes.Least);
  return answer(out.toText());
}

/**
 * Edits a document as a script says, and gives the patch. The input is `{"document":…,"edits":[…]}`; an edit has
 * `at` (names and indexes) and `do`: `put` (name, value), `remove` (name), `append` (value), `insert` (index, value),
 * `replace` (index, value), `drop` (index). The patch and the edited document stand in `result`, a zero byte between.
 */
export function edit(length: i32): i32 {
  const root = scan(input, length);
  if (!root.exists) {
    return -1;
  }
  const document = Draft.of(root.get('document'));
  for (let step = root.get('edits').first(); step.exists; step = step.next()) {
    let target = document;
    for (let part = step.get('at').first(); part.exists; part = part.next()) {
      target = Draft.of(part.isNumber ? item(target, <i32>part.integer(0)) : target.find(part.text()));
    }
    const value = step.get('value');
    const index = <i32>step.get('index').integer(0);
    if (step.get('do').is('put')) {
      target.put(step.get('name').text(), Draft.copy(value));
    } else if (step.get('do').is('remove')) {
      target.remove(changetype<string>(literal(step.get('name').text())));
    } else if (step.get('do').is('append')) {
      target.append(Draft.copy(value));
    } else if (step.get('do').is('insert')) {
      target.insertBehind(index == 0 ? View.none() : item(target, index - 1), Draft.copy(value));
    } else if (step.get('do').is('replace')) {
      target.replaceItem(item(target, index), Draft.copy(value));
    } else {
      target.removeItem(item(target, index));
    }
  }
  const out = new Writer();
  writePatch(document, out);
  // A byte that JSON text cannot hold.
  out.byte(0);
  writeValue(document, out);
  return answer(out.toText());
}

/**
 * The strategic merge of `{"original":…,"patch":…}`, both of pods or pod templates: the RFC 6902 patch of the original
 * and the merged object in `result`, a zero byte between; or -1 with the fault there.
 */
export function merge(length: i32): i32 {
  const root = Draft.of(scan(input, length));
  const merge = new StrategicMerge();
  const original = Draft.of(root.get('original'));
  const merged = merge.merge(Shape.Pod, original, root.get('patch'));
  const fault = merge.fault;
  if (fault !== null) {
    answer(fault);
    return -1;
  }
  if (merged != original) {
    root.put(Text.of('original'), merged);
  }
  const out = new Writer();
  writePatch(root, out);
  out.byte(0);
  writeValue(merged, out);
  return answer(out.toText());
}

/** The text as an integer of 64 bits. */
export function integer(length: i32, otherwise: i64): i64 {
  return scan(input, length).integer(otherwise);
}

/** Are the two items of the array the same value? */
export function same(length: i32): bool {
  const first = scan(input, length).first();
  return sameValue(first, first.next());
}

function item(list: View, index: i32): View {
  let at = list.first();
  for (let i = 0; i < index; i++) {
    at = at.next();
  }
  return at;
}

function literal(text: Text): usize {
  let value = '';
  for (let i = 0; i < text.length; i++) {
    value += String.fromCharCode(text.byteAt(i));
  }
  return changetype<usize>(value);
}
