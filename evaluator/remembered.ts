// What the module says in JSON, parsed once: the same is asked for each pod of a workload, and denied to whoever tries again.

/** When there are so many texts all of them are forgotten, and it begins anew. */
const TEXTS_MOST = 256;

/** A text that is longer is not remembered. */
const LENGTH_MOST = 1024;

export class Remembered<Value extends object> {
  readonly #values = new Map<string, Value>();

  /** The value of a text; whoever has it may not change it. */
  parse(text: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = JSON.parse(text) as Value;
    if (text.length > LENGTH_MOST) return value;
    if (this.#values.size === TEXTS_MOST) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}
