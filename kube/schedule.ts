// Keys with a time: each is given back once its time has come. One timer for all of them.

/** The longest that a timer of the platform can wait. */
const LONGEST_MS = 2 ** 31 - 1;

type Item = { readonly key: string; readonly dueAt: number };

export class Schedule {
  readonly #monotonic: () => number;
  readonly #due: (key: string) => void;
  readonly #dueAt = new Map<string, number>();
  /** A binary heap, the earliest first. An item whose time is not that of its key any more is left where it is. */
  readonly #heap: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(monotonic: () => number, due: (key: string) => void) {
    this.#monotonic = monotonic;
    this.#due = due;
  }

  /** Gives the key back after this time, unless it comes earlier already. */
  add(key: string, ms: number): void {
    if (this.#stopped) return;
    const dueAt = this.#monotonic() + ms;
    if (dueAt >= (this.#dueAt.get(key) ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt.set(key, dueAt);
    this.#push({ key, dueAt });
    if (this.#heap[0]?.key === key) this.#arm();
  }

  /** Gives nothing back any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const [first] = this.#heap;
    if (first === undefined || this.#stopped) return;
    const ms = Math.min(Math.max(first.dueAt - this.#monotonic(), 0), LONGEST_MS);
    this.#timer = setTimeout(() => this.#fire(), Math.ceil(ms));
  }

  #fire(): void {
    const now = this.#monotonic();
    for (let [first] = this.#heap; first !== undefined && first.dueAt <= now; [first] = this.#heap) {
      this.#pop();
      if (this.#dueAt.get(first.key) !== first.dueAt) continue;
      this.#dueAt.delete(first.key);
      this.#due(first.key);
    }
    this.#arm();
  }

  #push(item: Item): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Item;
      if (above.dueAt <= item.dueAt) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const item = heap.pop();
    if (item === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const isRight = right < heap.length && (heap[right] as Item).dueAt < (heap[left] as Item).dueAt;
      const child = isRight ? right : left;
      const below = heap[child] as Item;
      if (below.dueAt >= item.dueAt) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = item;
  }
}
