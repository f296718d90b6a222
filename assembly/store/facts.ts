// What the host has answered to questions of one review. It lies in the arena.

import { Text } from '../json/text';
import { View } from '../json/view';

class Fact {
  constructor(
    readonly root: View,
    readonly next: Fact | null,
  ) {}
}

let last: Fact | null = null;

/** Keeps an answer, `{"question":…,"answer":…}`, as long as the arena keeps what was scanned. */
export function keepFact(root: View): void {
  last = new Fact(root, last);
}

/** The answer to a question, as it was kept; `none` when the host has not been asked yet. */
export function findFact(question: Text): View {
  let fact = last;
  while (fact !== null) {
    if (fact.root.get('question').raw().equals(question)) {
      return fact.root;
    }
    fact = fact.next;
  }
  return View.none();
}

export function forgetFacts(): void {
  last = null;
}
