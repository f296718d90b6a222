// What the module says in JSON, parsed once: the same is asked for each pod of a workload, and denied to whoever tries again.

/** So many texts are remembered. */
const TEXTS_MOST = 256;

/**
 * When so many others have come since, all are forgotten, and it begins anew. Where texts hardly come twice most of them
 * are garbage at once this way; what is remembered for a while and then forgotten is garbage that stays for long.
 */
const OTHERS_MOST = 4096;

/** A text that is longer is not remembered. */
const LENGTH_MOST = 1024;

export class Remembered<Value extends object> {
  readonly #values = new Map<string, Value>();
  #others = 0;

  /** The value of a text; whoever has it may not change it. */
  parse(text: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = JSON.parse(text) as Value;
    if (text.length > LENGTH_MOST) return value;
    if (this.#values.size === TEXTS_MOST) {
      if (++this.#others < OTHERS_MOST) return value;
      this.#others = 0;
      this.#values.clear();
    }
    this.#values.set(text, value);
    return value;
  }
}
