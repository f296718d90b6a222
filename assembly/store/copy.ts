// A scanned document moved into a block of its own: nodes first, then its text, then the names of keys that were
// written with escapes (their decoded form lies outside of the text). All addresses are moved along.

import { scannedEnd } from '../json/scan';
import { Kind, NODE_BYTES, View } from '../json/view';

/** Bytes that the copy of the document scanned last takes. */
export function copySize(root: View): usize {
  const text = root.raw();
  let size = scannedEnd() - changetype<usize>(root) + text.length;
  for (let node = changetype<usize>(root); node < scannedEnd(); node += NODE_BYTES) {
    if (isNameElsewhere(node, text.start, text.length)) {
      size += load<u32>(node, 4) >> 8;
    }
  }
  return size;
}

/** Copies it to `place` and gives its root there. */
export function copyTo(place: usize, root: View): View {
  const text = root.raw();
  const nodes = changetype<usize>(root);
  const nodeBytes = scannedEnd() - nodes;
  const textPlace = place + nodeBytes;
  let names = textPlace + text.length;
  memory.copy(place, nodes, nodeBytes);
  memory.copy(textPlace, text.start, text.length);
  for (let node = place; node < textPlace; node += NODE_BYTES) {
    if (isNameElsewhere(node, text.start, text.length)) {
      const length = load<u32>(node, 4) >> 8;
      memory.copy(names, load<usize>(node), length);
      store<usize>(node, names);
      names += length;
    } else {
      store<usize>(node, load<usize>(node) - text.start + textPlace);
    }
    move(node + 8, nodes, place);
    move(node + 12, nodes, place);
  }
  return changetype<View>(place);
}

function isNameElsewhere(node: usize, textStart: usize, textLength: i32): bool {
  const start = load<usize>(node);
  return (load<u32>(node, 4) & 15) == Kind.Key && (start < textStart || start > textStart + textLength);
}

function move(field: usize, from: usize, to: usize): void {
  const address = load<usize>(field);
  if (address != 0) {
    store<usize>(field, address - from + to);
  }
}
