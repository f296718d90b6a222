// Classes of characters that a pattern has had so far: one that is written many times is read once.

import { Text } from '../../json/text';
import { Op } from './program';

/** So many are remembered. */
const KNOWN_MOST = 16;

/** A class as it stands in the pattern, and the instruction that it became. */
export class KnownClass {
  constructor(
    readonly text: Text,
    readonly folds: bool,
    readonly op: Op,
    readonly argument: i32,
  ) {}
}

export class KnownClasses {
  private readonly known: Array<KnownClass> = [];

  get isFull(): bool {
    return this.known.length == KNOWN_MOST;
  }

  add(known: KnownClass): void {
    this.known.push(known);
  }

  /** The class with which the rest of a pattern begins, or null for one that was not read before. */
  find(rest: Text, folds: bool): KnownClass | null {
    for (let i = 0; i < this.known.length; i++) {
      const known = this.known[i];
      const length = known.text.length;
      if (known.folds == folds && rest.length >= length && rest.slice(0, length).equals(known.text)) {
        return known;
      }
    }
    return null;
  }
}
