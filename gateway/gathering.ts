// Reviews that came in together are decided together (docs/decisions/0007): reading, deciding and writing each fill the
// processor's caches with their own code, and in turns they cost a third less than one by one.

/** So many wait for no more: the first of them has waited while the others were read. */
const TOGETHER_MOST = 32;

export class Gathering<Item> {
  readonly #callers: () => number;
  readonly #decide: (batch: readonly Item[]) => void;
  #waiting: Item[] = [];
  /** How many there were one turn of the event loop ago. */
  #seen = 0;
  /** Is `#gather` to run after this turn? */
  #isPlanned = false;

  /** More than there are `callers` never come together. `decide` gets all that wait, in the order in which they came. */
  constructor(callers: () => number, decide: (batch: readonly Item[]) => void) {
    this.#callers = callers;
    this.#decide = decide;
  }

  add(item: Item): void {
    const count = this.#waiting.push(item);
    // Nobody else can come: as soon as what was read with this one has been taken in.
    if (count >= Math.min(this.#callers(), TOGETHER_MOST)) process.nextTick(this.#finishNow);
    else if (!this.#isPlanned) this.#plan();
  }

  /** Has all decided now. */
  finish(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#seen = 0;
    this.#decide(batch);
  }

  readonly #finishNow = (): void => this.finish();

  #plan(): void {
    this.#isPlanned = true;
    setImmediate(this.#gather);
  }

  /** Waits for another turn of the event loop as long as each brings more. */
  readonly #gather = (): void => {
    this.#isPlanned = false;
    if (this.#waiting.length <= this.#seen) {
      this.finish();
    } else {
      this.#seen = this.#waiting.length;
      this.#plan();
    }
  };
}
