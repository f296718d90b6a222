// What the host has answered to questions: kept for one review.

import { Text } from '../json/text';
import { View } from '../json/view';
import { copySize, copyTo } from './copy';
import { give, take } from './heap';
import { Entry, HEAD_BYTES, Stored } from './stored';

let first: usize = 0;

/** Keeps the answer that was scanned last, `{"question":…,"answer":…}`; false when the memory has no more room. */
export function keepFact(root: View): bool {
  const size = <usize>HEAD_BYTES + copySize(root);
  const block = take(size);
  if (block == 0) {
    return false;
  }
  const entry = changetype<Entry>(block);
  entry.kind = Stored.Fact;
  entry.size = <u32>size;
  entry.root = copyTo(block + HEAD_BYTES, root);
  entry.next = first;
  first = block;
  return true;
}

/** The answer to a question, as it was kept; `none` when the host has not been asked yet. */
export function findFact(question: Text): View {
  for (let at = first; at != 0; at = changetype<Entry>(at).next) {
    const root = changetype<Entry>(at).root;
    if (root.get('question').raw().equals(question)) {
      return root;
    }
  }
  return View.none();
}

export function forgetFacts(): void {
  while (first != 0) {
    const entry = changetype<Entry>(first);
    const next = entry.next;
    give(first, entry.size);
    first = next;
  }
}
