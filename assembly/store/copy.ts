// A scanned document moved into a block of its own: nodes first, then its text, then the names of keys that were
// written with escapes (their decoded form lies outside of the text). All addresses are moved along.

import { decodedNameBytes, scannedEnd } from '../json/scan';
import { Kind, NODE_BYTES, View } from '../json/view';

/** Bytes that the copy of the document scanned last takes. */
export function copySize(root: View): usize {
  return scannedEnd() - changetype<usize>(root) + root.raw().length + decodedNameBytes();
}

/** Copies it to `place` and gives its root there. */
export function copyTo(place: usize, root: View): View {
  const text = root.raw();
  const nodes = changetype<usize>(root);
  const textPlace = place + (scannedEnd() - nodes);
  memory.copy(textPlace, text.start, text.length);
  copyNodes(place, nodes, textPlace - text.start);
  if (decodedNameBytes() != 0) {
    copyNames(place, root, textPlace + text.length);
  }
  return changetype<View>(place);
}

/** The four fields of a node move at once: its start as the text does, link and head as the nodes do, where they are set. */
function copyNodes(place: usize, nodes: usize, textBy: usize): void {
  const nodesBy = <i32>(place - nodes);
  const by = i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(nodesBy), 0, <i32>textBy), 1, 0);
  const unset = i32x4.splat(0);
  for (let node = nodes; node < scannedEnd(); node += NODE_BYTES) {
    const fields = v128.load(node);
    v128.store(node + nodesBy, i32x4.add(fields, v128.and(by, i32x4.ne(fields, unset))));
  }
}

function copyNames(place: usize, root: View, names: usize): void {
  const text = root.raw();
  const nodes = changetype<usize>(root);
  for (let node = nodes; node < scannedEnd(); node += NODE_BYTES) {
    if (isNameElsewhere(node, text.start, text.length)) {
      const length = load<u32>(node, 4) >> 8;
      memory.copy(names, load<usize>(node), length);
      store<usize>(node - nodes + place, names);
      names += length;
    }
  }
}

function isNameElsewhere(node: usize, textStart: usize, textLength: i32): bool {
  const start = load<usize>(node);
  return (load<u32>(node, 4) & 15) == Kind.Key && (start < textStart || start > textStart + textLength);
}
