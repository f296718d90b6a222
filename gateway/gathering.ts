// Reviews that came in together are decided together (docs/decisions/0007): reading, deciding and writing each fill the
// processor's caches with their own code, and in turns they cost a third less than one by one.

/** So many are decided together at most: the first of them waits while the others are read. */
const TOGETHER_MOST = 32;

export class Gathering<Item> {
  readonly #callers: () => number;
  readonly #decide: (batch: readonly Item[]) => void;
  #waiting: Item[] = [];
  /** How many there were one turn of the event loop ago. */
  #seen = 0;

  /** More than there are `callers` never come together. `decide` gets all that wait, in the order in which they came. */
  constructor(callers: () => number, decide: (batch: readonly Item[]) => void) {
    this.#callers = callers;
    this.#decide = decide;
  }

  add(item: Item): void {
    if (this.#waiting.push(item) === 1) setImmediate(this.#gather);
  }

  /** Has all decided now. */
  finish(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#seen = 0;
    this.#decide(batch);
  }

  /** Waits for another turn of the event loop as long as each brings more; a caller that is alone waits for nobody. */
  readonly #gather = (): void => {
    const count = this.#waiting.length;
    if (count > this.#seen && count < Math.min(this.#callers(), TOGETHER_MOST)) {
      this.#seen = count;
      setImmediate(this.#gather);
    } else {
      this.finish();
    }
  };
}
