// `<time>`, `<uuid>` and `<rand5>` in an expected text: what may stand there.

/** Between these two instants (milliseconds since 1970) the decision was made. */
export type DecisionWindow = { fromMs: number; toMs: number };

const PLACEHOLDER = /<(time|uuid|rand5)>/g;
const PATTERN: Record<string, string> = {
  time: String.raw`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)`,
  uuid: '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})',
  rand5: '([bcdfghjklmnpqrstvwxz2456789]{5})',
};

/** The placeholders of one case: a UUID or random word, once seen, stays the same all through it. */
export class Placeholders {
  readonly #window: DecisionWindow;
  readonly #seen = new Map<string, string>();

  constructor(window: DecisionWindow) {
    this.#window = window;
  }

  /** Whether `expected` has any. */
  static has(expected: unknown): expected is string {
    return typeof expected === 'string' && expected.search(PLACEHOLDER) >= 0;
  }

  /** Whether `got` is `expected` with every placeholder filled in rightly. */
  matches(expected: string, got: unknown): boolean {
    if (typeof got !== 'string') return false;
    const names = [...expected.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const parts = expected.split(/<(?:time|uuid|rand5)>/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = parts.map((part, index) => part + (PATTERN[names[index] ?? ''] ?? '')).join('');
    const match = new RegExp(`^${pattern}$`).exec(got);
    return match !== null && names.every((name, index) => this.#accepts(name, match[index + 1] ?? ''));
  }

  #accepts(name: string, text: string): boolean {
    if (name === 'time') {
      const instant = Date.parse(text);
      return instant >= Math.floor(this.#window.fromMs / 1000) * 1000 && instant <= this.#window.toMs;
    }
    const before = this.#seen.get(name);
    this.#seen.set(name, before ?? text);
    return before === undefined || before === text;
  }
}
